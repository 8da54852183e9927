// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 12: block tile (11 + shared memory)
//
// Before   Rung 11's block has 64 rows and 64 columns, and its 256 threads ask for 16 times as
//          much: each for its own 4 + 4 elements of each k, all from global memory.
//
// Idea     The block copies a k-tile of A and of B into shared memory, each element once, and its
//          threads read their fragments there. The grid is rounded up, and what a tile lacks at an
//          edge is zero: it adds nothing, whatever M, N and K are. The thread tile is rung 11's.
//
// Picture             Bs  16 x 64
//                   +--------------+
//                   |              |    256 threads, one step of the copy:
//                   +--------------+       16 rows of A, 4 rows of B
//          +----+   +--------------+
//          | As |   |              |    and for each k, from shared memory:
//          | 64 |   | C   64 x 64  |       4 elements of a column of As,
//          |  x |   |              |       4 of a row of Bs, for 16 products
//          | 16 |   |              |
//          +----+   +--------------+
//
// Cost     A thread copies 4 + 4 elements for each k-tile of 16, where rung 11 loads 128. Now
//          shared memory serves 8 loads for 16 products.
//
// Look at  FFMAs for each global load: 2 -> 32; FLOP for each byte: 1 -> 16. Of 8 shared loads for
//          each k, those of B are free of conflicts, and those of A, whose two groups of lanes lie
//          4 rows of 16 words apart, take 2 wavefronts: 12 for 16 FFMAs.
//
// Next     Larger thread tiles need fewer loads: rung 13 has 8 x 8, and a level of warps above.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::shared_thread_tile {

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
__global__ void __launch_bounds__(kTile.threads) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n;
    SHARED(float, As, BM, BK);  // (BM, BK)
    SHARED(float, Bs, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, and this thread's TM rows and TN columns of it
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    // The rows are neighbours, the columns BN / TN apart: lanes side by side read one run of B.
    const int thread_row = threadIdx.x / (BN / TN) * TM, thread_col = threadIdx.x % (BN / TN);
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
            for (int j = 0; j < TN; ++j) b[j] = Bs[k * BN + thread_col + j * (BN / TN)];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
            const int row = thread_row + i, col = thread_col + j * (BN / TN);
            if (row >= rows || col >= cols) continue;
            const int64_t at = (block_row + row) * p.ldc + block_col + col;
            const float c = p.beta == 0.0f ? 0.0f : p.C[at];
            p.C[at] = p.alpha * acc[i][j] + p.beta * c;
        }
    }
}

#if !defined(__CUDACC_RTC__)
template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads * kTile.thread.m * kTile.thread.n == kTile.block.m * kTile.block.n,
                  "a thread computes TM * TN elements: a block needs BM * BN / (TM * TN) threads");
    static_assert(kTile.block.m % kTile.thread.m == 0 && kTile.block.n % kTile.thread.n == 0,
                  "thread tiles fill the block tile: TM divides BM, and TN divides BN");
    static_assert(kTile.threads % kTile.block.k == 0 && kTile.threads % kTile.block.n == 0,
                  "a step loads whole rows of a tile: BK and BN divide the block's threads");
    static_assert(kTile.block.m * kTile.block.k % kTile.threads == 0 &&
                      kTile.block.k * kTile.block.n % kTile.threads == 0,
                  "threads load equally many elements: their number divides BM * BK and BK * BN");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {64, 64, 16}, .thread = {4, 4}, .threads = 256};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr Claim kClaims[] = {
    {"FFMA/global load", 16.0 * 16 / 8},  // 8 loads of a thread for a k-tile of 16
    {"FLOP/byte loaded", 64 * 64 / (2.0 * (64 + 64))},
    {"sectors/load", 4},
    {"wavefronts stored/load", 1},
    {"FFMA/k", 16},
    {"loads/k", 4 + 4},
    {"words/FFMA", 8.0 / 16},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 1},
    {"wavefronts/k", 4 * 2 + 4 * 1},
    {"barriers/block", 2 * 256 / 16},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "shared_thread_tile",
    .aliases = {},
    .parent = "v1",
    .kind = Kind::rung,
    .title = "block tile in shared memory",
    .idea =
        "A block copies a k-tile of A and B into shared memory once, with zeros beyond the edges, "
        "and its threads read their fragments there.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::shared_thread_tile
