// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 15: padded A tile (detour from 13: an unused column behind each row of As)
//
// Before   The lanes of a warp read A from rows 8 apart. A row has 16 words, 8 rows have 128, and
//          word w lies in bank w mod 32: all 8 rows in the same bank.
//
// Idea     A pitch of 17. Then 8 rows are 136 words, and the next lane's row starts 8 banks
//          further.
//
// Picture  Banks of As[thread_row][k] for the 8 rows of a warp's load:
//
//           pitch 16:  k  k     k     k     k  k     k     k     1 bank
//           pitch 17:  k  k+8  k+16  k+24   k  k+8  k+16  k+24  4 banks
//
//          No padding does better: 8 rows are 8 x pitch words, a multiple of 8 whatever the pitch
//          is, and of multiples of 8 there are four mod 32.
//
// Cost     128 words of shared memory. Rows of 17 words no longer start on 16 bytes: neither a copy
//          of 16 bytes, rung 14's, nor a load of 16 bytes along k, rung 18's, is possible any more.
//
// Look at  Ways of a load of A: 8 -> 2; wavefronts for each k: 72 -> 24. The stores get worse: a
//          warp stores two rows, the last word of the second lies 32 words behind the first of the
//          first, and 1 wavefront becomes 2.
//
// Next     Rung 16 leaves the pitch as it is, and permutes columns instead.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::padded_a_tile {

/// global -> shared, zero outside the matrices. kInterior: nothing is.
template <TileConfig kTile, bool kInterior>
__device__ void load_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_PITCH = BK + kTile.pad_a;
    constexpr int A_ROWS = kTile.threads / BK, B_ROWS = kTile.threads / BN;  // rows in one step
    const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK;
    const int b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        As[row * A_PITCH + a_col] = kInterior || (row < rows && a_col < depth) ? A[0] : 0.0f;
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
    constexpr int A_PITCH = BK + kTile.pad_a;
    SHARED(float, As, BM, A_PITCH);  // (BM, BK)
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
            for (int i = 0; i < TM; ++i) a[i] = As[(thread_row + i) * A_PITCH + k];
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
                              .pad_a = 1,
                              .warp = {64, 32},
                              .warp_n_steps = 1,
                              .min_blocks = 2};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"padded_a_tile"};

constexpr Claim kClaims[] = {
    {"loads/k", 8 + 2},
    {"ways/load of As", 2},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 4},
    {"wavefronts/k", 8 * 2 + 2 * 4},
    {"wavefronts/store of As", 2},
    {"wavefronts/store of Bs", 1},
    {"wavefronts stored/load of A", 2},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "v4a",
    .aliases = kAliases,
    .parent = "v2",
    .kind = Kind::detour,
    .title = "bank conflicts: A tile padded",
    .idea = "An unused column behind each row of the tile of A spreads the rows over four banks.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::padded_a_tile
