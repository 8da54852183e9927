// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 10: warp tile (09 + a level between block and thread)
//
// Before   A warp's 32 lanes cover 16 thread tiles in a row and 2 rows of them: it needs 16
//          fragments of B and 2 of A, which is lopsided, and B's lanes collide.
//
// Idea     Give each warp its own WM x WN part of the block tile, close to square. Its lanes cover
//          it in steps side by side: TM x TN elements a lane in each. A lane keeps the fragments of
//          all its steps for one k in registers at once.
//
// Picture  A warp tile of 64 x 64, TM x TN = 8 x 4, 4 steps along n of 8 x 4 lanes each:
//
//               step 0   step 1   step 2   step 3       the lanes of a step
//             +--------+--------+--------+--------+          lane 0  1  2  3
//             | 64x16  |        |        |        |               4  5  6  7
//             |        |        |        |        |               ...
//             +--------+--------+--------+--------+              28 29 30 31
//
// Cost     8 elements of A and 4 x 4 of B for 128 products: 0.1875 loads each, 6 of 16 bytes. 128
//          accumulators a thread; 168 registers let an SM hold three blocks of 128 threads.
//
// Look at  Shared loads for each FFMA: 0.25 -> 0.1875, FFMA to 16-byte loads 128 : 6. No read meets
//          a conflict: B takes 4 wavefronts, since its lanes lie 16 bytes apart, and A 2, since
//          four neighbouring lanes want the same piece. The transposed store of A takes 4
//          wavefronts, since BK is 16.
//
// Next     Loading and multiplying still take turns: nothing is in flight while the block
//          multiplies.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::warp_tile {

/// The next four elements of a row, of which `exist` lie inside the matrix; zero for the others.
/// kInterior: all four do, on a 16-byte boundary.
template <bool kInterior>
__device__ float4 load4(GlobalPtr<const float> row, int exist) {
    if constexpr (kInterior) return ld<float4>(row);
    return {exist > 0 ? row[0] : 0.0f, exist > 1 ? row[1] : 0.0f, exist > 2 ? row[2] : 0.0f,
            exist > 3 ? row[3] : 0.0f};
}

/// global -> shared, zero outside the matrices
template <TileConfig kTile, bool kInterior>
__device__ void load_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_ROWS = kTile.threads / (BK / 4), B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        const float4 a = load4<kInterior>(A, row < rows ? depth - a_col : 0);
        As[(a_col + 0) * BM + row] = a.x;
        As[(a_col + 1) * BM + row] = a.y;
        As[(a_col + 2) * BM + row] = a.z;
        As[(a_col + 3) * BM + row] = a.w;
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        const int row = b_row + r;
        st(Bs + row * BN + b_col, load4<kInterior>(B, row < depth ? cols - b_col : 0));
        B += B_ROWS * p.ldb;
    }
}

