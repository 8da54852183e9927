// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 27: split-K (24 + blocks that share a tile's k)
//
// Before   A block tile is one block's, from the first k to the last. A C of 64 x 64 is one tile:
//          one multiprocessor works and all others watch, however long k is.
//
// Idea     Cut k into parts, as many as it takes to fill the multiprocessors. A part is a product
//          like any other, of some columns of A and some rows of B, with alpha 1 and beta 0, and
//          its result goes to the workspace. A second kernel adds the parts; alpha, beta and C come
//          in there. It adds in a fixed order, so that the bits are the same each time, which
//          atomic additions to C would not give.
//
// Picture           k            the workspace
//              +--+--+--+--+     +--+ +--+ +--+ +--+
//            A | 0| 1| 2| 3|     |C0| |C1| |C2| |C3| alpha (C0 + .. + C3) + beta C
//              +--+--+--+--+     +--+ +--+ +--+ +--+
//            B   0, 1, 2, 3: rows
//
//          In the second kernel a block has 32 elements of C. Its warps take the parts in turn, 8
//          each, so that all loads are under way at once; then one warp adds what they have.
//
// Cost     Each part of C is written and read once more, and a launch waits for another. So a part
//          has 4 k-tiles at least, and a C with tiles enough is not split. The block tile is 64 x
//          64, as a larger C would have more tiles anyway: 12 words for 32 products.
//
//          The variant "k32" has k-tiles twice as long, which halves the barriers and doubles the
//          shared memory. "thin" is a tile of 128 x 32, for a C of few columns.
//
// Look at  Words for each FFMA are twice what rung 24 loads, as the warp tile is 32 x 32. At 256^3
//          the tiles fill CPU mode's few multiprocessors, and nothing is split: 1 barrier for each
//          k-tile, as before. "./tw count split_k --shape 64x64x4096" shows parts.
//
// Next     Rung 38 takes the same parts where C has a handful of rows. Equal parts fill the
//          multiprocessors only where C has few tiles: where it has more than one tile for each,
//          rung 30, stream-K, cuts where a block's share ends.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::split_k {

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
    // --- place: the part of k, which makes a product of its own
    const int64_t part = blockIdx.y, part_k = ceil_div(p.k, int64_t{gridDim.y} * BK) * BK;
    p.A += part * part_k, p.B += part * part_k * p.ldb, p.C += part * p.m * p.ldc;
    p.k = p.k - part * part_k < part_k ? p.k - part * part_k : part_k;
    // --- place: the block tile of C, the warp's part of it, and this thread's first element
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr int LANES_N = STEP_N / TN;  // in squares of 2 x 2
    const int lane_row = lane / (2 * LANES_N) * 2 + lane / 2 % 2;
    const int lane_col = lane / 4 % (LANES_N / 2) * 2 + lane % 2;
    const int thread_row = warp / (BN / WN) * WM + lane_row * TM;
    const int thread_col = warp % (BN / WN) * WN + lane_col * TN;
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

/// C := alpha * (the sum of the parts) + beta * C. A warp adds some of the parts of 32 elements.
__global__ void __launch_bounds__(1024) add_parts(Gemm p, GlobalPtr<const float> parts, int count) {
    SHARED(float, sums, 32, 32);  // (warp, element)
    const int64_t elements = p.m * p.n, element = int64_t{blockIdx.x} * 32 + threadIdx.x;
    const int exist = element < elements ? count : 0;
    float sum = 0.0f;
    UNROLL_BY(8)
    for (int i = threadIdx.y; i < exist; i += blockDim.y) sum += parts[i * elements + element];
    sums[threadIdx.y * 32 + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || element >= elements) return;
    for (unsigned warp = 1; warp < blockDim.y; ++warp) sum += sums[warp * 32 + threadIdx.x];
    const int64_t at = element / p.n * p.ldc + element % p.n;
    const float c = p.beta == 0.0f ? 0.0f : p.C[at];
    p.C[at] = p.alpha * sum + p.beta * c;
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * tile.block.k * (tile.block.m + tile.pad_a + tile.block.n);
}

