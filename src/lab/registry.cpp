// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/kernels.h"
#include "lab/cublas.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

std::vector<const KernelDefinition*> registry() {
    std::vector<const KernelDefinition*> all;
#if TILEWRIGHT_WITH_CUDA
    all.push_back(&cublas_definition());
#endif
    for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_counted))
        all.push_back(rung);
    return all;
}

std::span<const KernelDefinition* const> engine_registry() {
    return engine::kernels(Target::cpu_counted);
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::rung:
            return "rung";
        case Kind::detour:
            return "detour";
        case Kind::refactor:
            return "refactor";
        case Kind::baseline:
            return "baseline";
        case Kind::engine:
            return "engine";
    }
    return "";
}

std::string title_of(const KernelDefinition& rung) {
    const std::string_view number = ladder::number_of(rung);
    return fmt::format("{}{}{}", number, number.empty() ? "" : " ", ladder::name_of(rung));
}

nlohmann::ordered_json json_of(const Variant& variant) {
    nlohmann::ordered_json json{{"name", variant.name}};
    for_each_member(variant.config, [&](std::string name, int value) {
        std::replace(name.begin(), name.end(), '.', '_');
        json[name] = value;
    });
    return json;
}

}  // namespace tilewright::lab