/// C := alpha * acc + beta * C for the next four elements of a row, of which `exist` lie inside the
/// matrix. vector: all four do, on a 16-byte boundary.
__device__ void store4(const Gemm& p, GlobalPtr<float> C, int exist, bool vector,
                       const float* acc) {
    if (vector) {
        const float4 c = p.beta == 0.0f ? float4{} : ld<float4>(C);
        st(C, float4{p.alpha * acc[0] + p.beta * c.x, p.alpha * acc[1] + p.beta * c.y,
                     p.alpha * acc[2] + p.beta * c.z, p.alpha * acc[3] + p.beta * c.w});
        return;
    }
    UNROLL
    for (int j = 0; j < 4; ++j) {
        if (j >= exist) continue;
        const float c = p.beta == 0.0f ? 0.0f : C[j];
        C[j] = p.alpha * acc[j] + p.beta * c;
    }
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n;
    constexpr int N_STEPS = kTile.warp_n_steps, M_STEPS = WM * WN / (32 * TM * TN * N_STEPS);
    constexpr int STEP_M = WM / M_STEPS, STEP_N = WN / N_STEPS;  // what the warp covers in one step
    constexpr int FM = M_STEPS * TM, FN = N_STEPS * TN;  // the fragments of all steps
    SHARED(float, As, BK, BM);  // (BK, BM): A transposed
    SHARED(float, Bs, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, the warp's part of it, and this thread's first element
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int thread_row = warp / (BN / WN) * WM + lane / (STEP_N / TN) * TM;
    const int thread_col = warp % (BN / WN) * WN + lane % (STEP_N / TN) * TN;
    GlobalPtr<const float> A = p.A + block_row * p.lda;
    GlobalPtr<const float> B = p.B + block_col;
    const int tiles_k = ceil_div(p.k, BK);
    const bool interior =
        rows == BM && cols == BN && rows_aligned(p.A, p.lda) && rows_aligned(p.B, p.ldb);
    float acc[FM][FN] = {};
    for (int t = 0; t < tiles_k; ++t) {
        // --- load tile: global -> shared, zero outside the matrices
        const int depth = inside(p.k, int64_t{t} * BK, BK);
        if (interior && depth == BK)
            load_tile<kTile, true>(p, A, B, rows, cols, depth, As, Bs);
        else
            load_tile<kTile, false>(p, A, B, rows, cols, depth, As, Bs);
        __syncthreads();
        A += BK;
        B += BK * p.ldb;
        // --- multiply tile: shared -> registers, where an a serves FN products and a b FM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            float a[FM], b[FN];
            for (int i = 0; i < FM; i += 4)
                ld4(&a[i], As + k * BM + thread_row + i / TM * STEP_M + i % TM);
            for (int j = 0; j < FN; j += 4)
                ld4(&b[j], Bs + k * BN + thread_col + j / TN * STEP_N + j % TN);
            // Step by step: row by row, ptxas needs more registers than three blocks leave.
            for (int j0 = 0; j0 < FN; j0 += TN)
                for (int i = 0; i < FM; ++i)
                    for (int j = j0; j < j0 + TN; ++j) acc[i][j] = fma_(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    const bool vector = cols == BN && rows_aligned(p.C, p.ldc);
    UNROLL
    for (int i = 0; i < FM; ++i) {
        const int row = thread_row + i / TM * STEP_M + i % TM;
        if (row >= rows) continue;
        GlobalPtr<float> C = p.C + (block_row + row) * p.ldc + block_col;
        UNROLL
        for (int j = 0; j < FN; j += 4) {
            const int col = thread_col + j / TN * STEP_N + j % TN;
            store4(p, C + col, cols - col, vector, &acc[i][j]);
        }
    }
}

#if !defined(__CUDACC_RTC__)
Status launch_sgemm(void (*kernel)(Gemm), const TileConfig& tile, const Problem& problem,
                    const Execution& execution) {
    return launch(kernel, tile, Grid(tile.threads), problem, execution);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n == kTile.block.m * kTile.block.n,
                  "warp tiles fill the block tile: the areas of threads / 32 warp tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0,
                  "warp tiles fill the block tile: WM divides BM, and WN divides BN");
    static_assert(
        kTile.warp.m * kTile.warp.n % (32 * kTile.thread.m * kTile.thread.n * kTile.warp_n_steps) ==
            0,
        "a warp covers its tile in whole steps: 32 * TM * TN * steps divides WM * WN");
    static_assert(kTile.warp.n % (kTile.warp_n_steps * kTile.thread.n) == 0 &&
                      32 % (kTile.warp.n / kTile.warp_n_steps / kTile.thread.n) == 0,
                  "the lanes of a step form a grid: TN divides its width WN / steps, and the "
                  "quotient divides 32");
    static_assert(kTile.thread.m % 4 == 0 && kTile.thread.n % 4 == 0 && kTile.block.k % 4 == 0,
                  "fragments and rows of the tile of A are read as float4: 4 divides TM, TN, BK");
    static_assert(4 * kTile.threads % kTile.block.k == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step loads whole rows as float4: BK and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads load equally many float4: 4 * threads divides BM * BK and BK * BN");
    return launch_sgemm(sgemm<kTile>, kTile, problem, execution);
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .thread = {8, 4},
                              .threads = 128,
                              .warp = {64, 64},
                              .warp_n_steps = 4,
                              .unroll_k = 16,
                              .min_blocks = 3};
constexpr TileConfig kA100{.block = {64, 128, 16},
                           .thread = {4, 4},
                           .threads = 128,
                           .warp = {32, 64},
                           .warp_n_steps = 1,
                           .unroll_k = 16,
                           .min_blocks = 4};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}, {"a100", kA100, run<kA100>}};
constexpr const char* kAliases[] = {"warp_tile"};
constexpr Claim kClaims[] = {
    {"FFMA/global load", 4 * 64},
    {"sectors/load", 16},
    {"words/FFMA", 24.0 / 128},  // 8 of A and 16 of B
    {"FFMA/k", 128},
    {"loads/k", 2 + 4},
    {"FFMA/load", 128.0 / 6},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 4},
    {"ways/store of As", 4},
    {"wavefronts stored/load of A", 4 * 4},
    {"wavefronts/store of Bs", 4},
    {"barriers/block", 2 * 256 / 16},
};

// What ./tw tune k10 chooses from, compiling what is not above.
constexpr int kBlock[] = {128, 64, 256}, kDepth[] = {16, 8, 32}, kWarp[] = {64, 32};
constexpr int kThread[] = {8, 4}, kSteps[] = {4, 1, 2};
constexpr int kUnroll[] = {16, 8, 4}, kMinBlocks[] = {0, 2, 3, 4};
constexpr Axis kAxes[] = {
    {"block.m", kBlock},      {"block.n", kBlock},         {"block.k", kDepth},
    {"warp.m", kWarp},        {"warp.n", kWarp},           {"thread.m", kThread},
    {"warp_n_steps", kSteps}, {"unroll_k", kUnroll, true}, {"min_blocks", kMinBlocks, true}};
constexpr TuningSpace kSpace{kAxes,
                             [](TileConfig c) {
                                 c.thread.n = 4;
                                 c.threads = c.block.m / c.warp.m * (c.block.n / c.warp.n) * 32;
                                 return c;
                             },
                             launch_compiled<launch_sgemm>};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k10",
    .aliases = kAliases,
    .parent = "k9",
    .kind = Kind::rung,
    .title = "warp tile",
    .idea =
        "Each warp owns a part of the block tile and each lane a piece of it in every step, so "
        "that fragments serve more products.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, "
        "element by element",
    .variants = kVariants,
    .claims = kClaims,
    .space = &kSpace,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::warp_tile
