// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/call.h"

#include <algorithm>
#include <utility>

#include "tilewright/tilewright.h"

namespace tilewright::engine {

namespace {

Status invalid(std::string reason) {
    return {StatusCode::invalid_value, std::move(reason)};
}

Status check_operation(const char* name, int value) {
    if (value >= TILEWRIGHT_OP_N && value <= TILEWRIGHT_OP_C) return {};
    return invalid(std::string(name) + " = " + std::to_string(value) +
                   ": 0 (N), 1 (T) and 2 (C) are operations");
}

Status check_size(const char* name, int64_t value) {
    if (value >= 0) return {};
    return invalid(std::string(name) + " = " + std::to_string(value) + " is negative");
}

Status check_scalar(const char* name, const float* value) {
    if (value) return {};
    return invalid(std::string(name) + " is a null pointer");
}

/// A matrix as it is stored: `lines` rows of a row-major matrix, or columns.
struct Lines {
    const char *name, *ld_name, *stride_name;
    const float* data;
    int64_t lines, length, ld, stride;
    bool used;  ///< It must be there,
    bool may_be_used;  ///< or, if it is there, be good.
};

Status check_matrix(const Lines& x, int64_t batch, const char* line) {
    const std::string name = x.name;
    if (x.used && x.data == nullptr) return invalid(name + " is a null pointer");
    if (x.may_be_used && reinterpret_cast<uintptr_t>(x.data) % alignof(float) != 0)
        return invalid(name + " is not on 4 bytes, as a float must be");
    if (x.ld < std::max<int64_t>(1, x.length))
        return invalid(std::string(x.ld_name) + " = " + std::to_string(x.ld) +
                       " is less than max(1, " + std::to_string(x.length) + "), the length of a " +
                       line + " of " + name + " as it is stored");
    // All addresses in bytes must fit 64 bits.
    const auto magnitude = [](int64_t v) {
        return v < 0 ? -static_cast<__int128>(v) : __int128{v};
    };
    const __int128 last = magnitude(x.lines) * x.ld + magnitude(batch) * magnitude(x.stride);
    if (x.may_be_used && last > INT64_MAX / 8)
        return invalid(name + " would span more bytes than an address counts: " + x.ld_name +
                       " = " + std::to_string(x.ld) + ", " + x.stride_name + " = " +
                       std::to_string(x.stride));
    return {};
}

}  // namespace

Call call_of_sizes(int layout, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k,
                   int64_t batch, Arithmetic mode) {
    static const float one = 1.0f;
    alignas(16) static float place[4];
    Call c{.layout = layout,
           .transpose_a = transpose_a,
           .transpose_b = transpose_b,
           .m = m,
           .n = n,
           .k = k,
           .alpha = &one,
           .A = place,
           .B = place,
           .beta = &one,
           .C = place,
           .batch = batch,
           .arithmetic = mode};
    const auto set = [](bool along_columns, int64_t rows, int64_t cols, int64_t& ld,
                        int64_t& stride) {
        const int64_t length = std::max<int64_t>(4, along_columns ? cols : rows);
        ld = length > INT64_MAX - 3 ? length : (length + 3) / 4 * 4;
        // As long as fits: what is longer still is refused for its span.
        if (__builtin_mul_overflow(along_columns ? rows : cols, ld, &stride)) stride = INT64_MAX;
    };
    const bool rows = layout == TILEWRIGHT_ROW_MAJOR;
    set(rows == (transpose_a == TILEWRIGHT_OP_N), m, k, c.lda, c.stride_a);
    set(rows == (transpose_b == TILEWRIGHT_OP_N), k, n, c.ldb, c.stride_b);
    set(rows, m, n, c.ldc, c.stride_c);
    c.stride_c = std::max<int64_t>(4, c.stride_c);
    return c;
}

Status check(const Call& c) {
    if (c.layout != TILEWRIGHT_ROW_MAJOR && c.layout != TILEWRIGHT_COL_MAJOR)
        return invalid("layout = " + std::to_string(c.layout) +
                       ": 101 (row-major) and 102 (column-major) are layouts");
    for (const auto& [name, value] : {std::pair("ta", c.transpose_a), {"tb", c.transpose_b}})
        if (Status status = check_operation(name, value); !status.ok()) return status;
    for (const auto& [name, value] : {std::pair("m", c.m), {"n", c.n}, {"k", c.k}})
        if (Status status = check_size(name, value); !status.ok()) return status;
    if (Status status = check_scalar("alpha", c.alpha); !status.ok()) return status;

    const bool rows = c.layout == TILEWRIGHT_ROW_MAJOR;
    const char* line = rows ? "row" : "column";
    const bool writes = c.m > 0 && c.n > 0 && c.batch > 0;
    // What alpha is on the device only the device knows: it may be 0, and the matrices null.
    const bool may_read = writes && c.k > 0 && (c.scalars_on_device || *c.alpha != 0.0f);
    const bool reads = may_read && !c.scalars_on_device;
    const bool a_lines_m = rows == (c.transpose_a == TILEWRIGHT_OP_N);
    const bool b_lines_k = rows == (c.transpose_b == TILEWRIGHT_OP_N);
    const Lines a{
        "A",   "lda",      "stride_a", c.A,     a_lines_m ? c.m : c.k, a_lines_m ? c.k : c.m,
        c.lda, c.stride_a, reads,      may_read};
    const Lines b{
        "B",   "ldb",      "stride_b", c.B,     b_lines_k ? c.k : c.n, b_lines_k ? c.n : c.k,
        c.ldb, c.stride_b, reads,      may_read};
    const Lines out{"C",   "ldc",      "stride_c", c.C,   rows ? c.m : c.n, rows ? c.n : c.m,
                    c.ldc, c.stride_c, writes,     writes};
    if (Status status = check_matrix(a, c.batch, line); !status.ok()) return status;
    if (Status status = check_matrix(b, c.batch, line); !status.ok()) return status;
    if (Status status = check_scalar("beta", c.beta); !status.ok()) return status;
    if (Status status = check_matrix(out, c.batch, line); !status.ok()) return status;
    if (c.stride_c == 0 && c.batch > 1)
        return invalid("stride_c = 0 with batch_count = " + std::to_string(c.batch) +
                       ": all products would be written to one place");
    return check_size("batch_count", c.batch);
}

Problem problem_of(const Call& c) {
    Problem p{.m = c.m,
              .n = c.n,
              .k = c.k,
              .alpha = c.scalars_on_device ? 1.0f : *c.alpha,
              .A = c.A,
              .lda = c.lda,
              .B = c.B,
              .ldb = c.ldb,
              .beta = c.scalars_on_device ? 1.0f : *c.beta,
              .C = c.C,
              .ldc = c.ldc,
              .transpose_a = c.transpose_a != TILEWRIGHT_OP_N,
              .transpose_b = c.transpose_b != TILEWRIGHT_OP_N,
              .batch = c.batch,
              .stride_a = c.stride_a,
              .stride_b = c.stride_b,
              .stride_c = c.stride_c,
              .prepared_a = c.prepared_a ? c.prepared_a->memory : nullptr,
              .prepared_b = c.prepared_b ? c.prepared_b->memory : nullptr,
              .device_alpha = c.scalars_on_device ? c.alpha : nullptr,
              .device_beta = c.scalars_on_device ? c.beta : nullptr,
              .arithmetic = c.arithmetic};
    if (c.layout == TILEWRIGHT_COL_MAJOR) {
        std::swap(p.m, p.n);
        std::swap(p.A, p.B);
        std::swap(p.lda, p.ldb);
        std::swap(p.transpose_a, p.transpose_b);
        std::swap(p.stride_a, p.stride_b);
        std::swap(p.prepared_a, p.prepared_b);
    }
    return p;
}

}  // namespace tilewright::engine
