// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// An FP32 matrix as pieces that tensor cores multiply: x = (hi + lo) * 2^e, hi and lo of FP16, e the
// same for a row. A row of A and a column of B are both rows here, along k.
//
// A row is scaled so that its largest element lies in [2^14, 2^15). hi is the nearest FP16 number, lo
// the nearest to what is left: 22 bits of elements down to 2^-18 of the largest, fewer below, and an
// error of 2^-25 at most, which is 2^-39 of the largest.
//
// In memory a row is a line of 128 bytes for each 32 elements along k, their 32 hi before their 32 lo,
// so that one box of the TMA brings both. Sixteen rows of B are permuted such that a thread's elements
// of a product are four neighbours.
#pragma once

#include "engine/operands.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

inline constexpr int kSlab = 32;  // elements along k in a line, whose words are as many

/// Row r's words lie at words + r * slabs * kSlab. Two factors at scales + 2 r have the product 2^e,
/// which itself may be no FP32 number. At counts + 4 r: its elements that are not zero; those of them
/// that are short of bits (see Census); whether some are not finite.
struct Pieces {
    GlobalPtr<float> words, scales;
    GlobalPtr<unsigned> counts;
    GlobalPtr<unsigned> any_unfit;  ///< One word: zero when the pieces are made.
    int64_t slabs;
};

/// For exponents of normal numbers.
__device__ __forceinline__ float power_of_two(int exponent) {
    return float_of(static_cast<unsigned>(exponent + 127) << 23);
}

/// Two factors whose product is 2^exponent, for exponents of -252 to 254.
__device__ __forceinline__ float2 factors_of_power(int exponent) {
    const int half = exponent / 2;
    return {power_of_two(half), power_of_two(exponent - half)};
}

/// e for a row whose largest element is `most`: most * 2^-e lies in [2^14, 2^15).
__device__ __forceinline__ int exponent_of_row(float most) {
    if (most == 0.0f) return 0;
    const bool denormal = most < 0x1p-126f;
    const unsigned bits = bits_of(denormal ? most * 0x1p64f : most);
    return static_cast<int>(bits >> 23) - 127 - (denormal ? 64 : 0) - 14;
}

/// The size of an element, and 0 for what is not finite, which no scale suits.
__device__ __forceinline__ float finite_size(float x) {
    const float size = x < 0 ? -x : x;
    return size <= 0x1.fffffep127f ? size : 0.0f;
}

/// Where row x of an operand lies among its pieces. Of 16 columns of B, 4 t to 4 t + 3 become rows 2 t,
/// 2 t + 1, 2 t + 8 and 2 t + 9, which are what lane t of four has of a product.
__device__ __forceinline__ int64_t row_of_pieces(int64_t x, bool permuted) {
    if (!permuted) return x;
    const int in_16 = static_cast<int>(x % 16);
    return x - in_16 + in_16 / 4 * 2 + in_16 % 2 + in_16 / 2 % 2 * 8;
}

/// Of a row, or of a part of it: elements that are not zero, and those of them that have fewer than 22
/// bits in pieces, as they are below 2^-18 of the row's largest.
struct Census {
    unsigned present = 0, short_of_bits = 0;
    bool not_finite = false;
};

/// Four neighbours along k become two words of hi and two of lo. `up`: two factors whose product is
/// 2^-e.
__device__ __forceinline__ void store_pieces(GlobalPtr<float> row, int64_t k, const float (&x)[4],
                                             float2 up, Census& census) {
    float hi[4], lo[4];
    UNROLL
    for (int i = 0; i < 4; ++i) {
        const float scaled = x[i] * up.x * up.y;
        const float size = scaled < 0 ? -scaled : scaled;
        const bool finite = size < 0x1p16f;
        hi[i] = to_f16(scaled);
        lo[i] = finite ? scaled - hi[i] : 0.0f;  // Inf - Inf would be NaN
        census.present += x[i] != 0.0f;
        census.short_of_bits += x[i] != 0.0f && size < 0x1p-3f;
        census.not_finite |= !finite;
    }
    const GlobalPtr<float> line = row + k / kSlab * kSlab + k % kSlab / 2;
    st(line, float2{pack_f16(hi[0], hi[1]), pack_f16(hi[2], hi[3])});
    st(line + kSlab / 2, float2{pack_f16(lo[0], lo[1]), pack_f16(lo[2], lo[3])});
}

