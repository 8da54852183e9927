// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 37: small tiles (36 + warps that share k)
//
// Before   A C of 256 x 256 has 4 block tiles of 128 x 128: most multiprocessors have nothing to
//          do. With a small block tile all have, but if its 8 warps share it, a warp tile is 8 x 16
//          and a load from shared memory serves 2 products of a lane.
//
// Idea     Let the warps share the k-tile instead. Each multiplies WK of its BK steps for the whole
//          warp tile, which may be as large as the block tile: 32 x 32, 8 x 4 a lane. At the end
//          the 8 warps' results for an element are added in shared memory, in the warps' order,
//          where the tiles of A were; then each warp stores some of the rows.
//
// Picture            k, a k-tile of 64      the end, for each row i of a lane:
//          warp      0 1 2 3 4 5 6 7
//                   +-+-+-+-+-+-+-+-+       warp 0 + 1 + 2 + .. + 7 = row i,
//          32 rows  | | | | | | | | |       stored by warp i
//                   +-+-+-+-+-+-+-+-+
//                    8 steps each
//
// Cost     12 words for 32 products. What is added up is 32 KiB, once a block. A multiprocessor
//          holds a single block of a small problem. At K = 256 its time is one journey from memory,
//          the products of 256 steps, the sum and one journey back: what counts is how much of
//          these is done at once.
//
// Look at  Barriers for a block: 16 -> 6, as a k-tile is 64 long: 1 for each and 2 for the sum. No
//          load or store of shared memory meets a conflict. Words for each FFMA are 0.40625:
//          12 : 32, and the sum.
//
// Next     No block tile suits all sizes. The variants go from "16x16", for the smallest C, to
//          "64x64", for one whose tiles fill the multiprocessors twice, and --variant chooses one.
//          No rung builds on this yet.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::small_tiles {

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
    constexpr int A_PITCH = BK + kTile.pad_a;
    constexpr int A_ROWS = kTile.threads / (BK / 4), B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        copy4<kInterior>(As + row * A_PITCH + a_col, A, row < rows ? depth - a_col : 0);
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

