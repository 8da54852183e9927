// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 22: asynchronous pipeline (21 + copies that need no registers, three k-tiles ahead)
//
// Before   What is on its way from global to shared memory holds 32 registers, so that only one
//          k-tile can be, and each element costs a load and a store.
//
// Idea     cp.async copies from global to shared memory: one instruction, no registers, and the
//          thread goes on. STAGES k-tiles lie in shared memory, one that is multiplied and the
//          others complete or on their way. Copies are committed in groups, one a k-tile, and the
//          thread waits until at most STAGES - 2 groups are under way: then the next k-tile is
//          there.
//
//          A copy cannot transpose 16 bytes, so A goes word by word, each to its place in (BK, BM);
//          B goes by 16 bytes. Outside the matrices a copy of 0 bytes fills with zeros.
//
// Picture  4 stages, t = 5:
//
//           stage     0      1           2              3
//           k-tile    t = 8  t = 5       t = 6          t = 7
//                     begun  multiplied  there at the   under way
//                     now                next barrier
//
//           A's lanes take 4 rows of 8 words each, which are whole sectors. Their
//           places lie in 8 rows of As; its pitch of 132 words puts these into
//           different banks.
//
// Cost     16 + 4 copies of a thread for each k-tile, where rung 21 had 8 loads and 20 stores. 65
//          KiB of shared memory, more than arrays of static size may have: hence DYNAMIC_SHARED.
//
//          The variants "stages3" and "stages5" hold one k-tile less and one more; "k8" has k-tiles
//          half as long, so that 4 stages take half the memory and are filled twice as often.
//
// Look at  A's copies store to shared memory without conflicts, 1 wavefront each (in rung 21 a
//          float4's four stores took 4 each), and bring 4 sectors each. B's copies bring 16
//          sectors. Reads are those of rung 21.
//
// Next     Reading B still takes twice the wavefronts it needs: rung 23.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::async_pipeline {

/// Begins to copy global -> shared, zero outside. kInterior: all inside, B on 16-byte boundaries.
template <TileConfig kTile, bool kInterior>
__device__ void copy_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_PITCH = BM + kTile.pad_a;
    constexpr int A_ROWS = kTile.threads / 8, B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / 8, a_col = threadIdx.x % 8;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        UNROLL
        for (int c = 0; c < BK; c += 8) {
            const bool exists = kInterior || (row < rows && a_col + c < depth);
            cp_async<4>(As + (a_col + c) * A_PITCH + row, A + c, exists ? 4 : 0);
        }
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        const SharedPtr<float> to = Bs + (b_row + r) * BN + b_col;
        const int exist = b_row + r < depth ? cols - b_col : 0;
        if constexpr (kInterior)
            cp_async<16>(to, B);
        else
            for (int j = 0; j < 4; ++j) cp_async<4>(to + j, B + j, j < exist ? 4 : 0);
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
    constexpr int STAGES = kTile.stages;
    constexpr int A_PITCH = BM + kTile.pad_a;
    DYNAMIC_SHARED(float, As, 0, STAGES, BK, A_PITCH);  // (BK, BM): A transposed
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BK * A_PITCH, STAGES, BK, BN);  // (BK, BN)
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
    const bool interior = rows == BM && cols == BN && rows_aligned(p.B, p.ldb);
    const int whole_k = interior ? p.k / BK : 0;  // k-tiles that need no guard
    float acc[FM][FN] = {};
    // --- load tile: begins to copy k-tile t into its stage
    const auto copy = [&](int t) {
        const SharedPtr<float> As_t = As + t % STAGES * (BK * A_PITCH);
        const SharedPtr<float> Bs_t = Bs + t % STAGES * (BK * BN);
        if (t < whole_k)
            copy_tile<kTile, true>(p, A, B, rows, cols, BK, As_t, Bs_t);
        else
            copy_tile<kTile, false>(p, A, B, rows, cols, inside(p.k, int64_t{t} * BK, BK), As_t,
                                    Bs_t);
        cp_async_commit();
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
    for (int t = 0; t < STAGES - 1 && tiles_k > 0; ++t) copy(t);
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    if (tiles_k > 0) load_fragments(0);
    for (int t = 0; t < tiles_k; ++t) {
        copy(t + STAGES - 1);  // behind the last k-tile there are zeros
        // --- multiply tile: an a serves FN products and a b FM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            As_k += A_PITCH, Bs_k += BN;
            if (k + 1 == BK) {
                cp_async_wait<STAGES - 2>();
                __syncthreads();
                As_k = As + (t + 1) % STAGES * (BK * A_PITCH) + thread_row;
                Bs_k = Bs + (t + 1) % STAGES * (BK * BN) + thread_col;
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
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * tile.block.k * (tile.block.m + tile.pad_a + tile.block.n);
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
    static_assert(kTile.thread.m % 4 == 0 && kTile.thread.n % 4 == 0 && kTile.pad_a % 4 == 0,
                  "fragments are read as float4: 4 divides TM, TN and the padding of A");
    static_assert(kTile.block.k % 8 == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step copies whole rows, of A by 8 words: 8 divides BK, and BN 4 * threads");
    static_assert(8 * kTile.block.m % kTile.threads == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads copy equally much: their number divides 8 * BM and BK * BN / 4");
    static_assert(kTile.stages >= 2, "one stage is read while others are filled: two at least");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution,
                  shared_bytes(kTile));
}

constexpr TileConfig tile(int block_k, int stages) {
    return {.block = {128, 128, block_k},
            .thread = {8, 4},
            .threads = 128,
            .pad_a = 4,
            .warp = {64, 64},
            .warp_n_steps = 4,
            .unroll_k = 8,
            .min_blocks = 2,
            .stages = stages};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>, shared_bytes(kTile)};
}
constexpr Variant kVariants[] = {variant<tile(16, 4)>("default"), variant<tile(16, 3)>("stages3"),
                                 variant<tile(16, 5)>("stages5"), variant<tile(8, 4)>("k8")};
constexpr Claim kClaims[] = {
    {"sectors/load of A", 4},
    {"sectors/load of B", 16},
    {"words/FFMA", 24.0 * 257 / (128 * 256)},
    {"FFMA/k", 128},
    {"loads/k of As", 2 * 257.0 / 256},
    {"loads/k of Bs", 4 * 257.0 / 256},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 4},
    {"wavefronts/store of As", 1},
    {"wavefronts/store of Bs", 4},
    {"barriers/block", 1 + 256 / 16},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "async_pipeline",
    .parent = "fragment_double_buffer",
    .kind = Kind::rung,
    .title = "asynchronous copies, several k-tiles ahead",
    .idea =
        "Copies from global to shared memory that need no registers are under way for several "
        "k-tiles while the block multiplies one.",
    .requirements =
        "B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, element "
        "by element",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::async_pipeline
