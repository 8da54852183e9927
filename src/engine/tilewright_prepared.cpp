// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The C interface's functions for operands that are prepared for products to come.
#include "engine/handle.h"

using tilewright::Status;
using tilewright::StatusCode;
using tilewright::engine::call;
using tilewright::engine::Call;
using tilewright::engine::call_of_sizes;
using tilewright::engine::Context;
using tilewright::engine::integer;
using tilewright::engine::null_argument;
using tilewright::engine::PreparedOperand;
using tilewright::engine::product;

struct tilewright_operand {
    PreparedOperand prepared;
};

tilewright_status_t tilewright_prepare(tilewright_handle_t handle, tilewright_layout_t layout,
                                       tilewright_side_t side, tilewright_operation_t op,
                                       int64_t rows, int64_t cols, const float* X, int64_t ldx,
                                       tilewright_operand_t* operand) {
    if (operand) *operand = nullptr;
    return call(handle, [&](Context& context) -> Status {
        if (integer(side) != TILEWRIGHT_LEFT && integer(side) != TILEWRIGHT_RIGHT)
            return {StatusCode::invalid_value, "side = " + std::to_string(integer(side)) +
                                                   ": 141 (left) and 142 (right) are sides"};
        if (!operand) return null_argument("operand");
        // As A or B of a product with one row or column.
        const bool left = integer(side) == TILEWRIGHT_LEFT;
        const int n = TILEWRIGHT_OP_N;
        Call c = call_of_sizes(integer(layout), left ? integer(op) : n, left ? n : integer(op),
                               left ? rows : 1, left ? 1 : cols, left ? cols : rows, 1,
                               context.arithmetic);
        (left ? c.A : c.B) = X;
        (left ? c.lda : c.ldb) = ldx;
        (left ? c.stride_a : c.stride_b) = 0;
        if (Status status = check(c); !status.ok()) return status;
        auto made = std::make_unique<tilewright_operand>();
        const bool is_b = left == (c.layout == TILEWRIGHT_COL_MAJOR);
        Status status = context.prepare(made->prepared, problem_of(c), is_b);
        if (status.ok()) *operand = made.release();
        return status;
    });
}

tilewright_status_t tilewright_sgemm_prepared(
    tilewright_handle_t handle, tilewright_layout_t layout, tilewright_operation_t ta,
    tilewright_operation_t tb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, tilewright_operand_t prepared_a, const float* B, int64_t ldb,
    tilewright_operand_t prepared_b, const float* beta, float* C, int64_t ldc) {
    return product(handle, layout, ta, tb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1,
                   prepared_a ? &prepared_a->prepared : nullptr,
                   prepared_b ? &prepared_b->prepared : nullptr);
}

tilewright_status_t tilewright_release(tilewright_handle_t handle, tilewright_operand_t operand) {
    return call(handle, [&](Context& context) -> Status {
        if (!operand) return {};
        Status status = context.release(operand->prepared);
        if (status.ok()) delete operand;
        return status;
    });
}
