// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// An FP32 matrix as pieces that tensor cores multiply: x = (piece + piece + ...) * 2^e, pieces of 16
// bits. Rows of A and columns of B are both rows here, along k. A row of A has one e. One of B has an e
// for each line, 64 elements of it, so that a block makes a line without knowing the rest: B mostly lies
// across k in memory, where to look at whole columns first would be a pass of its own.
//
// Where no scale suits, the scale is NaN, and what it is part of is computed in FP32 (unfit.h): Inf and
// NaN; sizes whose scale is no FP32 number; and where most elements would be short of bits
// (docs/accuracy.md).
#pragma once

#include "engine/divisor.h"
#include "engine/operands.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

inline constexpr int kSlab = 32;  // elements along k that are copied at a time
inline constexpr int kLine = 64;  // and that have one scale
inline constexpr int kPieceWords = kSlab / 2;  // of a row in a slab; a word holds two neighbours

/// 22 bits in two pieces. A line's largest element is scaled to [2^14, 2^15); then elements of 2^-3
/// have all their bits, and those below an error of 2^-25.
struct Fp16Pieces {
    static constexpr int kPieces = 2, kTop = 14;
    static constexpr float kWhole = 0x1p-3f;
    static constexpr float kMany = 2.0f;  // see is_dominated()
    static constexpr float kMeets = 14.0f;  // see Unfit
    static constexpr int kUnscaled = -1;  // see up_to_top()
    __device__ static float nearest(float x) { return to_f16(x); }
    __device__ static float pack(float lower, float upper) { return pack_f16(lower, upper); }
};

/// 11 bits, as many as TF32 has, of elements down to 2^-28 of the line's largest.
struct Fp16Piece : Fp16Pieces {
    static constexpr int kPieces = 1;
    static constexpr float kWhole = 0x1p-14f;
    static constexpr float kMany = 0.0f, kMeets = 0.0f;  // errors need not cancel
};

/// All 24 bits in three pieces, of elements down to 2^-100 of the line's largest.
struct Bf16Pieces {
    static constexpr int kPieces = 3, kTop = 0;
    static constexpr float kWhole = 0x1p-100f;
    static constexpr float kMany = 0.0f, kMeets = 0.0f;  // nothing is left to cancel
    static constexpr int kUnscaled = 56;
    __device__ static float nearest(float x) { return to_bf16(x); }
    __device__ static float pack(float lower, float upper) { return pack_bf16(lower, upper); }
};

/// Slab s of row r, of matrix b of a batch, has kPieces * kPieceWords words, piece after piece, at
/// words + ((b * slabs + s) * rows + r) * kPieces * kPieceWords. The scale of line l of row or column x
/// stands at scales + (b * scaled + l) * rows + x, and the sum of its elements' sizes likewise, and where
/// Format::kMeets asks for it how many have all their bits; `scaled` is 1 where lines have one in common.
struct Pieces {
    GlobalPtr<float> words, scales, sums, whole;
    unsigned rows, slabs, scaled;
    bool shared;  ///< One matrix for all of a batch.

    __device__ unsigned matrix(unsigned batch) const { return shared ? 0 : batch; }
};

/// For exponents of normal numbers.
__device__ __forceinline__ float power_of_two(int exponent) {
    return float_of(static_cast<unsigned>(exponent + 127) << 23);
}

/// Where column x of B lies among its pieces. Of 16 columns, 4 t to 4 t + 3 become rows 2 t, 2 t + 1,
/// 2 t + 8 and 2 t + 9, which are what lane t of four has of a product.
__device__ __forceinline__ unsigned row_of_pieces(unsigned x) {
    const unsigned in_16 = x % 16;
    return x - in_16 + in_16 / 4 * 2 + in_16 % 2 + in_16 / 2 % 2 * 8;
}

/// Elements along k that may be read: none where alpha is 0.
__device__ __forceinline__ int64_t read_along_k(const Gemm& p) {
    return scalars_of(p).alpha == 0.0f ? 0 : p.k;
}

/// A power of two by which the largest of some elements, given by the bits of its size, comes to
/// 2^kTop, and the inverse of which is a scale. Sizes are compared as integers, which puts Inf and NaN on
/// top; 0 for those, and where scales or what is multiplied by them could leave FP32's range. BF16 has FP32's
/// exponents: from 1 to 2^kUnscaled sizes stay, and sums are then as large on their way as in FP32.
template <class Format>
__device__ __forceinline__ float up_to_top(unsigned most) {
    constexpr int FAR = 90;
    const int exponent = most == 0 ? 0 : static_cast<int>(most >> 23) - 127;
    if (exponent >= 0 && exponent <= Format::kUnscaled) return 1.0f;
    return exponent >= -FAR && exponent <= FAR ? power_of_two(Format::kTop - exponent) : 0.0f;
}
__device__ __forceinline__ float inverse_of_power(float power) {
    return float_of((254u << 23) - bits_of(power));
}

