// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 28: transposing pre-pass (25 + A is transposed before the product begins)
//
// Before   A lies by rows and is read by columns, so that it is turned on its way: word by word, 16
//          copies of 4 bytes where 4 of 16 would do, each with an issue slot and an address of its
//          own.
//
// Idea     A kernel before the product writes A's transpose to a workspace. Both operands now lie
//          as they are read, by rows of k, and one function copies either. It is part of the call,
//          and its time too. Rows of the workspace begin on 16 bytes; where B's own do not, it is
//          packed there as well, so that no product needs a path of 4-byte copies.
//
// Picture        m                 k                n
//             +------+        +-------+        +------+
//           k |  At  |   <-   |   A   |      k |  B   |
//             +------+        +-------+        +------+
//              (k, m)           (m, k)          (k, n)
//
// Cost     A is read and written once more: 2 m k words, against 2 m n k FLOP, so that the part of
//          it is the smaller, the larger n is. At 4096 it is 134 MB. The variant "wide" is rung
//          25's: 128 x 256.
//
// Look at  4 sectors a copy of A become 16, as for B. A copy stores to shared memory in 4
//          wavefronts.
//
// Next     The last wave of tiles leaves multiprocessors idle: rung 29 prepares for cutting it up.
#include "device/pack.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::transposing_prepass {