/// True where row r must not be multiplied in pieces. An Inf times another's lo of 0 would be NaN. And
/// the error of an element that is short of bits is a part of the row's largest: where products of such
/// make a sum alone, its last bits are wrong. Of long rows most may be, of short ones none
/// (docs/accuracy.md).
__device__ __forceinline__ bool is_unfit(const Pieces& pieces, int64_t row) {
    constexpr int64_t kShort = 128 / kSlab;
    const GlobalPtr<unsigned> counts = pieces.counts + 4 * row;
    const unsigned present = counts[0], short_of_bits = counts[1], not_finite = counts[2];
    return not_finite > 0 || short_of_bits > (pieces.slabs <= kShort ? 0 : present / 8 * 5);
}

/// Elements along k that may be read: none where alpha is 0.
__device__ __forceinline__ int64_t read_along_k(const Gemm& p) {
    return scalars_of(p).alpha == 0.0f ? 0 : p.k;
}

/// What all threads of a block have, joined, for all of them. `scratch`: a word for each thread and 32.
template <int kThreads, class T, class Join>
__device__ T join_block(T value, SharedPtr<T> scratch, const Join& join) {
    scratch[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = threadIdx.x + 32; i < kThreads; i += 32) value = join(value, scratch[i]);
        scratch[kThreads + threadIdx.x] = value;
    }
    __syncthreads();
    T all = scratch[kThreads];
    for (int i = 1; i < 32; ++i) all = join(all, scratch[kThreads + i]);
    __syncthreads();
    return all;
}

/// Of an operand whose memory runs along k, a row for each block. It is read twice, the second time
/// from the cache. `rows`: of one matrix's pieces; those behind the operand's `size` become zeros.
template <int kThreads>
__global__ void __launch_bounds__(kThreads)
    split_rows(Gemm p, Operand X, int64_t size, unsigned rows, bool permuted, Pieces pieces) {
    SHARED(float, largest, kThreads + 32);
    SHARED(unsigned, counts, kThreads + 32);
    wait_for_stream();
    if (blockIdx.x == 0 && threadIdx.x == 0) pieces.any_unfit[0] = 0;
    const unsigned batch = blockIdx.x / rows, x = blockIdx.x % rows;
    const GlobalPtr<const float> from = X.at(batch, x, 0);
    const int64_t k = read_along_k(p), depth = x < size ? k : 0, end = pieces.slabs * kSlab;
    const auto load = [&](float(&v)[4], int64_t at) {
        if (X.vectors && depth - at >= 4) {
            ld4(v, from + at);
            return;
        }
        UNROLL
        for (int i = 0; i < 4; ++i) v[i] = at + i < depth ? from[at + i] : 0.0f;
    };
    float most = 0.0f;
    for (int64_t at = threadIdx.x * 4; at < depth; at += 4 * kThreads) {
        float v[4];
        load(v, at);
        UNROLL
        for (int i = 0; i < 4; ++i) {
            const float one = finite_size(v[i]);
            most = one > most ? one : most;
        }
    }
    most = join_block<kThreads>(most, largest, [](float a, float b) { return a > b ? a : b; });
    const int exponent = exponent_of_row(most);
    const float2 up = factors_of_power(-exponent);
    const int64_t row = int64_t{batch} * rows + row_of_pieces(x, permuted);
    Census census;
    for (int64_t at = threadIdx.x * 4; at < end; at += 4 * kThreads) {
        float v[4];
        load(v, at);
        store_pieces(pieces.words + row * end, at, v, up, census);
    }
    const auto sum = [](unsigned a, unsigned b) { return a + b; };
    const unsigned present = join_block<kThreads>(census.present, counts, sum);
    const unsigned short_of_bits = join_block<kThreads>(census.short_of_bits, counts, sum);
    const unsigned not_finite = join_block<kThreads>(unsigned{census.not_finite}, counts, sum);
    if (threadIdx.x != 0) return;
    st(pieces.scales + 2 * row, factors_of_power(exponent));
    pieces.counts[4 * row] = present;
    pieces.counts[4 * row + 1] = short_of_bits;
    pieces.counts[4 * row + 2] = not_finite;
}

