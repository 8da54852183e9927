// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 04: 1D block tile (03 + a column of results a thread)
//
// Before   Two shared loads for each FFMA: the load units are busy, the arithmetic units wait.
//
// Idea     A thread computes TM elements of one column. An element of B is loaded once into a
//          register and serves TM products. The k loop is outside, so that it can.
//
// Picture  Bs, one row k            As, column k           a thread's part of C
//           . . b . . .              a0  thread_row         c0 += a0 * b
//               ^                    a1                     c1 += a1 * b
//               thread_col           ..                     ..
//                                    a7                     c7 += a7 * b
//
// Cost     For TM = 8 products 8 loads of A and 1 of B: 9/8 a product instead of 2. The block tile
//          grows to 64 x 64, so a global byte serves 16 FLOP instead of 8. 512 threads load one
//          element of each tile and BK shrinks to 8, since 64 * 8 = 512.
//
// Look at  Shared loads for each FFMA: 2 -> 1.125. All 32 lanes read the same element of A: one
//          wavefront. (The compiler merges four such loads into one of 16 bytes.)
//
// Next     An element of A still serves one product only: rung 05 gives it TN of them.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::block_tile_1d {

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m;
    SHARED(float, As, BM, BK);  // (BM, BK)
    SHARED(float, Bs, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, and this thread's column of TM elements
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int thread_row = threadIdx.x / BN * TM, thread_col = threadIdx.x % BN;
    const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK;
    const int b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
    // The first k-tiles, as many as hold this thread's elements of A and B. Counted here, a guard
    // in the loop is one 32-bit comparison; this kernel waits for issue slots, so they are dear.
    const int a_tiles = a_row < rows ? ceil_div(p.k - a_col, BK) : 0;
    const int b_tiles = b_col < cols ? ceil_div(p.k - b_row, BK) : 0;
    GlobalPtr<const float> A = p.A + (block_row + a_row) * p.lda + a_col;
    GlobalPtr<const float> B = p.B + b_row * p.ldb + block_col + b_col;
    const int tiles_k = ceil_div(p.k, BK);
    float acc[TM] = {};
    for (int t = 0; t < tiles_k; ++t) {
        // --- load tile: global -> shared, zero outside the matrices
        float next_a = 0.0f, next_b = 0.0f;
        if (t < a_tiles) next_a = A[0];
        if (t < b_tiles) next_b = B[0];
        As[a_row * BK + a_col] = next_a;
        Bs[b_row * BN + b_col] = next_b;
        __syncthreads();
        A += BK;
        B += BK * p.ldb;
        // --- multiply tile: shared -> registers, where one b serves TM products
        UNROLL
        for (int k = 0; k < BK; ++k) {
            const float b = Bs[k * BN + thread_col];
            for (int i = 0; i < TM; ++i) acc[i] = fma_(As[(thread_row + i) * BK + k], b, acc[i]);
        }
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    for (int i = 0; i < TM; ++i) {
        if (thread_row + i >= rows || thread_col >= cols) break;
        const int64_t at = (block_row + thread_row + i) * p.ldc + block_col + thread_col;
        const float c = p.beta == 0.0f ? 0.0f : p.C[at];
        p.C[at] = p.alpha * acc[i] + p.beta * c;
    }
}

#if !defined(__CUDACC_RTC__)
template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads * kTile.thread.m == kTile.block.m * kTile.block.n,
                  "a thread computes TM elements: a block needs BM * BN / TM threads");
    static_assert(kTile.threads == kTile.block.m * kTile.block.k &&
                      kTile.threads == kTile.block.k * kTile.block.n,
                  "a thread loads one element of each tile: BM * BK and BK * BN must both equal "
                  "the block's threads");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {64, 64, 8}, .thread = {8, 1}, .threads = 512};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"block_tile_1d"};
constexpr Claim kClaims[] = {
    {"global bytes/result", 2 * 256 * 4 / 64 + 4},  // a loaded element serves 64 products
    {"FLOP/byte loaded", 16},
    {"FFMA/global load", 64.0 / 2},
    {"wavefronts stored/load", 1},
    {"words/FFMA", 9.0 / 8},
    {"wavefronts/load of As", 1},  // all lanes want the same word
    {"wavefronts/load of Bs", 1},
    {"barriers/block", 2 * 256 / 8},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k4",
    .aliases = kAliases,
    .parent = "k3",
    .kind = Kind::rung,
    .title = "a column of results per thread",
    .idea =
        "A thread computes TM elements of a column, so that one value of B from shared memory "
        "serves TM products.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::block_tile_1d