/// Begins to copy a tile global -> shared, zero outside the matrix: depth x width elements exist.
template <TileConfig kTile, int kWidth>
__device__ void copy_tile(GlobalPtr<const float> X, int64_t ld, int depth, int width,
                          SharedPtr<float> Xs) {
    constexpr int ROWS = kTile.threads / (kWidth / 4);
    const int row = threadIdx.x / (kWidth / 4), col = threadIdx.x % (kWidth / 4) * 4;
    const int bytes = width >= col + 4 ? 16 : width > col ? (width - col) * 4 : 0;
    X += row * ld + col;
    UNROLL
    for (int r = 0; r < kTile.block.k; r += ROWS) {
        cp_async<16>(Xs + (row + r) * kWidth + col, X, row + r < depth ? bytes : 0);
        X += ROWS * ld;
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
__device__ void compute(const Gemm& p, int tile) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n;
    constexpr int N_STEPS = kTile.warp_n_steps, M_STEPS = WM * WN / (32 * TM * TN * N_STEPS);
    constexpr int STEP_M = WM / M_STEPS, STEP_N = WN / N_STEPS;  // what the warp covers in one step
    constexpr int FM = M_STEPS * TM, FN = N_STEPS * TN;  // the fragments of all steps
    constexpr int STAGES = kTile.stages;
    DYNAMIC_SHARED(float, As, 0, STAGES, BK, BM);  // (BK, BM)
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BK * BM, STAGES, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, the warp's part of it, and this thread's first element
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{tile % tiles_m} * BM;
    const int64_t block_col = int64_t{tile / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr int LANES_N = STEP_N / TN;  // in squares of 2 x 2
    const int lane_row = lane / (2 * LANES_N) * 2 + lane / 2 % 2;
    const int lane_col = lane / 4 % (LANES_N / 2) * 2 + lane % 2;
    const int thread_row = warp / (BN / WN) * WM + lane_row * TM;
    const int thread_col = warp % (BN / WN) * WN + lane_col * TN;
    GlobalPtr<const float> A = p.A + block_row;  // (k, m): the pre-pass has transposed it
    GlobalPtr<const float> B = p.B + block_col;
    const int tiles_k = ceil_div(p.k, BK);
    float acc[FM][FN] = {};
    // --- load tile: begins to copy k-tile t into its stage
    const auto copy = [&](int t) {
        const int depth = inside(p.k, int64_t{t} * BK, BK);
        copy_tile<kTile, BM>(A, p.lda, depth, rows, As + t % STAGES * (BK * BM));
        copy_tile<kTile, BN>(B, p.ldb, depth, cols, Bs + t % STAGES * (BK * BN));
        cp_async_commit();
        A += BK * p.lda;
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
            As_k += BM, Bs_k += BN;
            if (k + 1 == BK) {
                cp_async_wait<STAGES - 2>();
                __syncthreads();
                As_k = As + (t + 1) % STAGES * (BK * BM) + thread_row;
                Bs_k = Bs + (t + 1) % STAGES * (BK * BN) + thread_col;
            }
            load_fragments(k + 1);
            // Column by column, every other one backwards: at the turn a stays in the reuse cache.
            for (int j = 0; j < FN; ++j)
                for (int n = 0; n < FM; ++n) {
                    const int i = j % 2 == 0 ? n : FM - 1 - n;
                    acc[i][j] = fma_(a[k % 2][i], b[k % 2][j], acc[i][j]);
                }
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

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks) sgemm(Gemm p) {
    compute<kTile>(p, blockIdx.x);
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * tile.block.k * (tile.block.m + tile.block.n);
}

int64_t workspace_bytes(const Problem& problem, const Execution&) {
    Workspace workspace(nullptr);
    const PackedOperands operands(problem, workspace);
    return workspace.bytes();
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
    static_assert(kTile.warp.n % (kTile.warp_n_steps * kTile.thread.n * 2) == 0 &&
                      32 % (kTile.warp.n / kTile.warp_n_steps / kTile.thread.n * 2) == 0,
                  "the lanes of a step form a grid of squares of 2 x 2: 2 * TN divides its width "
                  "WN / steps, and twice the lanes along it divide 32");
    static_assert(kTile.thread.m % 4 == 0 && kTile.thread.n % 4 == 0,
                  "fragments are read as float4: 4 divides TM and TN");
    static_assert(4 * kTile.threads % kTile.block.m == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step copies whole rows as float4: BM and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads copy equally many float4: 4 * threads divides BM * BK and BK * BN");
    static_assert(kTile.stages >= 2, "one stage is read while others are filled: two at least");
    if (problem.m == 0 || problem.n == 0) return {};
    if (Status status = check_tile_counts(kTile, problem); !status.ok()) return status;
    Workspace workspace(execution.workspace);
    PackedOperands operands(problem, workspace);
    if (Status status = operands.pack(execution); !status.ok()) return status;
    return launch_tiles(sgemm<kTile>, ceil_div(problem.m, kTile.block.m),
                        ceil_div(problem.n, kTile.block.n), kTile.threads, shared_bytes(kTile),
                        execution, &operands.operands.c, operands.gemm);
}

constexpr TileConfig tile(Tile block, int stages, int n_steps = 4) {
    return {.block = block,
            .thread = {8, 4},
            .threads = 256,
            .warp = {64, 64},
            .warp_n_steps = n_steps,
            .unroll_k = 8,
            .min_blocks = 1,
            .stages = stages};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>, shared_bytes(kTile), workspace_bytes};
}
constexpr Variant kVariants[] = {variant<tile({256, 128, 16}, 4)>("default"),
                                 variant<tile({128, 256, 16}, 4)>("wide")};
constexpr Claim kClaims[] = {
    {"sectors/load of At", 16},
    {"sectors/load of B", 16},
    {"FFMA/load of As", 128.0 * 256 / (2 * 257)},
    {"FFMA/load of Bs", 128.0 * 256 / (4 * 257)},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 2},
    {"wavefronts/store of As", 4},
    {"wavefronts/store of Bs", 4},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "transposing_prepass",
    .parent = "tall_tile",
    .kind = Kind::rung,
    .title = "A transposed by a pre-pass",
    .idea =
        "A pre-pass transposes A, so that both operands are copied by rows, 16 bytes at a time.",
    .requirements =
        "C: 16-byte aligned rows (base, and ld % 4 == 0); else, and at edges, element by element. "
        "B is packed where its rows lie off 16-byte boundaries",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::transposing_prepass
