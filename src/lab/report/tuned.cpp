// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/tuned.h"

#include <fmt/format.h>

#include "lab/report/fields.h"
#include "lab/report/kernels.h"
#include "lab/tune/candidate.h"
#include "lab/usage.h"

namespace tilewright::lab::report {

namespace {

TunedCandidate candidate_of(const Json& json, const TuneCandidate& tried) {
    TunedCandidate candidate{.name = tried.name, .kernel = tried.kernel, .config = tried.config};
    if (const Variant* variant = variant_of(tried.kernel, tried.variant);
        variant && !candidate.config)
        candidate.config = variant->config;
    candidate.outcome = text_at(json, "outcome");
    candidate.reason = text_at(json, "reason");
    candidate.limiter = text_at(json, "limiter");
    const bool is_bound = json.contains("bound_us");
    candidate.us = number_at(json, is_bound ? "bound_us" : "median_us");
    candidate.gflops = number_at(json, is_bound ? "bound_gflops" : "gflops");
    candidate.spread_us = number_at(json, "spread_us");
    candidate.tied = flag_at(json, "tied");
    return candidate;
}

}  // namespace

std::vector<TunedProblem> tuned_in(const std::string& path, const Json& json) {
    std::vector<TunedProblem> all;
    for (const Json& each : json) {
        const auto fail = [&](const std::string& what) {
            throw UsageError(
                fmt::format("{}: \"tuning\", entry {}: {}", path, all.size() + 1, what));
        };
        if (!each.is_object() || text_at(each, "subject").empty()) fail("it has no \"subject\"");
        TunedProblem problem{.subject = text_at(each, "subject"),
                             .problem = text_at(each, "problem"),
                             .arithmetic = text_at(each, "compute", "fp32"),
                             .best = text_at(each, "best"),
                             .measured = flag_at(each, "measured", true),
                             .complete = flag_at(each, "complete", true)};
        const auto candidates = each.find("candidates");
        if (candidates == each.end() || !candidates->is_array()) fail("it has no \"candidates\"");
        for (const Json& candidate : *candidates) {
            const auto tried = candidate_in(candidate);
            if (!tried) fail("a candidate lacks \"name\", \"kernel\", \"variant\" or \"parts\"");
            problem.candidates.push_back(candidate_of(candidate, *tried));
        }
        all.push_back(std::move(problem));
    }
    return all;
}

}  // namespace tilewright::lab::report
