// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/registry.h"

#include <fmt/format.h>

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
    }
    return "";
}

std::string title_of(const KernelDefinition& rung) {
    return fmt::format("{} {}", ladder::number_of(rung), ladder::name_of(rung));
}

}  // namespace tilewright::lab
