// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/gpus.h"
#include "lab/registry.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

UsageError unknown_rung(std::span<const KernelDefinition* const> all, const std::string& word) {
    if (word == "k0" || word == "cublas")
        return UsageError(fmt::format(
            "'{}' takes part on a GPU only, in a build with CUDA, where libcublas is found", word));
    if (const auto elsewhere = ladder::match(registry(), word); !elsewhere.empty()) {
        return UsageError(fmt::format("'{}' needs a GPU of {}, or CPU mode", word,
                                      capability_text(*elsewhere.front())));
    }
    std::vector<std::string> names;
    for (const KernelDefinition* rung : all) {
        names.emplace_back(rung->id);
        names.emplace_back(ladder::name_of(*rung));
        for (const char* alias : rung->aliases)
            if (names.back() != alias) names.emplace_back(alias);
    }
    return UsageError(fmt::format("no rung '{}'; {}", word, did_you_mean(word, names)));
}

}  // namespace

std::vector<const KernelDefinition*> select_rungs(std::span<const KernelDefinition* const> all,
                                                  const std::vector<std::string>& words) {
    if (words.empty()) return {all.begin(), all.end()};
    std::vector<const KernelDefinition*> wanted;
    for (const std::string& word : words) {
        const auto found = ladder::match(all, word);
        if (found.empty()) throw unknown_rung(all, word);
        wanted.insert(wanted.end(), found.begin(), found.end());
    }
    std::vector<const KernelDefinition*> ordered;
    for (const KernelDefinition* rung : all)
        if (std::find(wanted.begin(), wanted.end(), rung) != wanted.end()) ordered.push_back(rung);
    return ordered;
}

const KernelDefinition& select_rung(std::span<const KernelDefinition* const> all,
                                    const std::string& word) {
    const auto found = select_rungs(all, {word});
    if (found.size() == 1) return *found.front();
    std::vector<std::string> ids;
    for (const KernelDefinition* rung : found) ids.emplace_back(rung->id);
    throw UsageError(fmt::format("'{}' means several rungs: {}", word, join(ids, ", ")));
}

std::vector<Candidate> select_candidates(const std::vector<const KernelDefinition*>& rungs,
                                         const std::string& variant) {
    std::vector<Candidate> candidates;
    std::vector<std::string> names{"all", "default"};
    for (const KernelDefinition* rung : rungs)
        for (const Variant& each : rung->variants) {
            const bool first = &each == &rung->variants.front();
            const bool wanted = variant == "all" || variant == each.name ||
                                (first && (variant == "default" || rung->kind == Kind::baseline));
            if (wanted) candidates.push_back({rung, &each});
            if (std::find(names.begin(), names.end(), each.name) == names.end())
                names.emplace_back(each.name);
        }
    if (candidates.empty() && !rungs.empty())
        throw UsageError(fmt::format("--variant: no variant '{}' in these rungs; {}", variant,
                                     did_you_mean(variant, names)));
    return candidates;
}

}  // namespace tilewright::lab
