// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/compiled.h"

#include <nlohmann/json.hpp>
#include <string>

namespace tilewright::lab {

namespace {

using Json = nlohmann::json;

/// The line of one kernel; null where there is none.
Json kernel_in(std::string_view text, std::string_view rung, std::string_view variant,
               std::string_view architecture) {
    const Json all = Json::parse(text, nullptr, false);
    if (all.is_object() && all.contains("kernels"))
        for (const Json& kernel : all["kernels"])
            if (kernel.value("rung", "") == rung && kernel.value("variant", "") == variant &&
                kernel.value("architecture", "") == architecture)
                return kernel;
    return nullptr;
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
                                    std::string_view variant, std::string_view architecture) {
    const Json kernel = kernel_in(sass, rung, variant, architecture);
    if (!kernel.is_object() || !kernel.contains("total")) return {};
    Compiled compiled{.total = instructions_of(kernel["total"]),
                      .main_loop = {},
                      .registers = kernel.value("registers", 0),
                      .ffma_reuse = kernel.value("ffma_reuse", 0.0)};
    const Json loop = kernel.value("main_loop", Json(nullptr));
    if (loop.is_object() && loop.value("FFMA", 0) > 0) compiled.main_loop = instructions_of(loop);
    return compiled;
}

std::optional<Resources> resources_of(std::string_view resources, std::string_view rung,
                                      std::string_view variant, std::string_view architecture) {
    const Json kernel = kernel_in(resources, rung, variant, architecture);
    if (!kernel.is_object()) return {};
    return Resources{kernel.value("registers", 0), kernel.value("shared_bytes", 0)};
}

}  // namespace tilewright::lab
