// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is left of a product in pieces: elements of rows of A and columns of B that pieces do not suit,
// in FP32. Most products have none, and then each block looks at one word and ends.
#pragma once

#include "engine/divisor.h"
#include "engine/pieces.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// Blocks stay, and take tiles of kTile x kTile in turn; a thread has 4 x 4 elements, SIDE apart.
template <int kTile, int kDepth>
__global__ void __launch_bounds__(256)
    multiply_unfit(Gemm p, Pieces a, Pieces b, unsigned rows_a, unsigned rows_b,
                   GlobalPtr<const unsigned> any, Divisor tiles_m, Divisor tiles_n,
                   unsigned tiles) {
    constexpr int SIDE = kTile / 4, PITCH = kTile + 1;  // threads beside each other
    static_assert(SIDE * SIDE == 256, "a block has 256 threads");
    SHARED(float, As, kDepth, PITCH);
    SHARED(float, Bs, kDepth, PITCH);
    SHARED(unsigned, unfit, 2, kTile);
    SHARED(unsigned, found, 1);
    wait_for_stream();
    if (any[0] == 0) return;
    const Scalars scalars = scalars_of(p);
    const int row = threadIdx.x / SIDE, col = threadIdx.x % SIDE;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned rest = tile;
        const int64_t tile_row = int64_t{tiles_m.take(rest)} * kTile;
        const int64_t tile_col = int64_t{tiles_n.take(rest)} * kTile;
        const unsigned batch = rest;
        const int rows = inside(p.m, tile_row, kTile), cols = inside(p.n, tile_col, kTile);
        // --- which rows and columns; tiles without any are the most
        if (threadIdx.x == 0) found[0] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < 2 * kTile; i += 256) {
            const int64_t x = i % kTile;
            const bool of_a = i < kTile, exists = x < (of_a ? rows : cols);
            const int64_t line = of_a ? int64_t{batch} * rows_a + tile_row + x
                                      : int64_t{batch} * rows_b + row_of_pieces(tile_col + x, true);
            const bool is = exists && (of_a ? is_unfit(a, line) : is_unfit(b, line));
            unfit[i] = is;
            if (is) atomic_add(found, 1u);
        }
        __syncthreads();
        const bool none = found[0] == 0;
        __syncthreads();
        if (none) continue;
        float acc[4][4] = {};
        const int64_t end = scalars.alpha == 0.0f ? 0 : p.k;
        for (int64_t k = 0; k < end; k += kDepth) {
            const int depth = inside(end, k, kDepth);
            // --- copy tile: along k where memory runs along it
            const auto copy = [&](const Operand& X, int64_t x, int width, SharedPtr<float> to) {
                for (int i = threadIdx.x; i < kTile * kDepth; i += 256) {
                    const int in_k = X.along_k ? i % kDepth : i / kTile;
                    const int in_x = X.along_k ? i / kDepth : i % kTile;
                    to[in_k * PITCH + in_x] =
                        in_k < depth && in_x < width ? X.at(batch, x + in_x, k + in_k)[0] : 0.0f;
                }
            };
            copy(p.A, tile_row, rows, As);
            copy(p.B, tile_col, cols, Bs);
            __syncthreads();
            UNROLL_BY(4)
            for (int kk = 0; kk < depth; ++kk)
                for (int i = 0; i < 4; ++i)
                    for (int j = 0; j < 4; ++j)
                        acc[i][j] = fma_(As[kk * PITCH + row + i * SIDE],
                                         Bs[kk * PITCH + col + j * SIDE], acc[i][j]);
            __syncthreads();
        }
        // --- store what the tensor cores have left
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                const int r = row + i * SIDE, c = col + j * SIDE;
                if (r >= rows || c >= cols || !(unfit[r] | unfit[kTile + c])) continue;
                store4(scalars, p.C + batch * p.stride_c + (tile_row + r) * p.ldc + tile_col + c, 1,
                       false, float4{acc[i][j], 0, 0, 0});
            }
        __syncthreads();
    }
}

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
