// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Collects the engine's kernels of one target; built once for each.
#include <span>

#include "core/kernel.h"

#define ENGINE_KERNEL(name)                                        \
    namespace tilewright::engine::inline TILEWRIGHT_TARGET::name { \
    extern const KernelDefinition definition;                      \
    }
#include "engine/engine.def"
#undef ENGINE_KERNEL

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

std::span<const KernelDefinition* const> definitions() {
#define ENGINE_KERNEL(name) &name::definition,
    static const KernelDefinition* const all[] = {
#include "engine/engine.def"
    };
#undef ENGINE_KERNEL
    return all;
}

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
