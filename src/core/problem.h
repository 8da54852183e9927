// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is to be computed: C = alpha * A * B + beta * C. Knows no device and no kernel.
#pragma once

#include <cstdint>

namespace tilewright {

/// One matrix product, row-major: element (i, j) of a matrix X lies at X[i * ldx + j].
///
/// A is m x k with lda >= max(1, k), B is k x n with ldb >= max(1, n), C is m x n with
/// ldc >= max(1, n); sizes and leading dimensions count elements. Pointers need 4-byte alignment.
/// A and B are not read when k or alpha is 0, C is not read when beta is 0 (also -0).
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
};

/// Elements between the first and the last of a rows x cols matrix, both included: what a buffer
/// must hold.
constexpr int64_t span_of(int64_t rows, int64_t cols, int64_t ld) {
    return rows > 0 && cols > 0 ? (rows - 1) * ld + cols : 0;
}

}  // namespace tilewright
