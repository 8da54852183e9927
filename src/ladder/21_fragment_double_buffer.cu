// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 21: fragment double buffer (20 + the fragments of the next k while this one multiplies)
//
// Before   Behind the barrier all warps ask for their first fragments at once, and none has
//          anything to multiply until they come. Within a k-tile it is the compiler that decides
//          how early a fragment is read; across a barrier it may not move a read at all.
//
// Idea     Two sets of fragments: a[k % 2], b[k % 2] are multiplied while those of k + 1 are read.
//          At the last k of a k-tile these are the first of the next one, so that the store to
//          shared memory and the barrier come before the last products, not behind them.
//
// Picture  BK = 16:
//
//           k         0      1      ...   14     15                0      1
//           read      k=1    k=2    ...   k=15   put, barrier, k=0 k=1    ...
//           multiply  k=0    k=1    ...   k=14   k=15              k=0    ...
//
// Cost     24 registers for the second set. The k loop is unrolled 8 times and goes round twice, so
//          that the last k of a k-tile has its branch in one place.
//
// Look at  What is counted is rung 20's, with one barrier and one set of fragments more: the loop
//          reads the first fragments behind the last k-tile and does not use them. In the compiled
//          code, for sm_90a, the order within a k-tile is the compiler's, source or no source: in
//          the middle it reads fragments right before their first product. What the source decides
//          is the barrier: the first fragments behind it are asked for before the next loads are
//          begun, and last products of the old k-tile stand between them and their first use.
//
// Next     Loads that need no registers on their way: rung 22.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::fragment_double_buffer {

/// The next four elements of a row, of which `exist` lie inside the matrix; zero for the others.
/// kInterior: all four do, on a 16-byte boundary.
template <bool kInterior>
__device__ float4 load4(GlobalPtr<const float> row, int exist) {
    if constexpr (kInterior) return ld<float4>(row);
    return {exist > 0 ? row[0] : 0.0f, exist > 1 ? row[1] : 0.0f, exist > 2 ? row[2] : 0.0f,
            exist > 3 ? row[3] : 0.0f};
}

/// A thread's share of a k-tile, on its way from global to shared memory.
template <TileConfig kTile>
struct Staged {
    float4 a[kTile.block.m * kTile.block.k / (4 * kTile.threads)];
    float4 b[kTile.block.k * kTile.block.n / (4 * kTile.threads)];
};

/// global -> registers, zero outside the matrices
template <TileConfig kTile, bool kInterior>
__device__ void fetch_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                           int rows, int cols, int depth, Staged<kTile>& staged) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_ROWS = kTile.threads / (BK / 4), B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        staged.a[r / A_ROWS] = load4<kInterior>(A, a_row + r < rows ? depth - a_col : 0);
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        staged.b[r / B_ROWS] = load4<kInterior>(B, b_row + r < depth ? cols - b_col : 0);
        B += B_ROWS * p.ldb;
    }
}

/// registers -> shared
template <TileConfig kTile>
__device__ void put_tile(const Staged<kTile>& staged, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_ROWS = kTile.threads / (BK / 4), B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        const float4 a = staged.a[r / A_ROWS];
        As[(a_col + 0) * BM + row] = a.x;
        As[(a_col + 1) * BM + row] = a.y;
        As[(a_col + 2) * BM + row] = a.z;
        As[(a_col + 3) * BM + row] = a.w;
    }
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) st(Bs + (b_row + r) * BN + b_col, staged.b[r / B_ROWS]);
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
    constexpr int STAGES = kTile.stages;
    SHARED(float, As, STAGES, BK, BM);  // (BK, BM): A transposed
    SHARED(float, Bs, STAGES, BK, BN);  // (BK, BN)
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
    const int whole_k = interior ? p.k / BK : 0;  // k-tiles that need no guard
    float acc[FM][FN] = {};
    // --- load tile: in two halves, between which the thread multiplies
    Staged<kTile> staged;
    const auto fetch = [&](int t) {
        if (t < whole_k)
            fetch_tile<kTile, true>(p, A, B, rows, cols, BK, staged);
        else
            fetch_tile<kTile, false>(p, A, B, rows, cols, inside(p.k, int64_t{t} * BK, BK), staged);
        A += BK;
        B += BK * p.ldb;
    };
    // --- shared -> registers: the fragments of k, from the rows that As_k and Bs_k point to
    SharedPtr<float> As_k = As + thread_row, Bs_k = Bs + thread_col;
    float a[2][FM], b[2][FN];
    const auto load_fragments = [&](int k) {
        for (int i = 0; i < FM; i += 4) ld4(&a[k % 2][i], As_k + i / TM * STEP_M + i % TM);
        for (int j = 0; j < FN; j += 4) ld4(&b[k % 2][j], Bs_k + j / TN * STEP_N + j % TN);
    };
    fetch(0);
    put_tile<kTile>(staged, As, Bs);
    __syncthreads();
    load_fragments(0);
    for (int t = 0; t < tiles_k; ++t) {
        fetch(t + 1);  // behind the last k-tile there are zeros
        // --- multiply tile: an a serves FN products and a b FM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            As_k += BM, Bs_k += BN;
            if (k + 1 == BK) {
                const SharedPtr<float> As_next = As + (t + 1) % STAGES * (BK * BM);
                const SharedPtr<float> Bs_next = Bs + (t + 1) % STAGES * (BK * BN);
                put_tile<kTile>(staged, As_next, Bs_next);
                __syncthreads();
                As_k = As_next + thread_row, Bs_k = Bs_next + thread_col;
            }
            load_fragments(k + 1);
            // Step by step, as in rung 10; rung 24 asks whether that is the best order.
            for (int j0 = 0; j0 < FN; j0 += TN)
                for (int i = 0; i < FM; ++i)
                    for (int j = j0; j < j0 + TN; ++j)
                        acc[i][j] = fma_(a[k % 2][i], b[k % 2][j], acc[i][j]);
        }
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
    static_assert(kTile.block.k % 2 == 0, "the first of a k-tile comes to fragments 0: BK is even");
    static_assert(kTile.stages == 2, "one buffer is read and one is filled: two stages");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig tile(int unroll_k) {
    return {.block = {128, 128, 16},
            .thread = {8, 4},
            .threads = 128,
            .warp = {64, 64},
            .warp_n_steps = 4,
            .unroll_k = unroll_k,
            .min_blocks = 2,
            .stages = 2};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>};
}
constexpr Variant kVariants[] = {variant<tile(8)>("default")};
constexpr Claim kClaims[] = {
    {"FFMA/global load", 4 * 64},
    {"sectors/load", 16},
    {"words/FFMA", 24.0 * 257 / (128 * 256)},  // a step behind the last
    {"FFMA/k", 128},
    {"loads/k of As", 2 * 257.0 / 256},
    {"loads/k of Bs", 4 * 257.0 / 256},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 4},
    {"ways/store of As", 4},
    {"barriers/block", 1 + 256 / 16},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "fragment_double_buffer",
    .parent = "register_staged",
    .kind = Kind::rung,
    .title = "two sets of fragments",
    .idea =
        "A thread reads the fragments of the next k, also across the barrier, before it multiplies "
        "those of this one.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, "
        "element by element",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::fragment_double_buffer
