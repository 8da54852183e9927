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

/// What is known of a row of A or a column of B: of its lines together.
struct Sizes {
    float scale = 0.0f;  ///< The largest, or NaN.
    float sum = 0.0f;
    float whole = 0.0f;  ///< Elements that have all their bits beside the largest scale, or nearly.

    __device__ void add(const Sizes& line) {
        constexpr unsigned NEAR = 4 << 23;  // of two scales: a factor of 16
        // As integers, which puts NaN on top.
        const unsigned own = bits_of(scale), other = bits_of(line.scale);
        const unsigned most = larger(own, other);
        whole = (own + NEAR >= most ? whole : 0.0f) + (other + NEAR >= most ? line.whole : 0.0f);
        scale = float_of(most);
        sum += line.sum;
    }
};

/// Which rows and columns of a block tile are unfit, in shared memory.
///
/// Elements that are short of bits have errors that are small beside their line's largest. Beside a sum they
/// are if elements that have all their bits meet in it. By chance w of a row meet none of a column's, which
/// are the share q of it, with a probability of (1 - q)^w = exp(-w (q + q^2 / 2 + ...)). So a row is unfit
/// where w times the first four terms is less than Format::kMeets, with the mean q of the tile's columns; and
/// then few products decide, too. Likewise a column (docs/accuracy.md).
struct Unfit {
    static constexpr int kCounts = 6;
    static constexpr int kAll = 1 << 20;  // a share of 1

    SharedPtr<int> is;  ///< Of its rows, and from BM on of its columns.
    SharedPtr<int> order;  ///< Likewise: those that are unfit before the others.
    /// Of unfit rows, of unfit columns, and of the others; sums of shares of rows, and of columns. Zeros
    /// before.
    SharedPtr<int> counts;

    __device__ bool any() const { return counts[0] + counts[1] > 0; }

    /// Row x of the tile, or column x, of k elements.
    template <class Format, int BM>
    __device__ void tell(int of_b, int x, const Sizes& s, float k) const {
        const bool is_alone = s.scale != s.scale || is_dominated<Format>(s.sum, s.scale);
        // Zeros alone are exact, and what goes to FP32 says nothing of others.
        const bool counts_whole = Format::kMeets > 0.0f && s.sum > 0.0f && !is_alone;
        const int share = counts_whole ? static_cast<int>(s.whole / k * kAll) : kAll;
        is[(of_b ? BM : 0) + x] = is_alone ? -1 : share;
        atomic_add(counts + 4 + of_b, share);
    }
    /// When all have been told: row x of so many, or column x, where there are so many of the others.
    template <class Format, int BM>
    __device__ void decide(int of_b, int x, int exist, int others, float k) const {
        const int first = of_b ? BM : 0, share = is[first + x];
        const float q = static_cast<float>(counts[5 - of_b]) / (kAll * static_cast<float>(others));
        const float terms = q * (1 + q * (1 / 2.0f + q * (1 / 3.0f + q / 4)));
        const float w = k * (static_cast<float>(share) / kAll);
        const bool is_unfit = share < 0 || w * terms < Format::kMeets;
        is[first + x] = is_unfit;
        const int before = atomic_add(counts + of_b + (is_unfit ? 0 : 2), 1);
        order[first + (is_unfit ? before : exist - 1 - before)] = x;
    }
};