__device__ __forceinline__ unsigned larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/// Bits of the sizes of elements: the largest of these and of 16 more.
__device__ __forceinline__ unsigned largest_size(unsigned most, const float (&v)[16]) {
    UNROLL
    for (int i = 0; i < 16; ++i) most = larger(most, bits_of(v[i]) & 0x7fffffff);
    return most;
}

/// Of some elements.
struct Counts {
    unsigned whole = 0;  ///< Have all their bits, where Format::kMeets asks for it.
    unsigned short_of_bits = 0;

    __device__ void add(const Counts& more) {
        whole += more.whole, short_of_bits += more.short_of_bits;
    }
    /// What the lane at this distance has.
    __device__ void add_lane(unsigned distance) {
        add({__shfl_xor_sync(~0u, whole, distance), __shfl_xor_sync(~0u, short_of_bits, distance)});
    }
};

/// NaN where no power suits, or where nearly all of so many elements are short of bits; 0 where all are 0,
/// so that it is below the scale of any other line.
__device__ __forceinline__ float scale_of(unsigned most, float up, const Counts& counts,
                                          int64_t elements) {
    if (most == 0) return 0.0f;
    const bool suits = up != 0.0f && 5 * int64_t{counts.short_of_bits} <= 4 * elements;
    return suits ? inverse_of_power(up) : float_of(0x7fffffff);
}

/// True for rows and columns of few elements, or where few outweigh the others: the errors of pieces, of
/// either sign, then have no others to cancel them. `scale`: the largest of all lines.
template <class Format>
__device__ __forceinline__ bool is_dominated(float sum, float scale) {
    const float above_all = scale * power_of_two(Format::kTop + 1);
    return 0.0f < sum && sum < Format::kMany * above_all;
}

__device__ __forceinline__ float sum_of_sizes(float sum, const float (&v)[16]) {
    UNROLL
    for (int i = 0; i < 16; ++i) sum += v[i] < 0 ? -v[i] : v[i];
    return sum;
}

/// Twice 8 neighbours along k, in slabs that are `next_slab` words apart, become pieces, each the nearest
/// to what those before it have left.
template <class Format>
__device__ __forceinline__ Counts store_pieces(GlobalPtr<float> to, int64_t next_slab,
                                               float (&v)[16], float up) {
    Counts counts;
    UNROLL
    for (int i = 0; i < 16; ++i) {
        v[i] = up == 0.0f ? 0.0f : v[i] * up;  // an Inf must not become a piece
        const bool is_whole = (v[i] < 0 ? -v[i] : v[i]) >= Format::kWhole;
        counts.whole += is_whole;
        counts.short_of_bits += v[i] != 0.0f && !is_whole;
    }
    UNROLL
    for (int i = 0; i < 16; i += 8) {
        float* left = v + i;
        UNROLL
        for (int piece = 0; piece < Format::kPieces; ++piece) {
            st(to + i / 8 * next_slab + piece * kPieceWords,
               float4{Format::pack(left[0], left[1]), Format::pack(left[2], left[3]),
                      Format::pack(left[4], left[5]), Format::pack(left[6], left[7])});
            UNROLL
            for (int j = 0; j < 8; ++j) left[j] -= Format::nearest(left[j]);
        }
    }
    return counts;
}

/// Twice 8 neighbours along k, the second 8 a slab behind the first; zeros from `exist` elements on.
__device__ __forceinline__ void load_16(float (&v)[16], GlobalPtr<const float> from, int64_t stride,
                                        int64_t exist, bool vectors) {
    if (vectors && exist >= kSlab + 8) {
        UNROLL
        for (int i = 0; i < 16; i += 4) ld4(v + i, from + i / 8 * kSlab + i % 8);
        return;
    }
    UNROLL
    for (int i = 0; i < 16; ++i) {
        const int at = i / 8 * kSlab + i % 8;
        v[i] = at < exist ? from[at * stride] : 0.0f;
    }
}

/// What is to be made of an operand.
struct Splitting {
    Operand X;
    int64_t size;  ///< Rows behind it become zeros.
    Pieces pieces;
    unsigned threads;  ///< Of a row, where it has one scale.
    Divisor tiles, lines;  ///< Of rows that a block has; of a row.
};
inline constexpr int kSplitThreads = 256;

