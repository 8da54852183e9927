// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Compiles a rung for a configuration while the program runs, by NVRTC where that is found; never
// linked. Needs no GPU.
#pragma once

#include <string>

#include "core/kernel.h"

namespace tilewright::lab {

/// A kernel's code for one architecture.
struct Cubin {
    std::string image;  ///< "" where there is none, with the reason.
    std::string symbol;
    std::string reason;
    double compile_ms = 0;  ///< 0: it was in the cache.
    std::string path;  ///< In the cache; "" where there is none.
};

/// Why nothing can be compiled; "" where it can. TILEWRIGHT_NVRTC names a library to be taken first.
std::string nvrtc_missing();

/// `architecture`: "90a". From the user's cache folder where it was compiled before.
Cubin compile_kernel(const KernelDefinition& rung, const TileConfig& config,
                     const std::string& architecture);

/// Whether what is compiled can be kept.
bool has_cache();

}  // namespace tilewright::lab
