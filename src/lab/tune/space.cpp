// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "lab/lesson.h"
#include "lab/tune/rules.h"

namespace tilewright::lab {

namespace {

using Sizes = std::array<int, sizeof(TileConfig) / sizeof(int)>;

void set(TileConfig& config, std::string_view member, int value) {
    auto sizes = std::bit_cast<Sizes>(config);
    size_t at = 0;
    for_each_member(config, [&](std::string_view name, int) {
        if (name == member) sizes[at] = value;
        ++at;
    });
    config = std::bit_cast<TileConfig>(sizes);
}

/// f(config) for each combination of the axes' values; of those that are not `varied`, the first.
template <class Varied, class Function>
void for_each_config(const TuningSpace& space, TileConfig config, const Varied& varied,
                     const Function& f, size_t axis = 0) {
    if (axis == space.axes.size()) return f(space.complete(config));
    const Axis& at = space.axes[axis];
    if (!varied(at)) return for_each_config(space, config, varied, f, axis + 1);
    for (const int value : at.values) {
        set(config, at.member, value);
        for_each_config(space, config, varied, f, axis + 1);
    }
}

/// "" where there is none. A rule that is not known is none where the configuration can be compiled and
/// verified.
std::string reason_against(const std::vector<Rule>& rules, const TileConfig& config,
                           bool compiles) {
    std::string reason = broken_rule(rules, config);
    if (reason.empty()) reason = broken_limit(config);
    if (reason.empty() && !compiles) reason = unknown_rule(rules, config);
    return reason;
}

TuneCandidate candidate_of(const KernelDefinition& rung, const TileConfig& config) {
    return {.name = name_of(rung, config), .kernel = rung.id, .config = config};
}

const Variant* variant_of(const KernelDefinition& rung, const TileConfig& config) {
    for (const Variant& variant : rung.variants)
        if (variant.config == config) return &variant;
    return nullptr;
}

}  // namespace

std::string name_of(const KernelDefinition& rung, const TileConfig& c) {
    if (const Variant* variant = variant_of(rung, c)) return variant->name;
    const std::string warp =
        c.warp.m > 0 ? fmt::format("-w{}x{}x{}", c.warp.m, c.warp.n, c.warp_n_steps) : "";
    return fmt::format("{}x{}x{}{}-{}x{}-u{}-b{}", c.block.m, c.block.n, c.block.k, warp,
                       c.thread.m, c.thread.n, c.unroll_k, c.min_blocks);
}

Space space_of(const KernelDefinition& rung, bool compiles) {
    Space space;
    for (const Variant& variant : rung.variants)
        space.candidates.push_back(
            {.name = variant.name, .kernel = rung.id, .variant = variant.name});
    space.configurations = space.candidates.size();
    if (!rung.space) return space;
    TileConfig usual;
    for (const Axis& axis : rung.space->axes) set(usual, axis.member, axis.values.front());
    const std::vector<Rule> rules = rules_in(source_of(rung));
    for_each_config(
        *rung.space, usual, [](const Axis& axis) { return !axis.fine; },
        [&](const TileConfig& config) {
            if (variant_of(rung, config)) return;
            ++space.configurations;
            std::string reason = reason_against(rules, config, compiles);
            if (!reason.empty())
                space.illegal.push_back({name_of(rung, config), std::move(reason)});
            else if (compiles)
                space.candidates.push_back(candidate_of(rung, config));
            else
                ++space.missing;
        });
    return space;
}

std::vector<TuneCandidate> finer(const KernelDefinition& rung, const TileConfig& config) {
    std::vector<TuneCandidate> all;
    if (!rung.space) return all;
    const std::vector<Rule> rules = rules_in(source_of(rung));
    for_each_config(
        *rung.space, config, [](const Axis& axis) { return axis.fine; },
        [&](const TileConfig& each) {
            if (each != config && !variant_of(rung, each) &&
                reason_against(rules, each, true).empty())
                all.push_back(candidate_of(rung, each));
        });
    return all;
}

Space engine_space(const Problem& problem, const engine::DeviceTraits& device) {
    Space space;
    for (const engine::Candidate& each :
         engine::candidates(problem, device, engine::own_workspace_bytes(problem.arithmetic))) {
        ++space.configurations;
        const std::string name = name_of(each.choice);
        if (each.refusal)
            space.illegal.push_back({name, each.refusal});
        else
            space.candidates.push_back({.name = name,
                                        .kernel = each.choice.kernel->id,
                                        .variant = each.choice.variant->name,
                                        .parts = each.choice.splits});
    }
    return space;
}

}  // namespace tilewright::lab
