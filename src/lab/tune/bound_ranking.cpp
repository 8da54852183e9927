// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/bound_ranking.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/interrupt.h"
#include "lab/lesson.h"
#include "lab/tune/serve.h"

namespace tilewright::lab {

std::vector<Bounded> rank_by_bound(Device& device, const std::vector<TuneCandidate>& candidates,
                                   const Case& test, const Gpu& gpu,
                                   const std::function<void(const std::string&)>& progress) {
    std::vector<Bounded> all;
    for (const TuneCandidate& candidate : candidates) {
        Bounded& bounded = all.emplace_back(Bounded{candidate, {}, ""});
        const Candidate found = resolve_compiled_in(device, candidate).candidate;
        if (interrupted())
            bounded.reason = "interrupted";
        else if (!found.variant)
            bounded.reason = "this program does not have it";
        else
            bounded.reason = reason_not_to_run(gpu, *found.rung);
        if (!bounded.reason.empty()) continue;
        progress(
            fmt::format("counting {} of {}: {}", all.size(), candidates.size(), candidate.name));
        Case in_parts = test;
        in_parts.parts = candidate.parts;
        const Count counted = count(device, found, in_parts);
        if (!counted.ok()) {
            bounded.reason = counted.failure;
            continue;
        }
        bounded.bound = bound_of(
            counted,
            built_for(gpu, *found.rung, *found.variant, embedded_resources(), embedded_sass()), gpu,
            count_whole_tile(device, found, in_parts));
    }
    std::stable_sort(all.begin(), all.end(), [](const Bounded& a, const Bounded& b) {
        if (a.bound.has_value() != b.bound.has_value()) return a.bound.has_value();
        return a.bound && a.bound->us < b.bound->us;
    });
    return all;
}

}  // namespace tilewright::lab