/// Called by all of 256 threads, who meet afterwards. `scratch`: 12 KiB. Columns have a scale for each
/// line, of which four neighbours' are read at a time, by as many threads as there are.
template <class Format, int BM, int BN>
__device__ __forceinline__ void find_unfit(const Pieces& a, const Pieces& b, const Place& place,
                                           int rows, int cols, int64_t k, const Unfit& unfit,
                                           SharedPtr<float> scratch) {
    constexpr bool COUNTS = Format::kMeets > 0.0f;
    const auto elements = static_cast<float>(k);
    constexpr int THREADS = 256, SIDE = BN / 4,
                  LINES = THREADS / SIDE;  // beside each other, at once
    const SharedPtr<float> scales = scratch, sums = scales + 4 * THREADS,
                           wholes = sums + 4 * THREADS;
    const int64_t row = int64_t{a.matrix(place.batch)} * a.rows + place.row;
    for (int x = threadIdx.x; x < rows; x += THREADS) {
        const float whole = COUNTS ? float{a.whole[row + x]} : 0.0f;
        unfit.tell<Format, BM>(0, x, {a.scales[row + x], a.sums[row + x], whole}, elements);
    }
    Sizes of_col[4];
    const int64_t col = place.col + threadIdx.x % SIDE * 4;
    const int64_t lines = col < b.rows ? b.scaled : 0;
    UNROLL_BY(8)
    for (int64_t line = threadIdx.x / SIDE; line < lines; line += LINES) {
        const int64_t at = (int64_t{b.matrix(place.batch)} * b.scaled + line) * b.rows + col;
        const float4 scale = ld<float4>(b.scales + at), sum = ld<float4>(b.sums + at);
        const float4 whole = COUNTS ? ld<float4>(b.whole + at) : float4{};
        of_col[0].add({scale.x, sum.x, whole.x}), of_col[1].add({scale.y, sum.y, whole.y});
        of_col[2].add({scale.z, sum.z, whole.z}), of_col[3].add({scale.w, sum.w, whole.w});
    }
    UNROLL
    for (int i = 0; i < 4; ++i) {
        const int at = threadIdx.x * 4 + i;
        scales[at] = of_col[i].scale, sums[at] = of_col[i].sum, wholes[at] = of_col[i].whole;
    }
    __syncthreads();
    for (int x = threadIdx.x; x < cols; x += THREADS) {
        Sizes all;
        for (int at = x; at < LINES * BN; at += BN) all.add({scales[at], sums[at], wholes[at]});
        unfit.tell<Format, BM>(1, x, all, elements);
    }
    __syncthreads();
    for (int x = threadIdx.x; x < rows; x += THREADS)
        unfit.decide<Format, BM>(0, x, rows, cols, elements);
    for (int x = threadIdx.x; x < cols; x += THREADS)
        unfit.decide<Format, BM>(1, x, cols, rows, elements);
}

/// Stores sums of four neighbours, columns `col` and on of a block tile that has `cols`, but for those that
/// do not exist or are unfit.
template <int BM>
__device__ __forceinline__ void store_fit(const Scalars& scalars, GlobalPtr<float> C,
                                          const float4& sum, const Unfit& unfit, int col, int cols,
                                          bool vectors) {
    if (unfit.counts[1] == 0) {
        if (col < cols) store4(scalars, C, cols - col, vectors, sum);
        return;
    }
    const float four[] = {sum.x, sum.y, sum.z, sum.w};
    for (int n = 0; n < 4; ++n)
        if (col + n < cols && !unfit.is[BM + col + n])
            store4(scalars, C + n, 1, false, float4{four[n]});
}

/// Called by 256 threads, which meet by `meet`. `scratch`: 9 KiB.
template <int BM, class Meet>
__device__ __forceinline__ void multiply_unfit(const Gemm& p, const Place& place,
                                               const Unfit& unfit, int rows, int cols,
                                               SharedPtr<float> scratch, const Meet& meet) {
    constexpr int TILE = 64, DEPTH = 16, PITCH = TILE + 1;
    constexpr int SIDE = TILE / 4;  // threads beside each other
    const SharedPtr<float> As = scratch, Bs = scratch + DEPTH * PITCH;
    const Scalars scalars = scalars_of(p);
    const int unfit_rows = unfit.counts[0], unfit_cols = unfit.counts[1];
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
                const SharedPtr<int> row_at = unfit.order + first_row,
                                     col_at = unfit.order + BM + first_col;
                // Sums of DEPTH products first: beside a huge element each single one would lose bits.
                float total[4][4] = {};
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
                    float acc[4][4] = {};
                    UNROLL_BY(4)
                    for (int kk = 0; kk < DEPTH; ++kk)
                        for (int m = 0; m < 4; ++m)
                            for (int n = 0; n < 4; ++n)
                                acc[m][n] = fma_(As[kk * PITCH + row + m * SIDE],
                                                 Bs[kk * PITCH + col + n * SIDE], acc[m][n]);
                    for (int m = 0; m < 4; ++m)
                        for (int n = 0; n < 4; ++n) total[m][n] += acc[m][n];
                    meet();
                }
                for (int m = 0; m < 4; ++m)
                    for (int n = 0; n < 4; ++n) {
                        const int r = row + m * SIDE, c = col + n * SIDE;
                        if (r >= height || c >= width) continue;
                        store4(scalars,
                               p.C + place.batch * p.stride_c + (place.row + row_at[r]) * p.ldc +
                                   place.col + col_at[c],
                               1, false, float4{total[m][n], 0, 0, 0});
                    }
            }
    }
}

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
