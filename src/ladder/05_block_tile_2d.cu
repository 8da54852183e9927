// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 05: 2D block tile (04 + a square of results a thread)
//
// Before   9 shared loads for 8 products: B is used 8 times from a register, A once.
//
// Idea     A thread computes TM x TN elements. For each k it loads a fragment of TM elements of A
//          and one of TN of B, and multiplies each with each: an outer product. The block tile
//          grows to 128 x 128 with 256 threads, so a thread now loads several elements of each
//          tile.
//
// Picture            b0 b1 .. b7   (a row of Bs)
//               a0    .  .     .
//               a1    .  .     .       64 accumulators in registers, 64 products
//               ..                     for 16 loaded elements
//               a7    .  .     .
//           (a column of As)
//
// Cost     16 loads for 64 products: 0.25 each. A global byte serves 32 FLOP. The price is
//          registers: 64 accumulators and two fragments allow only two blocks on an SM.
//
// Look at  Shared loads for each FFMA: 1.125 -> 0.25. Lanes now lie 8 rows and 8 columns apart: a
//          request for A takes 2 wavefronts and one for B 4, where 1 would do: 48 for each k. C's
//          stores touch 32 sectors a request.
//
// Next     Move four elements with each access: rung 06.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::block_tile_2d {

/// global -> shared, zero outside the matrices
template <TileConfig kTile>
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
        As[row * BK + a_col] = row < rows && a_col < depth ? A[0] : 0.0f;
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        const int row = b_row + r;
        Bs[row * BN + b_col] = row < depth && b_col < cols ? B[0] : 0.0f;
        B += B_ROWS * p.ldb;
    }
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n;
    SHARED(float, As, BM, BK);  // (BM, BK)
    SHARED(float, Bs, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, and this thread's TM x TN elements of it
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int thread_row = threadIdx.x / (BN / TN) * TM;
    const int thread_col = threadIdx.x % (BN / TN) * TN;
    GlobalPtr<const float> A = p.A + block_row * p.lda;
    GlobalPtr<const float> B = p.B + block_col;
    const int tiles_k = ceil_div(p.k, BK);
    float acc[TM][TN] = {};
    for (int t = 0; t < tiles_k; ++t) {
        // --- load tile: global -> shared, zero outside the matrices
        const int depth = inside(p.k, int64_t{t} * BK, BK);
        load_tile<kTile>(p, A, B, rows, cols, depth, As, Bs);
        __syncthreads();
        A += BK;
        B += BK * p.ldb;
        // --- multiply tile: shared -> registers, where an a serves TN products and a b TM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = As[(thread_row + i) * BK + k];
            for (int j = 0; j < TN; ++j) b[j] = Bs[k * BN + thread_col + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
            if (thread_row + i >= rows || thread_col + j >= cols) continue;
            const int64_t at = (block_row + thread_row + i) * p.ldc + block_col + thread_col + j;
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

constexpr TileConfig kDefault{
    .block = {128, 128, 8}, .thread = {8, 8}, .threads = 256, .unroll_k = 2, .min_blocks = 2};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"block_tile_2d"};
constexpr Claim kClaims[] = {
    {"FLOP/byte loaded", 32},
    {"FFMA/global load", 64},  // 8 loads of a thread for each k-tile, and 8 * 64 products
    {"sectors/FFMA", 4.0 / 64},
    {"wavefronts stored/load", 1},
    {"words/FFMA", 16.0 / 64},
    {"loads/k", 16},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 4},
    {"wavefronts/k", 8 * 2 + 8 * 4},
    {"sectors/store of C", 32},
    {"barriers/block", 2 * 256 / 8},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k5",
    .aliases = kAliases,
    .parent = "k4",
    .kind = Kind::rung,
    .title = "a square of results per thread",
    .idea = "A thread computes TM x TN elements as outer products of two fragments in registers.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::block_tile_2d
