// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels.h"

namespace tilewright::engine {

// Each is definitions.cpp, built for that target.
inline namespace gpu {
std::span<const KernelDefinition* const> definitions();
}
namespace cpu_counted {
std::span<const KernelDefinition* const> definitions();
}
namespace cpu_fast {
std::span<const KernelDefinition* const> definitions();
}

std::span<const KernelDefinition* const> kernels(Target target) {
    switch (target) {
        case Target::cpu_counted:
#if TILEWRIGHT_WITH_CPU_COUNTED
            return cpu_counted::definitions();
#else
            return {};
#endif
        case Target::cpu_fast:
            return cpu_fast::definitions();
        case Target::gpu:
            break;
    }
#if TILEWRIGHT_WITH_CUDA
    return gpu::definitions();
#else
    return {};
#endif
}

}  // namespace tilewright::engine
