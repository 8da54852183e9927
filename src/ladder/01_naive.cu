// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 01: naive
//
// Before   Nothing: this is the definition of a matrix product, one thread for each element of C.
//
// Idea     Thread (x, y) of a block computes C[row][col], with row from x and col from y. It walks
//          along a row of A and down a column of B and adds up k products.
//
// Picture  A warp is 32 threads with neighbouring x: 32 rows of one column.
//
//              A (m x k)          B (k x n)          C (m x n)
//           lane 0  > > > >          v            lane 0  .
//           lane 1  > > > >          v            lane 1  .
//             ...                    v              ...
//           lane 31 > > > >          v            lane 31 .
//
// Cost     For each product, two loads from global memory: 0.25 FLOP a byte asked for. Lanes lie a
//          whole row apart in A, so one request of a warp touches 32 sectors of 32 bytes and uses 4
//          bytes of each. All lanes want the same element of B: 1 sector.
//
// Look at  Global sectors a request: 32 for A, and 32 again when C is stored.
//
// Next     The same work with neighbouring threads along a row: rung 02.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::naive {

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n;
    // --- place: the element of C that this thread owns
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t row = int64_t{blockIdx.x % tiles_m} * BM + threadIdx.x;
    const int64_t col = int64_t{blockIdx.x / tiles_m} * BN + threadIdx.y;
    if (row >= p.m || col >= p.n) return;
    // --- multiply: a row of A with a column of B
    // Pointers walk: a product then costs few instructions besides its loads.
    GlobalPtr<const float> A = p.A + row * p.lda, B = p.B + col;
    float acc = 0.0f;
    UNROLL_BY(16)
    for (const auto end = A + p.k; A != end; A += 1, B += p.ldb) acc = fma_(A[0], B[0], acc);
    // --- store: beta == 0 never reads C
    const int64_t at = row * p.ldc + col;
    const float c = p.beta == 0.0f ? 0.0f : p.C[at];
    p.C[at] = p.alpha * acc + p.beta * c;
}

#if !defined(__CUDACC_RTC__)
template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads == kTile.block.m * kTile.block.n,
                  "a thread computes one element: a block needs BM * BN threads");
    return launch(sgemm<kTile>, kTile, Grid(kTile.block.m, kTile.block.n), problem, execution);
}

constexpr TileConfig kDefault{.block = {32, 32}, .threads = 1024};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"naive"};
constexpr Claim kClaims[] = {
    {"sectors/load of A", 32},  // lanes lie a row apart
    {"sectors/load of B", 1},  // all lanes want one element
    {"sectors/store of C", 32},  // a row apart again
    {"sectors/FFMA", 32 + 1},  // of both loads
    {"FLOP/byte loaded", 2.0 / 8},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k1",
    .aliases = kAliases,
    .parent = "",
    .kind = Kind::rung,
    .title = "naive",
    .idea = "One thread computes one element of C, and neighbouring threads compute one column.",
    .requirements = "none: every problem takes the same path",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::naive