/// Joins what the `threads` threads of a row have, which are `apart` from each other in the block; both are
/// powers of two. First by shuffles: exchange(distance) joins what the lane at that distance has. Where
/// several warps have a row, put(i) then writes what a warp has to place i of kSplitThreads, and take(i, new)
/// joins what is there if it is new; no array serves two calls. Of one value after another the latency would
/// be a tenth of a product's time at 1024.
template <class Exchange, class Put, class Take>
__device__ __forceinline__ void join(unsigned threads, unsigned apart, const Exchange& exchange,
                                     const Put& put, const Take& take) {
    constexpr unsigned WARPS = kSplitThreads / 32;
    UNROLL
    for (unsigned distance = 1; distance < 32; distance *= 2)
        if (distance >= apart && distance < threads * apart) exchange(distance);
    const unsigned warps = threads * apart / 32;
    if (warps <= 1) return;
    const unsigned own = threadIdx.x / 32 * apart + threadIdx.x % apart;
    if (threadIdx.x % 32 < apart) put(own);
    __syncthreads();
    UNROLL
    for (unsigned other = 1; other < WARPS; ++other)
        take(own ^ (other & (warps - 1)) * apart, other < warps);
}

/// Whole rows of A. Each thread has 16 elements of a row at a time; so many threads have a row that mostly
/// all fits, and otherwise it is read twice.
template <class Format>
__device__ __forceinline__ void split_rows(const Splitting& s, int64_t k, unsigned block) {
    constexpr int WORDS = Format::kPieces * kPieceWords;
    SHARED(unsigned, sizes, kSplitThreads);
    SHARED(float, totals, kSplitThreads);
    SHARED(unsigned, short_ones, kSplitThreads);
    SHARED(unsigned, wholes, kSplitThreads);
    unsigned rest = block;
    const unsigned rows_of_block = kSplitThreads / s.threads;
    const unsigned first_row = s.tiles.take(rest) * rows_of_block, batch = rest;
    // Threads beside each other read beside each other.
    const bool along_k = s.X.along_k;
    const unsigned row =
        first_row + (along_k ? threadIdx.x / s.threads : threadIdx.x % rows_of_block);
    const unsigned part = along_k ? threadIdx.x % s.threads : threadIdx.x / rows_of_block;
    const unsigned apart = along_k ? 1 : rows_of_block;
    const int64_t stride = along_k ? 1 : s.X.ld, end = int64_t{s.pieces.slabs} * kSlab;
    const int64_t in_step = part / 4 * kLine + part % 4 * 8;
    const GlobalPtr<const float> from = s.X.at(batch, row, in_step);
    const int64_t exist = row < s.size ? k - in_step : 0;
    float v[16];
    const auto load = [&](int64_t first) {
        load_16(v, from + first * stride, stride, exist - first, along_k && s.X.vectors);
    };
    const int64_t step = int64_t{s.threads} * 16, last = (end - 1) & -step;
    unsigned most = 0;
    float total = 0.0f;
    for (int64_t first = 0; first <= last; first += step) {
        load(first);
        most = largest_size(most, v);
        total = sum_of_sizes(total, v);
    }
    join(
        s.threads, apart,
        [&](unsigned distance) { most = larger(most, __shfl_xor_sync(~0u, most, distance)); },
        [&](unsigned at) { sizes[at] = most; },
        [&](unsigned at, bool) { most = larger(most, sizes[at]); });
    const float up = up_to_top<Format>(most);
    const int64_t next_slab = int64_t{s.pieces.rows} * WORDS;
    const int64_t first_slab = int64_t{s.pieces.matrix(batch)} * s.pieces.slabs;
    Counts counts;
    for (int64_t first = last;; first -= step) {  // the last are there
        const int64_t at = first + in_step;
        if (at < end && row < s.pieces.rows)
            counts.add(store_pieces<Format>(
                s.pieces.words + ((first_slab + at / kSlab) * s.pieces.rows + row) * WORDS +
                    at % kSlab / 2,
                next_slab, v, up));
        if (first == 0) break;
        load(first - step);
    }
    join(
        s.threads, apart,
        [&](unsigned distance) {
            counts.add_lane(distance);
            total += __shfl_xor_sync(~0u, total, distance);
        },
        [&](unsigned at) {
            short_ones[at] = counts.short_of_bits, wholes[at] = counts.whole, totals[at] = total;
        },
        [&](unsigned at, bool is_new) {
            counts.short_of_bits += is_new ? short_ones[at] : 0;
            counts.whole += is_new ? wholes[at] : 0;
            total += is_new ? totals[at] : 0.0f;
        });
    if (part != 0 || row >= s.pieces.rows) return;
    const int64_t at = int64_t{s.pieces.matrix(batch)} * s.pieces.rows + row;
    s.pieces.scales[at] = scale_of(most, up, counts, k);
    s.pieces.sums[at] = total;
    if constexpr (Format::kMeets > 0.0f) s.pieces.whole[at] = static_cast<float>(counts.whole);
}

