// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The argument every GEMM kernel takes, and how a launcher passes it.
#pragma once

namespace tilewright::inline TILEWRIGHT_TARGET {

/// A Problem as a kernel sees it; see core/problem.h for shapes and layout. k is 0 when A and B
/// must not be read, so that C := beta * C needs no case of its own.
struct Gemm {
    int64_t m, n, k;
    float alpha;
    GlobalPtr<const float> A;
    int64_t lda;
    GlobalPtr<const float> B;
    int64_t ldb;
    float beta;
    GlobalPtr<float> C;
    int64_t ldc;
};

#if !defined(__CUDACC_RTC__)
/// Runs a kernel with one block for each block tile of C; an empty C needs none.
inline Status launch(void (*kernel)(Gemm), const TileConfig& tile, Grid block,
                     const Problem& problem, const Execution& execution) {
    if (problem.m == 0 || problem.n == 0) return {};
    const int64_t tiles_m = ceil_div(problem.m, tile.block.m);
    const int64_t tiles_n = ceil_div(problem.n, tile.block.n);
    // Blocks are numbered in one dimension: the other two stop at 65535, which a tall matrix
    // exceeds.
    if (tiles_m > 0x7fffffff / tiles_n)
        return {StatusCode::not_supported, "C has " + std::to_string(tiles_m) + " x " +
                                               std::to_string(tiles_n) +
                                               " block tiles; a grid holds 2147483647"};
    const bool product = problem.k > 0 && problem.alpha != 0.0f;
    const int64_t k = product ? problem.k : 0;
    // Kernels count k-tiles in 32 bits.
    if (tile.block.k > 0 && ceil_div(k, tile.block.k) > 0x7fffffff)
        return {StatusCode::not_supported,
                "K has more than 2147483647 k-tiles of " + std::to_string(tile.block.k)};
    const Bounds a(problem.A, problem.m, k, problem.lda, "A");
    const Bounds b(problem.B, k, problem.n, problem.ldb, "B");
    const Bounds c(problem.C, problem.m, problem.n, problem.ldc, "C");
    const Gemm p{
        .m = problem.m,
        .n = problem.n,
        .k = k,
        .alpha = product ? problem.alpha : 0.0f,
        .A = global_ptr(problem.A, a),
        .lda = problem.lda,
        .B = global_ptr(problem.B, b),
        .ldb = problem.ldb,
        .beta = problem.beta,
        .C = global_ptr(problem.C, c),
        .ldc = problem.ldc,
    };
    return launch_tiles(kernel, tiles_m, tiles_n, block, execution, &c, p);
}
#endif

}  // namespace tilewright::inline TILEWRIGHT_TARGET
