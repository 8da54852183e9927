// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 02: coalesced access (01 + lanes along a row)
//
// Before   A request of a warp for A touches 32 sectors, of which it uses an eighth.
//
// Idea     Swap the roles of x and y: neighbouring threads compute neighbouring columns. Nothing
//          else changes, not even the number of loads.
//
// Picture  A warp is 32 columns of one row.
//
//              A (m x k)          B (k x n)              C (m x n)
//           > > > > (all lanes)   v v v ... v         . . .  ...  .
//                                 lane 0 .. 31        lane 0 ..  31
//
// Cost     Still two loads for each product, but all lanes want the same element of A (1 sector),
//          and B's 32 elements lie side by side (4 sectors, all of them used).
//
// Look at  Global sectors a request: A 32 -> 1, B 1 -> 4, C 32 -> 4; the sum falls from 33 to 5.
//
// Next     Neighbouring threads read the same rows and columns again and again: rung 03 keeps them
//          in shared memory.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::coalesced {

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n;
    // --- place: the element of C that this thread owns
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t row = int64_t{blockIdx.x % tiles_m} * BM + threadIdx.y;
    const int64_t col = int64_t{blockIdx.x / tiles_m} * BN + threadIdx.x;
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
    return launch(sgemm<kTile>, kTile, Grid(kTile.block.n, kTile.block.m), problem, execution);
}

constexpr TileConfig kDefault{.block = {32, 32}, .threads = 1024};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"v0", "coalesced"};
constexpr Claim kClaims[] = {
    {"sectors/load of A", 1},
    {"sectors/load of B", 4},  // 32 lanes of 4 bytes
    {"sectors/store of C", 4},
    {"sectors/FFMA", 1 + 4},
    {"FLOP/byte loaded", 2.0 / 8},
    {"global bytes/result", 256 * (1 + 4) + 4},  // a sector is 32 bytes for 32 results
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k2",
    .aliases = kAliases,
    .parent = "k1",
    .kind = Kind::rung,
    .title = "coalesced access",
    .idea =
        "Neighbouring threads compute one row of C, so that a warp reads B and writes C in one "
        "piece.",
    .requirements = "none: every problem takes the same path",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::coalesced