/// Of an operand whose memory runs along X, the largest element of each of 128 rows among kChunk
/// elements along k: most(batch, chunk, row). Clears the counts of the rows.
template <int kThreads, int kChunk>
__global__ void __launch_bounds__(kThreads)
    largest_in_columns(Gemm p, Operand X, int64_t size, unsigned rows, unsigned chunks,
                       Pieces pieces, GlobalPtr<float> most) {
    constexpr int WARPS = kThreads / 32, COLS = 128;
    SHARED(float, largest, WARPS, COLS);
    wait_for_stream();
    if (blockIdx.x == 0 && threadIdx.x == 0) pieces.any_unfit[0] = 0;
    const auto tiles = static_cast<unsigned>(ceil_div(rows, COLS));
    const unsigned tile = blockIdx.x % tiles, rest = blockIdx.x / tiles;
    const unsigned chunk = rest % chunks, batch = rest / chunks;
    const int warp = threadIdx.x / 32, col = threadIdx.x % 32 * 4;
    const int64_t x = int64_t{tile} * COLS + col, first = int64_t{chunk} * kChunk;
    const int exist = inside(size, x, 4), depth = inside(read_along_k(p), first, kChunk);
    GlobalPtr<const float> from = X.at(batch, x, first + warp);
    float four[4] = {};
    UNROLL_BY(4)
    for (int row = warp; row < depth; row += WARPS, from += WARPS * X.ld) {
        float v[4] = {};
        if (X.vectors && exist == 4)
            ld4(v, from);
        else
            for (int i = 0; i < 4; ++i)
                if (i < exist) v[i] = from[i];
        for (int i = 0; i < 4; ++i) {
            const float one = finite_size(v[i]);
            four[i] = one > four[i] ? one : four[i];
        }
    }
    st(largest + warp * COLS + col, float4{four[0], four[1], four[2], four[3]});
    __syncthreads();
    for (int i = threadIdx.x; i < COLS; i += kThreads) {
        const int64_t row = int64_t{tile} * COLS + i;
        if (row >= rows) continue;
        float all = largest[i];
        for (int w = 1; w < WARPS; ++w) {
            const float one = largest[w * COLS + i];
            all = one > all ? one : all;
        }
        most[(int64_t{batch} * chunks + chunk) * rows + row] = all;
        if (chunk > 0) continue;
        for (int i = 0; i < 3; ++i) pieces.counts[4 * (int64_t{batch} * rows + row) + i] = 0;
    }
}

/// The pieces of 32 rows of such an operand, in kChunk elements along k.
template <int kThreads, int kChunk>
__global__ void __launch_bounds__(kThreads)
    split_columns(Gemm p, Operand X, int64_t size, unsigned rows, bool permuted, unsigned chunks,
                  Pieces pieces, GlobalPtr<const float> most) {
    constexpr int COLS = 32, WARPS = kThreads / 32, PITCH = COLS + 1;
    SHARED(float, tile, kSlab, PITCH);
    SHARED(float, largest, WARPS, COLS);
    wait_for_stream();
    const auto tiles = static_cast<unsigned>(ceil_div(rows, COLS));
    const unsigned first_x = blockIdx.x % tiles * COLS, rest = blockIdx.x / tiles;
    const unsigned chunk = rest % chunks, batch = rest / chunks;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // --- the scale of each row, of which a thread has four elements at a time
    float all = 0.0f;
    if (first_x + lane < rows)
        for (unsigned c = warp; c < chunks; c += WARPS) {
            const float one = most[(int64_t{batch} * chunks + c) * rows + first_x + lane];
            all = one > all ? one : all;
        }
    largest[warp * COLS + lane] = all;
    __syncthreads();
    const int x = threadIdx.x / 8, k_of_thread = threadIdx.x % 8 * 4;
    float of_row = 0.0f;
    for (int w = 0; w < WARPS; ++w) {
        const float one = largest[w * COLS + x];
        of_row = one > of_row ? one : of_row;
    }
    const int exponent = exponent_of_row(of_row);
    const float2 up = factors_of_power(-exponent);
    const int64_t row = int64_t{batch} * rows + row_of_pieces(first_x + x, permuted);
    const GlobalPtr<float> to = pieces.words + row * pieces.slabs * kSlab;
    const bool exists = first_x + x < rows;
    Census census;
    // --- its pieces, through shared memory: read along X, written along k
    const int64_t k = read_along_k(p);
    const int64_t begin = int64_t{chunk} * kChunk, stop = pieces.slabs * kSlab;
    for (int64_t slab = begin; slab < begin + kChunk && slab < stop; slab += kSlab) {
        const GlobalPtr<const float> from = X.at(batch, first_x + lane, slab);
        UNROLL
        for (int i = warp; i < kSlab; i += WARPS)
            tile[i * PITCH + lane] = slab + i < k && first_x + lane < size ? from[i * X.ld] : 0.0f;
        __syncthreads();
        float v[4];
        for (int i = 0; i < 4; ++i) v[i] = tile[(k_of_thread + i) * PITCH + x];
        if (exists) store_pieces(to, slab + k_of_thread, v, up, census);
        __syncthreads();
    }
    if (!exists) return;
    if (census.present > 0) atomic_add(pieces.counts + 4 * row, census.present);
    if (census.short_of_bits > 0) atomic_add(pieces.counts + 4 * row + 1, census.short_of_bits);
    if (census.not_finite) atomic_add(pieces.counts + 4 * row + 2, 1u);
    if (chunk == 0 && threadIdx.x % 8 == 0) st(pieces.scales + 2 * row, factors_of_power(exponent));
}

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
