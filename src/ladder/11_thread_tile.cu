// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 11: thread tile (02 + a square of results a thread, straight from global memory)
//
// Before   Two loads for each product. The bytes come from the L1 cache, but each load is a request
//          of its own, and requests are what rung 02 waits for.
//
// Idea     A thread computes TM x TN elements. For each k it loads TM elements of A and TN of B
//          into registers and multiplies each with each. No shared memory yet: what is saved here
//          are instructions.
//
// Picture  A warp, TM x TN = 4 x 4: lanes 0 to 15 and 16 to 31 have four rows each.
//
//              A (m x k)                    B (k x n)
//           > > > >  (lanes 0 .. 15)        lane 0 .. 15 | lane 0 .. 15 | ...
//           > > > >                         lane 16 .. 31 want the same
//           > > > >
//           > > > >                         A lane's columns lie 16 apart, so that
//           > > > >  (lanes 16 .. 31)       a load still takes one run of a row.
//             ...
//
// Cost     8 loads for 16 products, where rung 02 makes 32: three quarters of them are gone. A lane
//          asks for a byte for each FLOP. The price is registers: 16 accumulators, 8 operands.
//
// Look at  FLOP for each byte that lanes ask for: 0.25 -> 1, and 2 FFMAs for each global load. A
//          load touches 2 sectors, so that sectors for each FFMA fall from 5 to 1.
//
// Next     The threads of a block load the same rows and columns, each for itself: rung 12 loads
//          them once.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::thread_tile {

/// Adds up TM rows of A times TN columns of B. Beyond the edge the last row or column stands in, so
/// that no load needs a guard. kInterior: all columns exist, and one pointer serves them.
template <TileConfig kTile, bool kInterior>
__device__ void multiply(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                         int rows, int cols, float (*acc)[kTile.thread.n]) {
    constexpr int TM = kTile.thread.m, TN = kTile.thread.n, STEP = kTile.block.n / TN;
    int64_t row[TM];
    int col[TN];
    for (int i = 0; i < TM; ++i) row[i] = (i < rows ? i : rows - 1) * p.lda;
    for (int j = 0; j < TN; ++j) col[j] = kInterior || j * STEP < cols ? j * STEP : cols - 1;
    // Pointers walk, and end the loop: few instructions besides its loads.
    UNROLL_BY(kTile.unroll_k)
    for (const auto end = A + p.k; A != end; A += 1, B += p.ldb) {
        float a[TM], b[TN];
        for (int i = 0; i < TM; ++i) a[i] = A[row[i]];
        for (int j = 0; j < TN; ++j) b[j] = B[col[j]];
        for (int i = 0; i < TM; ++i)
            for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i], b[j], acc[i][j]);
    }
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, TM = kTile.thread.m, TN = kTile.thread.n;
    // --- place: the block tile of C, and this thread's TM rows and TN columns of it
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    // The rows are neighbours, the columns BN / TN apart: lanes side by side read one run of B.
    const int thread_row = threadIdx.x / (BN / TN) * TM, thread_col = threadIdx.x % (BN / TN);
    if (thread_row >= rows || thread_col >= cols) return;
    GlobalPtr<const float> A = p.A + (block_row + thread_row) * p.lda;
    GlobalPtr<const float> B = p.B + block_col + thread_col;
    float acc[TM][TN] = {};
    if (cols == BN)
        multiply<kTile, true>(p, A, B, rows - thread_row, cols - thread_col, acc);
    else
        multiply<kTile, false>(p, A, B, rows - thread_row, cols - thread_col, acc);
    // --- store: beta == 0 never reads C
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
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {64, 64}, .thread = {4, 4}, .threads = 256, .unroll_k = 4};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"thread_tile"};
constexpr Claim kClaims[] = {
    {"FFMA/global load", 16.0 / 8},  // rung 02: 1 for 2 loads
    {"FLOP/byte loaded", 2.0 * 16 / (4 * 8)},
    {"sectors/load of A", 2},  // two groups of lanes, each with one row
    {"sectors/load of B", 2},  // 16 elements side by side
    {"sectors/FFMA", (4.0 * 2 + 4 * 2) / 16},
    {"sectors/store of C", 2 * 2},
    {"global bytes/result", 256 * (4 * 2 + 4 * 2) / 16 + 4},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "v1",
    .aliases = kAliases,
    .parent = "k2",
    .kind = Kind::rung,
    .title = "thread tile from global memory",
    .idea =
        "A thread computes TM x TN elements, so that each element it loads serves several products "
        "from a register.",
    .requirements = "none: at edges, the last row or column is loaded again",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::thread_tile
