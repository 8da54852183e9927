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
    __device__ static float nearest(float x) { return to_f16(x); }
    __device__ static float pack(float lower, float upper) { return pack_f16(lower, upper); }
};

/// Slab s of row r, of matrix b of a batch, has kPieces * kPieceWords words, piece after piece, at
/// words + ((b * slabs + s) * rows + r) * kPieces * kPieceWords. The scale of line l of row or column x
/// stands at scales + (b * scaled + l) * rows + x; `scaled` is 1 where lines have one in common.
struct Pieces {
    GlobalPtr<float> words, scales;
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
/// top; 0 for those, and where scales or what is multiplied by them could leave FP32's range.
template <class Format>
__device__ __forceinline__ float up_to_top(unsigned most) {
    constexpr int FAR = 90;
    const int exponent = most == 0 ? 0 : static_cast<int>(most >> 23) - 127;
    return exponent >= -FAR && exponent <= FAR ? power_of_two(Format::kTop - exponent) : 0.0f;
}
__device__ __forceinline__ float inverse_of_power(float power) {
    return float_of((254u << 23) - bits_of(power));
}

/// Bits of the sizes of elements: the largest of these and of 16 more.
__device__ __forceinline__ unsigned largest_size(unsigned most, const float (&v)[16]) {
    UNROLL
    for (int i = 0; i < 16; ++i) {
        const unsigned size = bits_of(v[i]) & 0x7fffffff;
        most = size > most ? size : most;
    }
    return most;
}

/// How many elements are not zero, and how many of those lack bits. Of many, most may; of few, none.
struct Census {
    unsigned present = 0, short_of_bits = 0;

