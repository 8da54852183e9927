// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 03: shared tile (02 + tiles of A and B in shared memory)
//
// Before   Every product loads both factors from global memory or a cache, though the 32 x 32
//          threads of a block need only 32 rows of A and 32 columns of B between them.
//
// Idea     Walk along k in steps of BK. In each step the block copies a BM x BK tile of A and a BK
//          x BN tile of B into shared memory, one element of each a thread; then all threads
//          multiply from there. Two barriers: the tile is complete before it is read, and read
//          before the next one overwrites it.
//
// Picture              k0  BK              BN
//                    +---+---+---+     +-------+
//               BM   |   |As |   |     |       | k0
//                    +---+---+---+     |  Bs   | BK    C tile (BM x BN) += As * Bs
//                                      +-------+
//
//          At the edges a tile reaches past the matrix. What is not there is filled with zeros,
//          which add nothing; what must not be stored is not.
//
// Cost     An element from global memory now serves 32 products: 8 FLOP a byte. But each product
//          still takes two loads, now from shared memory, and a load costs as much issue time as an
//          FFMA.
//
// Look at  Global bytes a result: 1284 -> 68 at 256^3. Words loaded from shared memory for each
//          FFMA are 2, as written; the compiler merges four loads of A into one of 16 bytes.
//
// Next     Use what was loaded more than once while it is in a register: rung 04.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::shared_tile {

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    SHARED(float, As, BM, BK);  // (BM, BK)
    SHARED(float, Bs, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, and this thread's element of it
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int thread_row = threadIdx.y, thread_col = threadIdx.x;
    // The first k-tiles, as many as hold this thread's elements of A and B. Counted here, a guard
    // in the loop is one 32-bit comparison; this kernel waits for issue slots, so they are dear.
    const int a_tiles = thread_row < rows ? ceil_div(p.k - thread_col, BK) : 0;
    const int b_tiles = thread_col < cols ? ceil_div(p.k - thread_row, BK) : 0;
    GlobalPtr<const float> A = p.A + (block_row + thread_row) * p.lda + thread_col;
    GlobalPtr<const float> B = p.B + thread_row * p.ldb + block_col + thread_col;
    const int tiles_k = ceil_div(p.k, BK);
    float acc = 0.0f;
    for (int t = 0; t < tiles_k; ++t) {
        // --- load tile: global -> shared, zero outside the matrices
        float next_a = 0.0f, next_b = 0.0f;
        if (t < a_tiles) next_a = A[0];
        if (t < b_tiles) next_b = B[0];
        As[thread_row * BK + thread_col] = next_a;
        Bs[thread_row * BN + thread_col] = next_b;
        __syncthreads();
        A += BK;
        B += BK * p.ldb;
        // --- multiply tile: shared -> registers
        for (int k = 0; k < BK; ++k)
            acc = fma_(As[thread_row * BK + k], Bs[k * BN + thread_col], acc);
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    if (thread_row >= rows || thread_col >= cols) return;
    const int64_t at = (block_row + thread_row) * p.ldc + block_col + thread_col;
    const float c = p.beta == 0.0f ? 0.0f : p.C[at];
    p.C[at] = p.alpha * acc + p.beta * c;
}

#if !defined(__CUDACC_RTC__)
template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads == kTile.block.m * kTile.block.n,
                  "a thread computes one element: a block needs BM * BN threads");
    static_assert(kTile.block.k == kTile.block.m && kTile.block.k == kTile.block.n,
                  "a thread loads one element of each tile: BM x BK and BK x BN must both have "
                  "the block's own shape, so BM = BN = BK");
    return launch(sgemm<kTile>, kTile, Grid(kTile.block.n, kTile.block.m), problem, execution);
}

constexpr TileConfig kDefault{.block = {32, 32, 32}, .threads = 1024};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"shared_tile"};
constexpr Claim kClaims[] = {
    {"global bytes/result", 2 * 256 * 4 / 32 + 4},  // a loaded element serves 32 products
    {"FLOP/byte loaded", 8},
    {"FFMA/global load", 32.0 / 2},
    {"wavefronts stored/load", 1},
    {"words/FFMA", 2},
    {"wavefronts/load of As", 1},
    {"wavefronts/load of Bs", 1},
    {"barriers/block", 2 * 256 / 32},  // two for each k-tile
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k3",
    .aliases = kAliases,
    .parent = "k2",
    .kind = Kind::rung,
    .title = "block tile in shared memory",
    .idea =
        "A block copies a tile of A and of B into shared memory once, and all its threads read "
        "them there.",
    .requirements = "none: tiles at the edge are filled with zeros",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::shared_tile