/// As many as give each multiprocessor the blocks it holds, of at least 4 k-tiles; below 2, none.
int64_t parts_of(const TileConfig& tile, const Problem& problem, int multiprocessors) {
    const int64_t tiles = ceil_div(problem.m, tile.block.m) * ceil_div(problem.n, tile.block.n);
    const int64_t parts = tiles > 0 ? int64_t{multiprocessors} * tile.min_blocks / tiles : 0;
    const int64_t most = ceil_div(problem.k, tile.block.k) / 4;
    return parts < most ? parts : most;
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution& execution) {
    const int64_t parts = parts_of(kTile, problem, execution.multiprocessors);
    return parts < 2 ? 0 : parts * problem.m * problem.n * 4;
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
    static_assert(kTile.thread.m % 4 == 0 && kTile.thread.n % 4 == 0 && kTile.pad_a % 4 == 0,
                  "fragments are read as float4: 4 divides TM, TN and the padding of A");
    static_assert(kTile.block.k % 8 == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step copies whole rows, of A by 8 words: 8 divides BK, and BN 4 * threads");
    static_assert(8 * kTile.block.m % kTile.threads == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads copy equally much: their number divides 8 * BM and BK * BN / 4");
    static_assert(kTile.stages >= 2, "one stage is read while others are filled: two at least");
    const int64_t parts = parts_of(kTile, problem, execution.multiprocessors);
    if (parts > 1 && check_tile_counts(kTile, problem).ok()) {
        const Operands operands(problem);
        auto* const workspace = static_cast<float*>(execution.workspace);
        const Bounds bounds(workspace, parts * problem.m, problem.n, problem.n, "parts");
        Gemm p = operands.gemm;
        p.alpha = 1.0f, p.beta = 0.0f, p.C = global_ptr(workspace, bounds), p.ldc = p.n;
        const Grid grid(ceil_div(p.m, kTile.block.m) * ceil_div(p.n, kTile.block.n), parts);
        const Status status = launch_kernel(sgemm<kTile>, grid, Grid(kTile.threads),
                                            shared_bytes(kTile), execution, p);
        if (!status.ok()) return status;
        const Grid block(32, parts < 256 ? ceil_div(parts, 8) : 32);  // a warp adds 8, or more
        return launch_kernel(add_parts, Grid(ceil_div(p.m * p.n, 32)), block, 0, execution,
                             operands.gemm, p.C, static_cast<int>(parts));
    }
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution,
                  shared_bytes(kTile));
}

constexpr TileConfig tile(Tile block) {
    return {.block = block,
            .thread = {8, 4},
            .threads = 128,
            .pad_a = 4,
            .warp = {32, 32},
            .warp_n_steps = 1,
            .unroll_k = 8,
            .min_blocks = 2,
            .stages = 4};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>, shared_bytes(kTile), workspace_bytes<kTile>};
}
constexpr Variant kVariants[] = {variant<tile({64, 64, 16})>("default"),
                                 variant<tile({64, 64, 32})>("k32"),
                                 variant<tile({128, 32, 16})>("thin")};
constexpr Claim kClaims[] = {
    {"sectors/load of A", 4},
    {"sectors/load of B", 16},
    {"words/FFMA", 12.0 * 257 / (32 * 256)},
    {"FFMA/k", 32},
    {"loads/k of As", 2 * 257.0 / 256},
    {"loads/k of Bs", 257.0 / 256},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 2},
    {"wavefronts/store of As", 1},
    {"barriers/block", 1 + 256 / 16},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "split_k",
    .parent = "serpentine",
    .kind = Kind::rung,
    .title = "parts of k for different blocks",
    .idea =
        "Where C has fewer tiles than the GPU has room for blocks, blocks take parts of k, and a "
        "second kernel adds what they have.",
    .requirements =
        "B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, element "
        "by element; a workspace for the parts",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::split_k
