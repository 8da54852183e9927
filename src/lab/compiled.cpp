// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/compiled.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <tuple>

namespace tilewright::lab {

namespace {

using Json = nlohmann::json;

/// What a table says of a kernel.
struct Line {
    std::string variant, architecture;
    Json json;
};

std::vector<Line> lines_of(std::string_view table, std::string_view rung) {
    std::vector<Line> lines;
    const Json all = Json::parse(table, nullptr, false);
    if (!all.is_object()) return lines;
    for (const Json& kernel : all.value("kernels", Json::array()))
        if (kernel.value("rung", "") == rung)
            lines.push_back(
                {kernel.value("variant", ""), kernel.value("architecture", ""), kernel});
    return lines;
}

/// "90a" is 90.
int number_of(const std::string& architecture) {
    return std::atoi(architecture.c_str());
}

/// Of those of this variant, the one whose architecture is nearest.
template <class Each>
std::optional<Each> nearest(std::span<const Each> all, std::string_view variant,
                            const std::string& architecture) {
    const int wanted = number_of(architecture);
    const auto distance = [&](const Each& each) {
        const int number = number_of(each.architecture);
        return std::tuple(number > wanted, std::abs(number - wanted));
    };
    std::optional<Each> best;
    for (const Each& each : all)
        if (each.variant == variant && (!best || distance(each) < distance(*best))) best = each;
    return best;
}

Widths widths_of(const Json& counts, const std::string& name) {
    return {counts.value(name + ".32", 0.0), counts.value(name + ".64", 0.0),
            counts.value(name + ".128", 0.0)};
}

Instructions instructions_of(const Json& counts) {
    const double all = counts.value("instructions", 0.0);
    return {.all = counts.value("shortest", all),
            .ffma = counts.value("FFMA", 0.0),
            .barriers = counts.value("BAR", 0.0),
            .mma = counts.value("HMMA", 0.0) + counts.value("HGMMA", 0.0),
            .shared_loads = widths_of(counts, "LDS"),
            .shared_stores = widths_of(counts, "STS"),
            .global_loads = widths_of(counts, "LDG"),
            .global_stores = widths_of(counts, "STG")};
}

}  // namespace

int widest(const Widths& widths) {
    for (int i = 2; i >= 0; --i)
        if (widths[i] > 0) return 1 << i;
    return 0;
}

std::optional<Compiled> compiled_of(std::string_view sass, std::string_view rung,
                                    std::string_view variant, const std::string& architecture) {
    const std::vector<Line> lines = lines_of(sass, rung);
    const auto line = nearest<Line>(lines, variant, architecture);
    if (!line || !line->json.contains("total")) return {};
    Compiled compiled{.architecture = line->architecture,
                      .total = instructions_of(line->json["total"]),
                      .main_loop = {},
                      .registers = line->json.value("registers", 0),
                      .ffma_reuse = line->json.value("ffma_reuse", 0.0),
                      .bank_conflicts = line->json.value("ffma_bank_conflicts", 0.0),
                      .stalls = line->json.value("stalls_per_ffma", 0.0)};
    const Json loop = line->json.value("main_loop", Json(nullptr));
    if (!loop.is_object()) return compiled;
    const Instructions instructions = instructions_of(loop);
    if (instructions.ffma + instructions.mma > 0) compiled.main_loop = instructions;
    return compiled;
}

std::vector<Resources> resources_of(std::string_view resources, std::string_view rung) {
    std::vector<Resources> found;
    for (const auto& [variant, architecture, json] : lines_of(resources, rung))
        found.push_back({.variant = variant,
                         .architecture = architecture,
                         .registers = json.value("registers", 0),
                         .shared_bytes = json.value("shared_bytes", 0),
                         .spill_bytes = json.value("spill_bytes", 0),
                         .stack_bytes = json.value("stack_bytes", 0)});
    return found;
}

std::optional<Resources> resources_for(std::span<const Resources> all, std::string_view variant,
                                       const std::string& architecture) {
    return nearest<Resources>(all, variant, architecture);
}

}  // namespace tilewright::lab
