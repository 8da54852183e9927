// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 19: swizzled float4 (detour from 18: pieces of 16 bytes permuted by row)
//
// Before   Rung 18's loads of A take 8 wavefronts where 2 would do. Rung 16 removed a conflict with
//          an exclusive or, and made every access scalar by it.
//
// Idea     Swizzle the index of the float4 instead of the word's: a row of As has four, and they
//          change places as a whole. Loads of 16 bytes stay loads, copies of 16 bytes stay copies,
//          and both are aligned as before.
//
// Picture  Where k = 0 .. 3 lie, in the 8 rows that a warp reads at a time:
//
//           row       0   8  16  24  32  40  48  56
//           float4    0   1   2   3   0   1   2   3
//
//          Half a warp is served in one wavefront, as neighbouring lanes want the same piece: that
//          is four rows, and they lie in 4 x 4 banks.
//
// Cost     An exclusive or for each 4 k, since a thread's 8 rows agree in row >> 3, and one for
//          each copy. No memory. The variant "unrolled" is rung 18's.
//
// Look at  Ways of a load of A: 4 -> 1, and 2 wavefronts instead of 8: 24 -> 12 for each k, which
//          is what rung 17 reaches by transposing. A copy is still stored in 4 wavefronts.
//
// Next     Nothing builds on this. Reading costs 12 wavefronts for 64 FFMAs now, and the next
//          limits are issue slots and the register file: see rung 10 for a larger tile for each
//          thread.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::swizzled_float4 {

/// Where the four elements from column `col` on of a row of As lie. The rows that the lanes of a
/// warp read at a time are 8 apart: bits 3 and 4 of the row tell four of them apart.
__device__ int swizzle(int row, int col) {
    return col ^ (row >> 3 & 3) * 4;
}

/// Begins to copy the next four elements of a row, of which `exist` lie inside the matrix; zero for
/// the others. kInterior: all four do, on a 16-byte boundary.
template <bool kInterior>
__device__ void copy4(SharedPtr<float> to, GlobalPtr<const float> row, int exist) {
    if constexpr (kInterior) {
        cp_async<16>(to, row);
    } else {
        UNROLL
        for (int i = 0; i < 4; ++i) cp_async<4>(to + i, row + i, i < exist ? 4 : 0);
    }
}

/// global -> shared, zero outside the matrices. kInterior: nothing is.
template <TileConfig kTile, bool kInterior>
__device__ void copy_rows(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_ROWS = kTile.threads / (BK / 4), B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        copy4<kInterior>(As + row * BK + swizzle(row, a_col), A, row < rows ? depth - a_col : 0);
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        const int row = b_row + r;
        copy4<kInterior>(Bs + row * BN + b_col, B, row < depth ? cols - b_col : 0);
        B += B_ROWS * p.ldb;
    }
}

