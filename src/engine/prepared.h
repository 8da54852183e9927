// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// An operand that a handle has prepared for products to come.
#pragma once

#include "core/problem.h"
#include "core/status.h"

namespace tilewright::engine {

/// As a row-major product has it: of columns, the caller's A is B here.
struct PreparedOperand {
    Arithmetic arithmetic;
    bool is_b, transposed;
    const float* data;
    int64_t size, k, ld;  ///< Rows of A or columns of B; elements along k.
    void* memory;  ///< What Preparation::run() made.
};

PreparedOperand described(const Problem& problem, bool is_b);

/// What a call gives for it must be what it was made of. `name` is the caller's.
Status check(const PreparedOperand& operand, const char* name, const Problem& problem, bool is_b);

}  // namespace tilewright::engine
