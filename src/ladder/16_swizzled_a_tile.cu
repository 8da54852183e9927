// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 16: swizzled A tile (detour from 13: columns permuted by row)
//
// Before   As in rung 15: the 8 rows that a warp's load of A wants lie in one bank; padding reaches
//          four banks and costs the alignment.
//
// Idea     Leave the pitch at 16 and permute the columns within each row, by an exclusive or with
//          the bits of the row that differ between lanes. Store and load compute the place alike.
//
// Picture  Where column k = 0 lies, in the 8 rows that a warp reads at a time:
//
//           row   0  8 16 24 32 40 48 56
//           col   0  1  2  3  4  5  6  7     8 columns, 8 banks
//
//          col ^ (row & 7) would do nothing: these rows agree in their lowest three bits.
//
// Cost     An instruction for each k: a thread's 8 rows agree in row >> 3, so that one exclusive or
//          serves 8 loads. No memory. But neighbours no longer lie side by side: the loads of A
//          stay scalar, and copies of 16 bytes are impossible.
//
// Look at  Ways of a load of A: 8 -> 1; wavefronts for each k: 72 -> 16. A warp stores two rows
//          with the same permutation, and a row stays in its banks: 1 wavefront, as before.
//
// Next     Rung 17 frees the loads of A from being scalar; rung 19 swizzles float4 instead of
//          words.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::swizzled_a_tile {

/// Where column `col` of a row of As lies. The rows that the lanes of a warp read at a time are 8
/// apart: bits 3 to 5 of the row tell them apart, the bits below do not.
__device__ int swizzle(int row, int col) {
    return col ^ (row >> 3 & 7);
}

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
        As[row * BK + swizzle(row, a_col)] =
            kInterior || (row < rows && a_col < depth) ? A[0] : 0.0f;
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
            for (int i = 0; i < TM; ++i)
                a[i] = As[(thread_row + i) * BK + swizzle(thread_row + i, k)];
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
    static_assert(
        kTile.block.k % 8 == 0 && kTile.thread.m == 8,
        "the swizzle permutes 8 columns by the lane's place among 8: 8 divides BK, TM = 8");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .thread = {8, 8},
                              .threads = 256,
                              .warp = {64, 32},
                              .warp_n_steps = 1,
                              .min_blocks = 2};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"swizzled_a_tile"};

constexpr Claim kClaims[] = {
    {"loads/k", 8 + 2},
    {"ways/load of As", 1},
    {"wavefronts/load of As", 1},
    {"wavefronts/load of Bs", 4},
    {"wavefronts/k", 8 * 1 + 2 * 4},
    {"ways/store", 1},
    {"wavefronts stored/load of A", 1},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "v4b",
    .aliases = kAliases,
    .parent = "v2",
    .kind = Kind::detour,
    .title = "bank conflicts: A tile swizzled",
    .idea =
        "Columns of the tile of A are permuted by an exclusive or with the row, so that lanes read "
        "from different banks.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::swizzled_a_tile
