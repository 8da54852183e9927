// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What products are made of: what a kernel does, and what a caller allows, which is a compute mode.
#pragma once

namespace tilewright {

/// In the order of the C interface's compute modes; behind them what the ladder alone has.
enum class Arithmetic {
    fp32,  ///< FFMA: each product and sum rounded to FP32.
    fp16x3,  ///< Tensor cores: factors in two pieces of FP16, FP32's accuracy in three products.
    bf16x6,  ///< Tensor cores: factors in three pieces of BF16, FP32's accuracy in six products.
    bf16x9,  ///< The same with all nine products of pieces.
    tf32,  ///< Tensor cores: factors rounded to 11 bits.
    tf32x3,  ///< Tensor cores: factors in two pieces of TF32, three products of these.
};

/// The compute modes.
inline constexpr Arithmetic kArithmetics[] = {
    Arithmetic::fp32, Arithmetic::fp16x3, Arithmetic::bf16x6, Arithmetic::bf16x9, Arithmetic::tf32};

constexpr const char* name_of(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            return "fp32";
        case Arithmetic::fp16x3:
            return "fp16x3";
        case Arithmetic::bf16x6:
            return "bf16x6";
        case Arithmetic::bf16x9:
            return "bf16x9";
        case Arithmetic::tf32:
            return "tf32";
        case Arithmetic::tf32x3:
            return "tf32x3";
    }
    return "";
}

/// What one product of the result takes.
constexpr int products_of(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::fp32:
        case Arithmetic::tf32:
            return 1;
        case Arithmetic::fp16x3:
        case Arithmetic::tf32x3:
            return 3;
        case Arithmetic::bf16x6:
            return 6;
        case Arithmetic::bf16x9:
            return 9;
    }
    return 1;
}

/// Whether a kernel keeps what a mode promises: accuracy, and no unit of the GPU, so that FP32 serves
/// where it is faster. How the others' errors compare depends on the data: none stands for another.
constexpr bool serves(Arithmetic kernels, Arithmetic mode) {
    return kernels == Arithmetic::fp32 || kernels == mode;
}

}  // namespace tilewright