    __device__ bool suits(int64_t elements) const {
        constexpr int FEW = 16;
        if (present < FEW && present < elements) return short_of_bits == 0;
        return 4 * int64_t{short_of_bits} <= 3 * int64_t{present};
    }
};

/// Twice 8 neighbours along k, in slabs that are `next_slab` words apart, become pieces, each the nearest
/// to what those before it have left.
template <class Format>
__device__ __forceinline__ void store_pieces(GlobalPtr<float> to, int64_t next_slab, float (&v)[16],
                                             float up, Census& census) {
    UNROLL
    for (int i = 0; i < 16; ++i) {
        v[i] = up == 0.0f ? 0.0f : v[i] * up;
        const float size = v[i] < 0 ? -v[i] : v[i];
        census.present += v[i] != 0.0f;
        census.short_of_bits += v[i] != 0.0f && size < Format::kWhole;
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
}

/// What is to be made of an operand.
struct Splitting {
    Operand X;
    int64_t size;  ///< Rows behind it become zeros.
    Pieces pieces;
    unsigned threads;  ///< Of a row, where it has one scale.
    Divisor tiles, lines;  ///< Of rows that a block has; of a row.
};
/// Of A and of B.
struct Splittings {
    Splitting of[2];
    unsigned blocks_of_a;
};

inline constexpr int kSplitThreads = 256;

/// Joins what `threads` threads, `apart` from each other, have; for all of them. `scratch`: two words for
/// each thread of the block.
template <class Join>
__device__ __forceinline__ unsigned join(unsigned value, unsigned threads, unsigned apart,
                                         SharedPtr<unsigned> scratch, const Join& joined) {
    for (unsigned half = threads / 2, turn = 0; half > 0; half /= 2, turn ^= 1) {
        scratch[turn * kSplitThreads + threadIdx.x] = value;
        __syncthreads();
        value = joined(value, scratch[turn * kSplitThreads + (threadIdx.x ^ (half * apart))]);
    }
    __syncthreads();
    return value;
}

/// Whole rows of A. Each thread has 16 elements of a row at a time, twice 8 neighbours; so many threads
/// have a row that mostly all fits, and otherwise it is read twice.
template <class Format>
__device__ __forceinline__ void split_rows(const Splitting& s, int64_t k, unsigned block) {
    constexpr int WORDS = Format::kPieces * kPieceWords;
    SHARED(unsigned, scratch, 2, kSplitThreads);
    unsigned rest = block;
    const unsigned rows_of_block = kSplitThreads / s.threads;
    const unsigned first_row = s.tiles.take(rest) * rows_of_block, batch = rest;
    // Threads beside each other read beside each other.
    const unsigned row =
        first_row + (s.X.along_k ? threadIdx.x / s.threads : threadIdx.x % rows_of_block);
    const unsigned part = s.X.along_k ? threadIdx.x % s.threads : threadIdx.x / rows_of_block;
    const unsigned apart = s.X.along_k ? 1 : rows_of_block;
    const int64_t stride = s.X.along_k ? 1 : s.X.ld, end = int64_t{s.pieces.slabs} * kSlab;
    const GlobalPtr<const float> from = s.X.at(batch, row, 0);
    const bool exists = row < s.size;
    float v[16];
    const auto k_of = [&](int64_t first, int i) {
        return first + part / 4 * kLine + i / 8 * kSlab + part % 4 * 8 + i % 8;
    };
    const auto load = [&](int64_t first) {
        UNROLL
        for (int i = 0; i < 16; i += 4) {
            const int64_t at = k_of(first, i);
            if (s.X.along_k && s.X.vectors && exists && at + 4 <= k) {
                ld4(v + i, from + at);
                continue;
            }
            UNROLL
            for (int j = 0; j < 4; ++j)
                v[i + j] = exists && at + j < k ? from[(at + j) * stride] : 0.0f;
        }
    };
    const int64_t step = int64_t{s.threads} * 16;
    const int64_t last = (end - 1) / step * step;
    unsigned most = 0;
    for (int64_t first = 0; first <= last; first += step) {
        load(first);
        most = largest_size(most, v);
    }
    most =
        join(most, s.threads, apart, scratch, [](unsigned a, unsigned b) { return a > b ? a : b; });
    const float up = up_to_top<Format>(most);
    const int64_t next_slab = int64_t{s.pieces.rows} * WORDS;
    const int64_t first_slab = int64_t{s.pieces.matrix(batch)} * s.pieces.slabs;
    Census census;
    for (int64_t first = last;; first -= step) {  // the last are there
        const int64_t at = k_of(first, 0);
        if (at < end && row < s.pieces.rows)
            store_pieces<Format>(s.pieces.words +
                                     ((first_slab + at / kSlab) * s.pieces.rows + row) * WORDS +
                                     at % kSlab / 2,
                                 next_slab, v, up, census);
        if (first == 0) break;
        load(first - step);
    }
    const auto sum = [](unsigned a, unsigned b) { return a + b; };
    census.present = join(census.present, s.threads, apart, scratch, sum);
    census.short_of_bits = join(census.short_of_bits, s.threads, apart, scratch, sum);
    if (part != 0 || row >= s.pieces.rows) return;
    s.pieces.scales[int64_t{s.pieces.matrix(batch)} * s.pieces.rows + row] =
        up != 0.0f && census.suits(k) ? inverse_of_power(up) : float_of(0x7fffffff);
}

/// Lines of 64 columns of B. A thread has 16 elements of a line, twice 8 neighbours.
template <class Format>
__device__ __forceinline__ void split_lines(const Splitting& s, int64_t k, unsigned block) {
    constexpr int COLS = 64, WORDS = Format::kPieces * kPieceWords;
    SHARED(float, tile, kLine, COLS);
    SHARED(unsigned, scratch, 2, kSplitThreads);
    unsigned rest = block;
    const unsigned first_x = s.tiles.take(rest) * COLS, line = s.lines.take(rest), batch = rest;
    const int64_t first_k = int64_t{line} * kLine;
    const int depth = inside(k, first_k, kLine), exist = inside(s.size, first_x, COLS);
    const unsigned x = threadIdx.x / 4, quarter = threadIdx.x % 4;
    const auto k_of = [&](int i) { return i / 8 * kSlab + static_cast<int>(quarter) * 8 + i % 8; };
    // --- load: where memory runs along X, through shared memory
    float v[16];
    if (s.X.along_k) {
        const bool exists = static_cast<int>(x) < exist;
        const GlobalPtr<const float> from = s.X.at(batch, first_x + x, first_k);
        UNROLL
        for (int i = 0; i < 16; i += 4) {
            if (s.X.vectors && exists && k_of(i) + 4 <= depth) {
                ld4(v + i, from + k_of(i));
                continue;
            }
            UNROLL
            for (int j = 0; j < 4; ++j)
                v[i + j] = exists && k_of(i + j) < depth ? from[k_of(i + j)] : 0.0f;
        }
    } else {
        // Eight rows of k that are read together lie eight banks apart.
        const auto place = [&](int in_k, int in_x) {
            return in_k * COLS + (in_x ^ in_k / 8 % 4 * 8);
        };
        const int in_x = threadIdx.x % 16 * 4;
        UNROLL
        for (int in_k = threadIdx.x / 16; in_k < kLine; in_k += 16) {
            const GlobalPtr<const float> from = s.X.at(batch, first_x + in_x, first_k + in_k);
            float four[4] = {};
            if (s.X.vectors && in_k < depth && in_x + 4 <= exist) {
                ld4(four, from);
            } else {
                UNROLL
                for (int j = 0; j < 4; ++j)
                    if (in_k < depth && in_x + j < exist) four[j] = from[j];
            }
            st(tile + place(in_k, in_x), float4{four[0], four[1], four[2], four[3]});
        }
        __syncthreads();
        UNROLL
        for (int i = 0; i < 16; ++i) v[i] = tile[place(k_of(i), x)];
    }
    // --- scale and split
    const unsigned most = join(largest_size(0, v), 4, 1, scratch,
                               [](unsigned a, unsigned b) { return a > b ? a : b; });
    const float up = up_to_top<Format>(most);
    const unsigned row = row_of_pieces(first_x + x);
    const int64_t slab = int64_t{s.pieces.matrix(batch)} * s.pieces.slabs + line * 2;
    Census census;
    if (row < s.pieces.rows)
        store_pieces<Format>(s.pieces.words + (slab * s.pieces.rows + row) * WORDS + quarter * 4,
                             int64_t{s.pieces.rows} * WORDS, v, up, census);
    const unsigned both = join(census.present << 16 | census.short_of_bits, 4, 1, scratch,
                               [](unsigned a, unsigned b) { return a + b; });
    census = {both >> 16, both & 0xffff};
    if (quarter != 0 || first_x + x >= s.pieces.rows) return;
    s.pieces.scales[(int64_t{s.pieces.matrix(batch)} * s.pieces.scaled + line) * s.pieces.rows +
                    first_x + x] =
        up != 0.0f && census.suits(depth) ? inverse_of_power(up) : float_of(0x7fffffff);
}

/// Both operands of a product in one launch.
template <class Format>
__global__ void __launch_bounds__(kSplitThreads)
    split(const __grid_constant__ Gemm p, const __grid_constant__ Splittings splittings) {
    wait_for_stream();
    const int64_t k = read_along_k(p);
    if (k == 0) return;
    const unsigned blocks_of_a = splittings.blocks_of_a;
    if (blockIdx.x < blocks_of_a)
        split_rows<Format>(splittings.of[0], k, blockIdx.x);
    else
        split_lines<Format>(splittings.of[1], k, blockIdx.x - blocks_of_a);
}

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
