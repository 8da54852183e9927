// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A call of the C interface, before anything is made of it.
#pragma once

#include "core/problem.h"
#include "core/status.h"
#include "engine/prepared.h"

namespace tilewright::engine {

struct Call {
    int layout, transpose_a, transpose_b;  ///< The C interface's values.
    int64_t m, n, k;
    const float *alpha, *A;
    int64_t lda, stride_a;
    const float* B;
    int64_t ldb, stride_b;
    const float* beta;
    float* C;
    int64_t ldc, stride_c, batch;
    // Of the handle.
    bool scalars_on_device;
    Arithmetic arithmetic;
    const PreparedOperand *prepared_a, *prepared_b;  ///< Or null.
};

/// For what depends on sizes alone: operands that are there, close together with all rows on 16 bytes,
/// and never read.
Call call_of_sizes(int layout, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k,
                   int64_t batch, Arithmetic mode);

/// The first bad argument in the order of the C interface, with its value.
Status check(const Call& call);

/// A good call as row-major products, without alpha and beta's values where they are the device's:
/// C of columns is the transpose of C of rows, and (A B)^T = B^T A^T.
Problem problem_of(const Call& call);

}  // namespace tilewright::engine
