// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is to be computed: C = alpha * A * B + beta * C. Knows no device and no kernel.
#pragma once

#include <cstdint>

#include "core/arithmetic.h"

namespace tilewright {

/// One matrix product, row-major: element (i, j) of a matrix X lies at X[i * ldx + j].
///
/// A is m x k with lda >= max(1, k), B is k x n with ldb >= max(1, n), C is m x n with
/// ldc >= max(1, n); sizes and leading dimensions count elements. Pointers need 4-byte alignment.
/// A and B are not read when k or alpha is 0, C is not read when beta is 0 (also -0).
///
/// The members behind ldc are the engine's: a rung computes problems that leave them as they are.
struct Problem {
    int64_t m = 0, n = 0, k = 0;
    float alpha = 1.0f;
    const float* A = nullptr;
    int64_t lda = 1;
    const float* B = nullptr;
    int64_t ldb = 1;
    float beta = 0.0f;
    float* C = nullptr;
    int64_t ldc = 1;

    /// A lies as its transpose: k x m with lda >= max(1, m). Likewise B: n x k with ldb >= max(1, k).
    bool transpose_a = false, transpose_b = false;
    /// So many products; the next one's matrices begin a stride behind this one's, in elements.
    int64_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;
    /// What a Preparation (core/kernel.h) made of all of A or B, whose kernels then read it. The others
    /// read A and B.
    const void *prepared_a = nullptr, *prepared_b = nullptr;
    /// Read on the device when the work runs, in place of alpha and beta; both or neither.
    const float *device_alpha = nullptr, *device_beta = nullptr;
    /// The compute mode: what a kernel may do instead of FP32. Its choice depends on it, nothing else.
    Arithmetic arithmetic = Arithmetic::fp32;
};

/// What any GEMM kernel can take, and a rung nothing else.
constexpr bool is_plain(const Problem& p) {
    return !p.transpose_a && !p.transpose_b && p.batch == 1 && p.device_alpha == nullptr;
}

/// Elements between the first and the last of a rows x cols matrix, both included: what a buffer
/// must hold.
constexpr int64_t span_of(int64_t rows, int64_t cols, int64_t ld) {
    return rows > 0 && cols > 0 ? (rows - 1) * ld + cols : 0;
}

}  // namespace tilewright
