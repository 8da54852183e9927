// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/resources.h"

#include <nlohmann/json.hpp>
#include <tuple>

#include "lab/lesson.h"

namespace tilewright::lab {

namespace {

/// "90a" is 90.
int number_of(const std::string& architecture) {
    return std::atoi(architecture.c_str());
}

}  // namespace

std::vector<Resources> resources_of(const KernelDefinition& rung) {
    using Json = nlohmann::json;
    std::vector<Resources> found;
    const Json all = Json::parse(embedded_resources(), nullptr, false);
    if (!all.is_object()) return found;
    for (const Json& kernel : all.value("kernels", Json::array()))
        if (kernel.value("rung", "") == rung.id)
            found.push_back({.variant = kernel.value("variant", ""),
                             .architecture = kernel.value("architecture", ""),
                             .registers = kernel.value("registers", 0),
                             .shared_bytes = kernel.value("shared_bytes", 0),
                             .spill_bytes = kernel.value("spill_bytes", 0),
                             .stack_bytes = kernel.value("stack_bytes", 0)});
    return found;
}

std::optional<Resources> resources_for(std::span<const Resources> all, std::string_view variant,
                                       const std::string& architecture) {
    const int wanted = number_of(architecture);
    const auto distance = [&](const Resources& each) {
        const int number = number_of(each.architecture);
        return std::tuple(number > wanted, std::abs(number - wanted));
    };
    std::optional<Resources> best;
    for (const Resources& each : all)
        if (each.variant == variant && (!best || distance(each) < distance(*best))) best = each;
    return best;
}

}  // namespace tilewright::lab