/// Begins to copy a k-tile, and makes a group of its copies.
template <TileConfig kTile>
__device__ void copy_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, bool interior, SharedPtr<float> As,
                          SharedPtr<float> Bs) {
    if (interior && depth == kTile.block.k)
        copy_rows<kTile, true>(p, A, B, rows, cols, depth, As, Bs);
    else
        copy_rows<kTile, false>(p, A, B, rows, cols, depth, As, Bs);
    cp_async_commit();
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n;
    SHARED(float, As, kTile.stages, BM, BK);  // (stages, BM, BK)
    SHARED(float, Bs, kTile.stages, BK, BN);  // (stages, BK, BN)
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
    const unsigned tiles_k = ceil_div(p.k, BK);
    const bool interior =
        rows == BM && cols == BN && rows_aligned(p.A, p.lda) && rows_aligned(p.B, p.ldb);
    float acc[TM][TN] = {};
    // --- prologue: begin with the first k-tile
    if (tiles_k > 0) copy_tile<kTile>(p, A, B, rows, cols, inside(p.k, 0, BK), interior, As, Bs);
    for (unsigned t = 0; t < tiles_k; ++t) {
        // --- wait for k-tile t: each thread for its own copies, then all for each other
        cp_async_wait<0>();
        __syncthreads();
        // --- copy tile: begin with the next; who has passed the barrier reads its stage no more
        A += BK;
        B += BK * p.ldb;
        const int next = (t + 1) % kTile.stages, depth = inside(p.k, int64_t{t + 1} * BK, BK);
        if (t + 1 < tiles_k)
            copy_tile<kTile>(p, A, B, rows, cols, depth, interior, As + next * BM * BK,
                             Bs + next * BK * BN);
        const int stage = t % kTile.stages;
        const SharedPtr<float> a_tile = As + stage * BM * BK, b_tile = Bs + stage * BK * BN;
        // --- multiply tile: shared -> registers, where an a serves TN products and a b TM
        // 4 steps along k at a time: they are neighbours in a row of As
        UNROLL_BY(kTile.unroll_k / 4)
        for (int k = 0; k < BK; k += 4) {
            float a[TM][4];
            for (int i = 0; i < TM; ++i)
                ld4(a[i], a_tile + (thread_row + i) * BK + swizzle(thread_row + i, k));
            for (int u = 0; u < 4; ++u) {
                float b[TN];
                for (int j = 0; j < TN; j += 4) ld4(&b[j], b_tile + (k + u) * BN + thread_col + j);
                for (int i = 0; i < TM; ++i)
                    for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i][u], b[j], acc[i][j]);
            }
        }
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
    static_assert(kTile.stages == 2, "a k-tile is multiplied while the next one arrives: 2 stages");
    static_assert(kTile.thread.n % 4 == 0 && kTile.block.k % 4 == 0,
                  "fragments of B are read, and rows of A copied, as float4: 4 divides TN and BK");
    static_assert(4 * kTile.threads % kTile.block.k == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step copies whole rows as float4: BK and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads copy equally many float4: 4 * threads divides BM * BK and BK * BN");
    static_assert(kTile.unroll_k % 4 == 0 && kTile.block.k % kTile.unroll_k == 0,
                  "4 steps along k are one: 4 divides the unrolled steps, and these divide BK");
    static_assert(
        kTile.block.k % 16 == 0 && kTile.thread.m == 8,
        "the swizzle permutes 4 float4 by the lane's place among 4: 16 divides BK, TM = 8");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .thread = {8, 8},
                              .threads = 256,
                              .warp = {64, 32},
                              .warp_n_steps = 1,
                              .unroll_k = 4,
                              .min_blocks = 2,
                              .stages = 2};
constexpr TileConfig kUnrolled{.block = {128, 128, 16},
                               .thread = {8, 8},
                               .threads = 256,
                               .warp = {64, 32},
                               .warp_n_steps = 1,
                               .unroll_k = 16,
                               .min_blocks = 2,
                               .stages = 2};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>},
                                 {"unrolled", kUnrolled, run<kUnrolled>}};
constexpr const char* kAliases[] = {"swizzled_float4"};

constexpr Claim kClaims[] = {
    {"loads/k", 16.0 / 4},           {"ways/load", 1},
    {"wavefronts/load of As", 2},    {"wavefronts/load of Bs", 4},
    {"wavefronts/k", 2 * 2 + 2 * 4}, {"FFMA/k", 64},
    {"wavefronts stored/load", 4},   {"ways/store", 1},
    {"barriers/block", 256 / 16},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "v5x",
    .aliases = kAliases,
    .parent = "v5",
    .kind = Kind::detour,
    .title = "bank conflicts: float4 swizzled",
    .idea =
        "Pieces of 16 bytes of the tile of A change places by an exclusive or with the row: no "
        "conflict, and every access stays 16 bytes wide.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0); else, and at edges, copies of 4 bytes",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::swizzled_float4