/// Lines of 64 columns of B. A thread has 16 elements of a line.
template <class Format>
__device__ __forceinline__ void split_lines(const Splitting& s, int64_t k, unsigned block) {
    constexpr int COLS = 64, WORDS = Format::kPieces * kPieceWords;
    SHARED(float, tile, kLine, COLS);
    unsigned rest = block;
    const unsigned first_x = s.tiles.take(rest) * COLS, line = s.lines.take(rest), batch = rest;
    const int64_t first_k = int64_t{line} * kLine;
    const int depth = inside(k, first_k, kLine), exist = inside(s.size, first_x, COLS);
    const unsigned x = threadIdx.x / 4, quarter = threadIdx.x % 4;
    float v[16];
    if (s.X.along_k) {
        load_16(v, s.X.at(batch, first_x + x, first_k + quarter * 8), 1,
                static_cast<int>(x) < exist ? depth - static_cast<int>(quarter) * 8 : 0,
                s.X.vectors);
    } else {
        // Through shared memory. Eight rows of k that are read together lie eight banks apart.
        const auto place = [&](int in_k, int in_x) {
            return in_k * COLS + (in_x ^ in_k / 8 % 4 * 8);
        };
        const int in_x = threadIdx.x % 16 * 4, first = threadIdx.x / 16;
        const GlobalPtr<const float> from = s.X.at(batch, first_x + in_x, first_k + first);
        if (s.X.vectors && depth == kLine && exist == COLS) {
            UNROLL
            for (int i = 0; i < 16; i += 4) ld4(v + i, from + i * 4 * s.X.ld);
        } else {
            UNROLL
            for (int i = 0; i < 16; ++i) {
                const bool exists = first + i / 4 * 16 < depth && in_x + i % 4 < exist;
                v[i] = exists ? from[i / 4 * 16 * s.X.ld + i % 4] : 0.0f;
            }
        }
        UNROLL
        for (int i = 0; i < 16; i += 4)
            st(tile + place(first + i * 4, in_x), float4{v[i], v[i + 1], v[i + 2], v[i + 3]});
        __syncthreads();
        UNROLL
        for (int i = 0; i < 16; ++i)
            v[i] = tile[place(i / 8 * kSlab + static_cast<int>(quarter) * 8 + i % 8, x)];
    }
    unsigned most = largest_size(0, v);
    float total = sum_of_sizes(0.0f, v);
    UNROLL
    for (int distance = 1; distance < 4; distance *= 2)
        most = larger(most, __shfl_xor_sync(~0u, most, distance));
    const float up = up_to_top<Format>(most);
    const unsigned row = row_of_pieces(first_x + x);
    const int64_t slab = int64_t{s.pieces.matrix(batch)} * s.pieces.slabs + line * 2;
    Counts counts;
    if (row < s.pieces.rows)
        counts = store_pieces<Format>(
            s.pieces.words + (slab * s.pieces.rows + row) * WORDS + quarter * 4,
            int64_t{s.pieces.rows} * WORDS, v, up);
    UNROLL
    for (int distance = 1; distance < 4; distance *= 2) {
        counts.add_lane(distance);
        total += __shfl_xor_sync(~0u, total, distance);
    }
    if (quarter != 0 || first_x + x >= s.pieces.rows) return;
    const int64_t at =
        (int64_t{s.pieces.matrix(batch)} * s.pieces.scaled + line) * s.pieces.rows + first_x + x;
    s.pieces.scales[at] = scale_of(most, up, counts, depth);
    s.pieces.sums[at] = total;
    if constexpr (Format::kMeets > 0.0f) s.pieces.whole[at] = static_cast<float>(counts.whole);
}

/// Both operands of a product in one launch.
template <class Format>
__global__ void __launch_bounds__(kSplitThreads, 4)
    split(const __grid_constant__ Gemm p, const __grid_constant__ Splitting a,
          const __grid_constant__ Splitting b, unsigned blocks_of_a) {
    wait_for_stream();
    let_stream_go_on();  // the product's blocks may come as soon as there is room, and wait
    const int64_t k = read_along_k(p);
    if (k == 0) return;
    if (blockIdx.x < blocks_of_a)
        split_rows<Format>(a, k, blockIdx.x);
    else
        split_lines<Format>(b, k, blockIdx.x - blocks_of_a);
}

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
