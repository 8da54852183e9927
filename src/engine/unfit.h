// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is left of a block tile in pieces: its elements in rows of A and columns of B that pieces do not
// suit, in FP32. Most tiles have none.
#pragma once

#include "engine/pieces.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// Where a block tile lies.
struct Place {
    unsigned batch;
    int64_t row, col;
};

/// Called by 256 threads, which meet by `meet`. `order` has the tile's rows, those that are
/// unfit before the others, and from BM on its columns likewise. `scratch`: 9 KiB.
template <int BM, class Meet>
__device__ __forceinline__ void multiply_unfit(const Gemm& p, const Place& place,
                                               SharedPtr<int> order, int rows, int unfit_rows,
                                               int cols, int unfit_cols, SharedPtr<float> scratch,
                                               const Meet& meet) {
    constexpr int TILE = 64, DEPTH = 16, PITCH = TILE + 1;
    constexpr int SIDE = TILE / 4;  // threads beside each other
    const SharedPtr<float> As = scratch, Bs = scratch + DEPTH * PITCH;
    const Scalars scalars = scalars_of(p);
    const int row = threadIdx.x / SIDE, col = threadIdx.x % SIDE;
    meet();
    // Unfit rows with all columns, then the other rows with the unfit columns.
    for (int part = 0; part < 2; ++part) {
        const int row_begin = part == 0 ? 0 : unfit_rows, row_end = part == 0 ? unfit_rows : rows;
        const int col_end = part == 0 ? cols : unfit_cols;
        for (int first_row = row_begin; first_row < row_end; first_row += TILE)
            for (int first_col = 0; first_col < col_end; first_col += TILE) {
                const int height = inside(row_end, first_row, TILE);
                const int width = inside(col_end, first_col, TILE);
                const SharedPtr<int> row_at = order + first_row, col_at = order + BM + first_col;
                float acc[4][4] = {};
                // The next words come while these are multiplied: no other warps hide their latency.
                float next_a[4], next_b[4];
                const auto load = [&](int64_t k) {
                    const auto four = [&](float(&to)[4], const Operand& X, int64_t x,
                                          SharedPtr<int> at, int count) {
                        UNROLL
                        for (int i = 0; i < 4; ++i) {
                            const int word = threadIdx.x + i * 256;
                            const int in_k = X.along_k ? word % DEPTH : word / TILE;
                            const int in_x = X.along_k ? word / DEPTH : word % TILE;
                            to[i] = in_x < count && k + in_k < p.k
                                        ? X.at(place.batch, x + at[in_x], k + in_k)[0]
                                        : 0.0f;
                        }
                    };
                    four(next_a, p.A, place.row, row_at, height);
                    four(next_b, p.B, place.col, col_at, width);
                };
                const auto place_of_word = [&](const Operand& X, int i) {
                    const int word = threadIdx.x + i * 256;
                    return X.along_k ? word % DEPTH * PITCH + word / DEPTH
                                     : word / TILE * PITCH + word % TILE;
                };
                load(0);
                for (int64_t k = 0; k < p.k; k += DEPTH) {
                    UNROLL
                    for (int i = 0; i < 4; ++i) {
                        As[place_of_word(p.A, i)] = next_a[i];
                        Bs[place_of_word(p.B, i)] = next_b[i];
                    }
                    meet();
                    if (k + DEPTH < p.k) load(k + DEPTH);
                    UNROLL_BY(4)
                    for (int kk = 0; kk < DEPTH; ++kk)
                        for (int m = 0; m < 4; ++m)
                            for (int n = 0; n < 4; ++n)
                                acc[m][n] = fma_(As[kk * PITCH + row + m * SIDE],
                                                 Bs[kk * PITCH + col + n * SIDE], acc[m][n]);
                    meet();
                }
                for (int m = 0; m < 4; ++m)
                    for (int n = 0; n < 4; ++n) {
                        const int r = row + m * SIDE, c = col + n * SIDE;
                        if (r >= height || c >= width) continue;
                        store4(scalars,
                               p.C + place.batch * p.stride_c + (place.row + row_at[r]) * p.ldc +
                                   place.col + col_at[c],
                               1, false, float4{acc[m][n], 0, 0, 0});
                    }
            }
    }
}

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
