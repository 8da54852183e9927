// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 17: transposed A tile (detour from 13: As by columns, a lane's rows in two pieces)
//
// Before   Rungs 15 and 16 spread the banks and keep 8 loads of 4 bytes: a fragment of A lies in a
//          column of As.
//
// Idea     Store A transposed, as rung 06 does: the fragment lies in a row, and two loads of 16
//          bytes bring it. A lane's 8 rows are two pieces of 4, half a warp tile apart, so that the
//          lanes' pieces lie end to end. CUTLASS's SIMT kernels have this layout, and pad it.
//
// Picture  A row of As, 64 words for a warp; each lane reads one piece of 4 from either half:
//
//           | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
//           '---- one load of 16 bytes -----'------- the other load --------'
//
//          The variant "adjacent" has a lane's 8 rows side by side:
//
//           | 0 | 0 | 1 | 1 | 2 | 2 | 3 | 3 | 4 | 4 | 5 | 5 | 6 | 6 | 7 | 7 |
//
// Cost     The store: a load from global memory brings 16 neighbouring k, which now lie a pitch
//          apart. With a pitch of 128 all would go to one bank; four unused columns spread them.
//          And cp.async can transpose 4 bytes at a time, no more.
//
// Look at  Shared loads for each k: 10 -> 4. A load of A takes 2 wavefronts, which is the fewest
//          for 16 bytes a lane: 72 -> 12 for each k. Storing takes 2 where 1 did.
//
//          The variants: "unpadded" leaves the four columns out, and its stores take sixteen
//          wavefronts. "adjacent" reads in as few as the default: neighbouring lanes want the same
//          piece, so that half a warp is served at a time, and its four pieces lie in different
//          banks side by side or not. "unrolled" is the default with all steps of a k-tile written
//          out, without a loop.
//
// Next     Nothing builds on this: rung 18 reads A wide without transposing it.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::transposed_a_tile {

/// global -> shared, zero outside the matrices. kInterior: nothing is.
template <TileConfig kTile, bool kInterior>
__device__ void load_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_PITCH = BM + kTile.pad_a;
    constexpr int A_ROWS = kTile.threads / BK, B_ROWS = kTile.threads / BN;  // rows in one step
    const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK;
    const int b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        As[a_col * A_PITCH + row] = kInterior || (row < rows && a_col < depth) ? A[0] : 0.0f;
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
    constexpr int M_STEPS = WM * WN / (32 * TM * TN);  // pieces of TM rows that a lane has
    constexpr int STEP_M = WM / M_STEPS, FM = M_STEPS * TM;
    constexpr int A_PITCH = BM + kTile.pad_a;
    SHARED(float, As, BK, A_PITCH);  // (BK, BM): A transposed
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
    float acc[FM][TN] = {};
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
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            float a[FM], b[TN];
            for (int i = 0; i < FM; i += 4)
                ld4(&a[i], As + k * A_PITCH + thread_row + i / TM * STEP_M + i % TM);
            for (int j = 0; j < TN; j += 4) ld4(&b[j], Bs + k * BN + thread_col + j);
            for (int i = 0; i < FM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    UNROLL
    for (int i = 0; i < FM; ++i) {
        const int row = thread_row + i / TM * STEP_M + i % TM;
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
template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n == kTile.block.m * kTile.block.n,
                  "warp tiles fill the block tile: the areas of threads / 32 warp tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0,
                  "warp tiles fill the block tile: WM divides BM, and WN divides BN");
    static_assert(kTile.warp.m * kTile.warp.n % (32 * kTile.thread.m * kTile.thread.n) == 0,
                  "thread tiles fill the warp tile in whole steps: 32 * TM * TN divides WM * WN");
    static_assert(kTile.warp.n % kTile.thread.n == 0 && 32 % (kTile.warp.n / kTile.thread.n) == 0,
                  "the lanes form a grid: TN divides WN, and the quotient divides 32");
    static_assert(kTile.thread.m % 4 == 0 && kTile.thread.n % 4 == 0 && kTile.pad_a % 4 == 0,
                  "fragments are read as float4: 4 divides TM, TN and the padding");
    static_assert(kTile.threads % kTile.block.k == 0 && kTile.threads % kTile.block.n == 0,
                  "a step loads whole rows of a tile: BK and BN divide the block's threads");
    static_assert(kTile.block.m * kTile.block.k % kTile.threads == 0 &&
                      kTile.block.k * kTile.block.n % kTile.threads == 0,
                  "threads load equally many elements: their number divides BM * BK and BK * BN");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .thread = {4, 8},
                              .threads = 256,
                              .pad_a = 4,
                              .warp = {64, 32},
                              .warp_n_steps = 1,
                              .min_blocks = 2};
constexpr TileConfig kUnpadded{.block = {128, 128, 16},
                               .thread = {4, 8},
                               .threads = 256,
                               .warp = {64, 32},
                               .warp_n_steps = 1,
                               .min_blocks = 2};
constexpr TileConfig kAdjacent{.block = {128, 128, 16},
                               .thread = {8, 8},
                               .threads = 256,
                               .pad_a = 4,
                               .warp = {64, 32},
                               .warp_n_steps = 1,
                               .min_blocks = 2};
constexpr TileConfig kUnrolled{.block = {128, 128, 16},
                               .thread = {4, 8},
                               .threads = 256,
                               .pad_a = 4,
                               .warp = {64, 32},
                               .warp_n_steps = 1,
                               .unroll_k = 16,
                               .min_blocks = 2};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>},
                                 {"unpadded", kUnpadded, run<kUnpadded>},
                                 {"adjacent", kAdjacent, run<kAdjacent>},
                                 {"unrolled", kUnrolled, run<kUnrolled>}};
constexpr const char* kAliases[] = {"transposed_a_tile"};

constexpr Claim kClaims[] = {
    {"loads/k", 2 + 2},           {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 4}, {"wavefronts/k", 2 * 2 + 2 * 4},
    {"ways/store of As", 2},      {"wavefronts stored/load of A", 2},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "v4c",
    .aliases = kAliases,
    .parent = "v2",
    .kind = Kind::detour,
    .title = "bank conflicts: A tile transposed",
    .idea =
        "The tile of A is stored by columns, so that a fragment is two loads of 16 bytes whose "
        "lanes lie side by side.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::transposed_a_tile
