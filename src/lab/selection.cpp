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

std::vector<const KernelDefinition*> match_engine(KernelSpan engine, const std::string& word) {
    if (word == "engine") return {engine.begin(), engine.end()};
    return ladder::match(engine, word);
}

/// `engine` is empty where only rungs were asked for.
UsageError unknown(KernelSpan rungs, KernelSpan engine, const std::string& word) {
    if (word == "k0" || word == "cublas")
        return UsageError(fmt::format(
            "'{}' takes part on a GPU only, in a build with CUDA, where libcublas is found", word));
    const auto of_engine = match_engine(engine_registry(), word);
    if (engine.empty() && !of_engine.empty())
        return UsageError(fmt::format("'{}' is no rung but the engine's: see list --engine", word));
    auto elsewhere = ladder::match(registry(), word);
    elsewhere.insert(elsewhere.end(), of_engine.begin(), of_engine.end());
    if (!elsewhere.empty())
        return UsageError(fmt::format("'{}' needs a GPU of {}, or CPU mode", word,
                                      capability_text(*elsewhere.front())));
    std::vector<std::string> names;
    for (const KernelDefinition* rung : rungs) {
        names.emplace_back(rung->id);
        names.emplace_back(ladder::name_of(*rung));
        for (const char* alias : rung->aliases)
            if (names.back() != alias) names.emplace_back(alias);
    }
    for (const KernelDefinition* kernel : engine) names.emplace_back(kernel->id);
    return UsageError(fmt::format("no rung '{}'; {}", word, did_you_mean(word, names)));
}

}  // namespace

std::vector<const KernelDefinition*> select_kernels(KernelSpan rungs, KernelSpan engine,
                                                    const std::vector<std::string>& words) {
    if (words.empty()) return {rungs.begin(), rungs.end()};
    std::vector<const KernelDefinition*> wanted;
    for (const std::string& word : words) {
        auto found = ladder::match(rungs, word);
        if (found.empty()) found = match_engine(engine, word);
        if (found.empty()) throw unknown(rungs, engine, word);
        wanted.insert(wanted.end(), found.begin(), found.end());
    }
    std::vector<const KernelDefinition*> ordered;
    for (const KernelSpan all : {rungs, engine})
        for (const KernelDefinition* kernel : all)
            if (std::find(wanted.begin(), wanted.end(), kernel) != wanted.end())
                ordered.push_back(kernel);
    return ordered;
}

std::vector<const KernelDefinition*> select_kernels(const Device& device,
                                                    const std::vector<std::string>& words) {
    return select_kernels(device.kernels(), device.engine_kernels(), words);
}

const KernelDefinition& select_kernel(KernelSpan rungs, KernelSpan engine,
                                      const std::string& word) {
    const auto found = select_kernels(rungs, engine, {word});
    if (found.size() == 1) return *found.front();
    std::vector<std::string> ids;
    for (const KernelDefinition* kernel : found) ids.emplace_back(kernel->id);
    throw UsageError(fmt::format("'{}' means several {}: {}", word,
                                 found.front()->kind == Kind::engine ? "kernels" : "rungs",
                                 join(ids, ", ")));
}

std::vector<const KernelDefinition*> select_rungs(KernelSpan rungs,
                                                  const std::vector<std::string>& words) {
    return select_kernels(rungs, {}, words);
}

const KernelDefinition& select_rung(KernelSpan rungs, const std::string& word) {
    return select_kernel(rungs, {}, word);
}

std::vector<Candidate> select_candidates(const std::vector<const KernelDefinition*>& kernels,
                                         const std::string& variant) {
    std::vector<Candidate> candidates;
    std::vector<std::string> names{"all", "default"};
    for (const KernelDefinition* rung : kernels)
        for (const Variant& each : rung->variants) {
            const bool first = &each == &rung->variants.front();
            const bool wanted = variant == "all" || variant == each.name ||
                                (first && (variant == "default" || rung->kind == Kind::baseline));
            if (wanted) candidates.push_back({rung, &each});
            if (std::find(names.begin(), names.end(), each.name) == names.end())
                names.emplace_back(each.name);
        }
    if (candidates.empty() && !kernels.empty())
        throw UsageError(fmt::format("--variant: no variant '{}' in these kernels; {}", variant,
                                     did_you_mean(variant, names)));
    return candidates;
}

void require_plain(std::span<const Candidate> candidates, std::span<const Case> cases) {
    for (const Case& test : cases)
        for (const Candidate& candidate : candidates) {
            const KernelDefinition& kernel = *candidate.rung;
            if (test.is_plain() || kernel.kind == Kind::engine || kernel.kind == Kind::baseline)
                continue;
            throw UsageError(fmt::format(
                "{} is a rung, which computes plain row-major products only: --transa, --transb, "
                "--batch, --device-scalars and --parts are for the engine's kernels",
                kernel.id));
        }
}

}  // namespace tilewright::lab
