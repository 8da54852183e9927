// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Collects the rungs of one target; built once for each.
#include "core/kernel.h"

#define RUNG(name)                                                 \
    namespace tilewright::ladder::inline TILEWRIGHT_TARGET::name { \
    extern const KernelDefinition definition;                      \
    }
#include "ladder/ladder.def"
#undef RUNG

namespace tilewright::ladder::inline TILEWRIGHT_TARGET {

std::span<const KernelDefinition* const> definitions() {
#define RUNG(name) &name::definition,
    static const KernelDefinition* const all[] = {
#include "ladder/ladder.def"
    };
#undef RUNG
    return all;
}

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET
