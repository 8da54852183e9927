// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Kernels that use the device words no rung uses yet: each adds one to what it is given.
#pragma once

#include <span>

#include "core/kernel.h"

namespace tilewright {

inline constexpr int kWordsElements = 8192, kWordsFlags = 64;

struct WordsKernel {
    const char* name;
    int architecture;  ///< The least that has the words: 80, 90.
    /// `flags` are 0 before; C is overwritten with A + 1.
    Status (*run)(const float* A, float* C, unsigned* flags, const Execution&);
};

inline namespace cpu_counted {
std::span<const WordsKernel> words_kernels();
}
inline namespace gpu {
std::span<const WordsKernel> words_kernels();
}

}  // namespace tilewright
