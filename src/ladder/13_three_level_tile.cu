// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 13: three levels of tiles (12 + a warp tile, 8 x 8 a thread)
//
// Before   8 shared loads for 16 products.
//
// Idea     A larger square for each thread, TM x TN = 8 x 8, and a level between thread and block:
//          each warp has a WM x WN part of the block tile, its 32 lanes cover it as a grid, and the
//          warps cover the block tile. The sizes cannot be chosen freely: areas must add up.
//
// Picture  Block tile 128 x 128 = 8 warp tiles of 64 x 32 = 8 x 32 thread tiles of 8 x 8:
//
//           +--------+--------+--------+--------+       a warp's 8 x 4 lanes:
//           | warp 0 | warp 1 | warp 2 | warp 3 |            0   1   2   3
//           | 64x32  |        |        |        |            4   5   6   7
//           +--------+--------+--------+--------+            ...
//           | warp 4 | warp 5 | warp 6 | warp 7 |           28  29  30  31
//           |        |        |        |        |
//           +--------+--------+--------+--------+       8 warps are 256 threads
//
//          Warp tiles of 64 x 64 would be 4 for the block, and 128 threads: that is rung 10.
//
// Cost     For each k, 8 elements of A from 8 rows: 8 loads. 8 of B from one row: 2 loads of 16
//          bytes. Together 10 for 64 products. A global byte serves 32 FLOP. 64 accumulators and
//          the fragments leave room for two blocks on an SM. In the variant "64x64" the lanes
//          do the same, and a global byte serves half as many FLOP.
//
// Look at  Shared loads for each k: 10 for 64 FFMAs, where 8 served 16. FLOP for each global byte:
//          16 -> 32. And yet wavefronts for each k rise from 12 to 72: the 8 rows that the lanes of
//          a warp want of A lie 8 x 16 words apart, in one bank. Each load of A has an 8-way
//          conflict; those of B have none, and take 4 wavefronts as 16 bytes a lane do.
//
// Next     Rung 14 copies while it multiplies. 15 to 17 are detours: they remove the conflict, and
//          the wide copies of rung 14 no longer fit their tiles. Rung 18, which grows from 14,
//          reads A so that the conflict matters less.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::three_level_tile {

/// global -> shared, zero outside the matrices. kInterior: nothing is.
template <TileConfig kTile, bool kInterior>
__device__ void load_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_ROWS = kTile.threads / BK, B_ROWS = kTile.threads / BN;  // rows in one step
    const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK;
    const int b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        As[row * BK + a_col] = kInterior || (row < rows && a_col < depth) ? A[0] : 0.0f;
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        const int row = b_row + r;
        Bs[row * BN + b_col] = kInterior || (row < depth && b_col < cols) ? B[0] : 0.0f;
        B += B_ROWS * p.ldb;
    }
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n;
    SHARED(float, As, BM, BK);  // (BM, BK)
    SHARED(float, Bs, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, the warp's part of it, and this thread's part of that
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int thread_row = warp / (BN / WN) * WM + lane / (WN / TN) * TM;
    const int thread_col = warp % (BN / WN) * WN + lane % (WN / TN) * TN;
    GlobalPtr<const float> A = p.A + block_row * p.lda;
    GlobalPtr<const float> B = p.B + block_col;
    const int tiles_k = ceil_div(p.k, BK);
    float acc[TM][TN] = {};
    for (int t = 0; t < tiles_k; ++t) {
        // --- load tile: global -> shared, zero outside the matrices
        const int depth = inside(p.k, int64_t{t} * BK, BK);
        if (rows == BM && cols == BN && depth == BK)
            load_tile<kTile, true>(p, A, B, rows, cols, depth, As, Bs);
        else
            load_tile<kTile, false>(p, A, B, rows, cols, depth, As, Bs);
        __syncthreads();
        A += BK;
        B += BK * p.ldb;
        // --- multiply tile: shared -> registers, where an a serves TN products and a b TM
        // Unrolled, the compiler would read neighbouring k of A at once: that is rung 18's idea.
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = As[(thread_row + i) * BK + k];
            for (int j = 0; j < TN; j += 4) ld4(&b[j], Bs + k * BN + thread_col + j);
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    UNROLL
    for (int i = 0; i < TM; ++i) {
        if (thread_row + i >= rows) continue;
        GlobalPtr<float> C = p.C + (block_row + thread_row + i) * p.ldc + block_col + thread_col;
        UNROLL
        for (int j = 0; j < TN; ++j) {
            if (thread_col + j >= cols) continue;
            const float c = p.beta == 0.0f ? 0.0f : C[j];
            C[j] = p.alpha * acc[i][j] + p.beta * c;
        }
    }
}

#if !defined(__CUDACC_RTC__)
template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n == kTile.block.m * kTile.block.n,
                  "warp tiles fill the block tile: the areas of threads / 32 warp tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0,
                  "warp tiles fill the block tile: WM divides BM, and WN divides BN");
    static_assert(32 * kTile.thread.m * kTile.thread.n == kTile.warp.m * kTile.warp.n,
                  "thread tiles fill the warp tile: the areas of 32 thread tiles add up");
    static_assert(kTile.warp.m % kTile.thread.m == 0 && kTile.warp.n % kTile.thread.n == 0,
                  "the lanes form a grid: TM divides WM, and TN divides WN");
    static_assert(kTile.thread.n % 4 == 0, "fragments of B are read as float4: 4 divides TN");
    static_assert(kTile.threads % kTile.block.k == 0 && kTile.threads % kTile.block.n == 0,
                  "a step loads whole rows of a tile: BK and BN divide the block's threads");
    static_assert(kTile.block.m * kTile.block.k % kTile.threads == 0 &&
                      kTile.block.k * kTile.block.n % kTile.threads == 0,
                  "threads load equally many elements: their number divides BM * BK and BK * BN");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .thread = {8, 8},
                              .threads = 256,
                              .warp = {64, 32},
                              .warp_n_steps = 1,
                              .min_blocks = 2};
constexpr TileConfig kSmall{.block = {64, 64, 8},
                            .thread = {8, 8},
                            .threads = 64,
                            .warp = {64, 32},
                            .warp_n_steps = 1,
                            .min_blocks = 8};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>},
                                 {"64x64", kSmall, run<kSmall>}};
constexpr const char* kAliases[] = {"three_level_tile"};

constexpr Claim kClaims[] = {
    {"FFMA/global load", 16 * 64 / 16},  // 16 loads of a thread for a k-tile of 16
    {"FLOP/byte loaded", 128 * 128 / (2.0 * (128 + 128))},
    {"sectors/load", 4},
    {"wavefronts stored/load", 1},
    {"FFMA/k", 64},
    {"loads/k", 8 + 2},
    {"loads/k of As", 8},
    {"loads/k of Bs", 2},
    {"words/FFMA", 16.0 / 64},
    {"ways/load of As", 8},
    {"wavefronts/load of As", 8},
    {"ways/load of Bs", 1},
    {"wavefronts/load of Bs", 4},
    {"wavefronts/k", 8 * 8 + 2 * 4},
    {"ways/store", 1},
    {"sectors/store of C", 32},
    {"barriers/block", 2 * 256 / 16},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "v2",
    .aliases = kAliases,
    .parent = "shared_thread_tile",
    .kind = Kind::rung,
    .title = "block, warp and thread tile",
    .idea =
        "Tiles at three levels whose areas add up: a block of warps, a warp of lanes, and a square "
        "of 8 x 8 elements a lane.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::three_level_tile