/// Begins to copy a k-tile, if there is one, and makes a group of its copies.
template <TileConfig kTile>
__device__ void copy_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, bool interior, SharedPtr<float> As,
                          SharedPtr<float> Bs) {
    if (interior && depth == kTile.block.k)
        copy_rows<kTile, true>(p, A, B, rows, cols, depth, As, Bs);
    else if (depth > 0)
        copy_rows<kTile, false>(p, A, B, rows, cols, depth, As, Bs);
    cp_async_commit();
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n, WK = kTile.warp.k;
    constexpr int STAGES = kTile.stages, A_PITCH = BK + kTile.pad_a;
    constexpr int K_WARPS = BK / WK, TILE_THREADS = kTile.threads / K_WARPS;
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, A_PITCH);  // (stages, BM, BK)
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * A_PITCH, STAGES, BK, BN);  // (stages, BK, BN)
    // --- place: the block tile of C, the warp's part of it, and this thread's part of that
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int k_warp = threadIdx.x / TILE_THREADS, thread = threadIdx.x % TILE_THREADS;
    const int warp = thread / 32, lane = thread % 32;
    // A lane's rows lie WM / TM apart, so that neighbouring lanes read neighbouring rows of As.
    constexpr int LANES_N = WN / TN;  // in squares of 2 x 2, as in rung 23
    const int lane_row = lane / (2 * LANES_N) * 2 + lane / 2 % 2;
    const int lane_col = lane / 4 % (LANES_N / 2) * 2 + lane % 2;
    const int thread_row = warp / (BN / WN) * WM + lane_row;
    const int thread_col = warp % (BN / WN) * WN + lane_col * TN;
    GlobalPtr<const float> A = p.A + block_row * p.lda;
    GlobalPtr<const float> B = p.B + block_col;
    const unsigned tiles_k = ceil_div(p.k, BK);
    const bool interior =
        rows == BM && cols == BN && rows_aligned(p.A, p.lda) && rows_aligned(p.B, p.ldb);
    float acc[TM][TN] = {};
    const auto copy = [&](unsigned t) {
        const int stage = t % STAGES, depth = inside(p.k, int64_t{t} * BK, BK);
        copy_tile<kTile>(p, A, B, rows, cols, depth, interior, As + stage * BM * A_PITCH,
                         Bs + stage * BK * BN);
        A += BK;
        B += BK * p.ldb;
    };
    // --- prologue: begin with as many k-tiles as there are stages, but one
    UNROLL
    for (unsigned t = 0; t < STAGES - 1; ++t) copy(t);
    for (unsigned t = 0; t < tiles_k; ++t) {
        // --- wait for k-tile t: each thread for its own copies, then all for each other
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        // --- copy tile: begin with one more; who has passed the barrier reads its stage no more
        copy(t + STAGES - 1);
        const int stage = t % STAGES;
        const SharedPtr<float> a_tile = As + stage * BM * A_PITCH + k_warp * WK;
        const SharedPtr<float> b_tile = Bs + (stage * BK + k_warp * WK) * BN;
        // --- multiply tile: shared -> registers, where an a serves TN products and a b TM
        // 4 steps along k at a time: they are neighbours in a row of As
        UNROLL_BY(kTile.unroll_k / 4)
        for (int k = 0; k < WK; k += 4) {
            float a[TM][4];
            for (int i = 0; i < TM; ++i)
                ld4(a[i], a_tile + (thread_row + i * (WM / TM)) * A_PITCH + k);
            for (int u = 0; u < 4; ++u) {
                float b[TN];
                for (int j = 0; j < TN; j += 4) ld4(&b[j], b_tile + (k + u) * BN + thread_col + j);
                for (int i = 0; i < TM; ++i)
                    for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i][u], b[j], acc[i][j]);
            }
        }
    }
    // --- add up what the warps of the same elements have, in their order, where A was
    __syncthreads();
    constexpr int ROW = TILE_THREADS * TN;
    const SharedPtr<float> sums = As + thread * TN;  // (K_WARPS, TM, TILE_THREADS, TN)
    UNROLL
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; j += 4)
            st(sums + (k_warp * TM + i) * ROW + j,
               float4{acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]});
    __syncthreads();
    // --- store tile: each of these warps some of their rows; beta == 0 never reads C
    UNROLL
    for (int i = k_warp; i < TM; i += K_WARPS) {
        float sum[TN] = {};
        for (int w = 0; w < K_WARPS; ++w) {
            float part[TN];
            for (int j = 0; j < TN; j += 4) ld4(&part[j], sums + (w * TM + i) * ROW + j);
            for (int j = 0; j < TN; ++j) sum[j] += part[j];
        }
        const int row = thread_row + i * (WM / TM);
        if (row >= rows) continue;
        GlobalPtr<float> C = p.C + (block_row + row) * p.ldc + block_col + thread_col;
        UNROLL
        for (int j = 0; j < TN; ++j) {
            if (thread_col + j >= cols) continue;
            const float c = p.beta == 0.0f ? 0.0f : C[j];
            C[j] = p.alpha * sum[j] + p.beta * c;
        }
    }
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages *
           (tile.block.m * (tile.block.k + tile.pad_a) + tile.block.k * tile.block.n);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n * kTile.warp.k ==
                      kTile.block.m * kTile.block.n * kTile.block.k,
                  "warp tiles fill the block tile and the k-tile: the volumes of threads / 32 warp "
                  "tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0 &&
                      kTile.block.k % kTile.warp.k == 0,
                  "warp tiles fill the block tile: WM divides BM, WN divides BN, WK divides BK");
    static_assert(32 * kTile.thread.m * kTile.thread.n == kTile.warp.m * kTile.warp.n,
                  "thread tiles fill the warp tile: the areas of 32 thread tiles add up");
    static_assert(
        kTile.warp.m % (2 * kTile.thread.m) == 0 && kTile.warp.n % (2 * kTile.thread.n) == 0,
        "the lanes form a grid of squares: 2 * TM divides WM, and 2 * TN divides WN");
    static_assert(kTile.stages >= 2,
                  "a k-tile is multiplied while others arrive: 2 stages or more");
    static_assert(kTile.thread.n % 4 == 0 && kTile.warp.k % 4 == 0 && kTile.pad_a % 4 == 0,
                  "rows are copied and read as float4: 4 divides TN, WK and the padding of A");
    static_assert(kTile.block.k / kTile.warp.k * kTile.block.n <=
                      kTile.stages * (kTile.block.k + kTile.pad_a),
                  "all warps' sums take the place of A: BK / WK * BN <= stages * the pitch of As");
    static_assert(4 * kTile.threads % kTile.block.k == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step copies whole rows as float4: BK and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads copy equally many float4: 4 * threads divides BM * BK and BK * BN");
    static_assert(kTile.unroll_k % 4 == 0 && kTile.warp.k % kTile.unroll_k == 0,
                  "4 steps along k are one: 4 divides the unrolled steps, and these divide WK");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution,
                  shared_bytes(kTile));
}

constexpr TileConfig tile(Tile block, Tile thread, Tile warp) {
    return {.block = block,
            .thread = thread,
            .threads = 256,
            .pad_a = 4,
            .warp = warp,
            .warp_n_steps = 1,
            .unroll_k = 8,
            .min_blocks = 2,
            .stages = 4};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>, shared_bytes(kTile)};
}
constexpr Variant kVariants[] = {variant<tile({32, 32, 64}, {8, 4}, {32, 32, 8})>("default"),
                                 variant<tile({16, 16, 64}, {2, 4}, {16, 16, 8})>("16x16"),
                                 variant<tile({32, 16, 64}, {4, 4}, {32, 16, 8})>("32x16"),
                                 variant<tile({64, 32, 32}, {8, 4}, {32, 32, 8})>("64x32"),
                                 variant<tile({64, 64, 32}, {8, 4}, {32, 32, 16})>("64x64")};
constexpr Claim kClaims[] = {
    {"sectors/load", 16},
    {"FFMA/global load", 8 * 32.0 / 4},  // a thread's 8 k of 64, and 4 copies
    {"FFMA/k", 8 * 32.0 / 64},
    {"words/FFMA", 12.0 / 32 + 8.0 * 4 / (32 * 32)},  // of the tiles, and of the sum
    {"ways/load", 1},
    {"ways/store", 1},
    {"wavefronts/load of Bs", 2},
    {"barriers/block", 256 / 64 + 2},  // one for each k-tile, two for the sum
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "small_tiles",
    .parent = "multistage",
    .kind = Kind::rung,
    .title = "small block tiles, warps that share k",
    .idea =
        "The warps of a block compute the same small tile for different k, and add up what they "
        "have at the end.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0); else, and at edges, copies of 4 bytes",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::small_tiles
