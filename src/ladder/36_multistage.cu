// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 36: multistage (18 + more k-tiles under way, and padded rows)
//
// Before   While a k-tile is multiplied, one more is on its way. A small problem has few blocks and
//          few k-tiles, and each waits for memory anew, which takes longer than its products do.
//
// Idea     Spend shared memory, of which dynamic arrays may have more than 48 KiB. STAGES k-tiles
//          have room: all but the one that is multiplied are on their way, so that a short k is
//          asked for at once. And 4 unused words behind each row of As put neighbouring rows into
//          different banks, with every row on 16 bytes as before; a lane takes every eighth row of
//          its warp tile, so that the lanes of a warp read neighbouring ones.
//
// Picture  rows of As, 16 words and 4:    a warp reads rows 0 .. 7 at a time,
//                                         four of them in one wavefront:
//             row 0  k0 .. k15  -  -  -  -     banks  0 ..  3
//             row 1  k0 .. k15  -  -  -  -           20 .. 23
//             row 2  ..                               8 .. 11
//             row 3                                  28 .. 31
//
// Cost     72 KiB of shared memory for 4 stages, where 2 without padding are 32. Near the end of k
//          nothing is left to copy. Groups are still made, of no copies, as a thread waits by their
//          number.
//
//          Rows of 20 words are read without conflicts, but stored with some: of two rows that 8
//          lanes copy, the second ends in the first one's banks.
//
// Look at  Ways of a load of A: 4 -> 1; wavefronts for each k: 24 -> 12. Ways of a copy's store to
//          As: 1 -> 2. The variant "64x64" shows what the block tile is worth where C is small.
//
// Next     A block tile small enough for a small C leaves a warp few products: rung 37.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::multistage {

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
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n;
    constexpr int STAGES = kTile.stages, A_PITCH = BK + kTile.pad_a;
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, A_PITCH);  // (stages, BM, BK)
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * A_PITCH, STAGES, BK, BN);  // (stages, BK, BN)
    // --- place: the block tile of C, the warp's part of it, and this thread's part of that
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // A lane's rows lie WM / TM apart, so that neighbouring lanes read neighbouring rows of As.
    const int thread_row = warp / (BN / WN) * WM + lane / (WN / TN);
    const int thread_col = warp % (BN / WN) * WN + lane % (WN / TN) * TN;
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
        const SharedPtr<float> a_tile = As + stage * BM * A_PITCH, b_tile = Bs + stage * BK * BN;
        // --- multiply tile: shared -> registers, where an a serves TN products and a b TM
        // 4 steps along k at a time: they are neighbours in a row of As
        UNROLL_BY(kTile.unroll_k / 4)
        for (int k = 0; k < BK; k += 4) {
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
    // --- store tile: beta == 0 never reads C
    UNROLL
    for (int i = 0; i < TM; ++i) {
        const int row = thread_row + i * (WM / TM);
        if (row >= rows) continue;
        GlobalPtr<float> C = p.C + (block_row + row) * p.ldc + block_col + thread_col;
        UNROLL
        for (int j = 0; j < TN; ++j) {
            if (thread_col + j >= cols) continue;
            const float c = p.beta == 0.0f ? 0.0f : C[j];
            C[j] = p.alpha * acc[i][j] + p.beta * c;
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
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n == kTile.block.m * kTile.block.n,
                  "warp tiles fill the block tile: the areas of threads / 32 warp tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0,
                  "warp tiles fill the block tile: WM divides BM, and WN divides BN");
    static_assert(32 * kTile.thread.m * kTile.thread.n == kTile.warp.m * kTile.warp.n,
                  "thread tiles fill the warp tile: the areas of 32 thread tiles add up");
    static_assert(kTile.warp.m % kTile.thread.m == 0 && kTile.warp.n % kTile.thread.n == 0,
                  "the lanes form a grid: TM divides WM, and TN divides WN");
    static_assert(kTile.stages >= 2,
                  "a k-tile is multiplied while others arrive: 2 stages or more");
    static_assert(kTile.thread.n % 4 == 0 && kTile.block.k % 4 == 0 && kTile.pad_a % 4 == 0,
                  "rows are copied and read as float4: 4 divides TN, BK and the padding of A");
    static_assert(4 * kTile.threads % kTile.block.k == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step copies whole rows as float4: BK and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads copy equally many float4: 4 * threads divides BM * BK and BK * BN");
    static_assert(kTile.unroll_k % 4 == 0 && kTile.block.k % kTile.unroll_k == 0,
                  "4 steps along k are one: 4 divides the unrolled steps, and these divide BK");
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
            .unroll_k = 16,
            .min_blocks = 2,
            .stages = 4};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>, shared_bytes(kTile)};
}
constexpr Variant kVariants[] = {variant<tile({128, 128, 16}, {8, 8}, {64, 32})>("default"),
                                 variant<tile({64, 64, 32}, {4, 4}, {32, 16})>("64x64")};
constexpr Claim kClaims[] = {
    {"FFMA/global load", 16 * 64 / 4},  // 4 copies of a thread for a k-tile of 16
    {"sectors/load", 16},
    {"FFMA/k", 64},
    {"loads/k", 16.0 / 4},
    {"ways/load of As", 1},
    {"ways/store of As", 2},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 4},
    {"wavefronts/k", 2 * 2 + 2 * 4},
    {"barriers/block", 256 / 16},  // one for each k-tile
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "multistage",
    .parent = "v5",
    .kind = Kind::rung,
    .title = "more k-tiles under way, padded rows",
    .idea =
        "Dynamic shared memory has room for several k-tiles, all but one on their way, and for "
        "rows that begin in different banks.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0); else, and at edges, copies of 4 bytes",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::multistage
