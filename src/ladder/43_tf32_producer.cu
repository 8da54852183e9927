// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 43: a warpgroup that copies (42 + roles for warpgroups, a wider tile)
//
// Before   After each k-tile the warpgroups wait for their wgmma, then for each other, and only
//          then is the next copy begun. Tensor cores are idle meanwhile, unless another block fills
//          in, and two blocks leave each a small tile, for which much is copied.
//
// Idea     Give the copying to a warpgroup of its own. It runs ahead as far as there are stages,
//          and the multiplying ones wait for nothing but tiles: `full` tells them of one, `empty`
//          tells it that all of their warps have multiplied one. These let a k-tile's wgmma run
//          while they begin the next one's. The copying warpgroup hands them the registers that it
//          does not need.
//
// Picture  BM x BN = 128 x 256, B's tile in two packed ones; a stage is 48 KiB, of four:
//
//             warpgroup 2   | copy 0 1 2 3 | wait empty 0      | copy 4 | ...
//             the others    | full 0 | wgmma 0 | full 1 | wgmma 1 | empty 0 | ...
//
//          An `empty` comes one k-tile late: until then the next one's wgmma are begun.
//
// Cost     Of shared memory 64 + 256 rows of 32 bytes for 131072 products: 80 bytes a clock, of
//          128. 128 accumulators a thread, which gets 232 registers; a copying one keeps 40. One
//          block fills a multiprocessor. The variant "square" is a tile of 128 x 128 in six stages,
//          for a C with few tiles.
//
// Look at  A warp's part of an instruction: 32768 products, the most there are. Barriers of the
//          whole block: the one before the first k-tile.
//
// Next     The fastest product of the ladder, and not FP32's. Rungs 44 to 47 make results as exact
//          as FP32's: that takes several such products, of parts of the factors.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32_producer {

/// Packs a k-tile of BM rows of A, or behind all of these of BM columns of B: (BM, BK) as wgmma
/// reads it, rounded to TF32, zero outside the matrices.
template <TileConfig kTile>
__global__ void __launch_bounds__(256) pack(Gemm p, GlobalPtr<float> packed) {
    constexpr int ROWS = kTile.block.m, BK = kTile.block.k;
    const unsigned tiles_m = ceil_div(p.m, ROWS), tiles_k = ceil_div(p.k, BK);
    const bool of_a = blockIdx.x / tiles_k < tiles_m;
    const int64_t tile_row = int64_t{blockIdx.x / tiles_k - (of_a ? 0 : tiles_m)} * ROWS;
    const int64_t row_step = of_a ? p.lda : 1, k_step = of_a ? 1 : p.ldb;
    // A warp has 8 rows and 4 pieces: whole sectors of B, and of the packed tile.
    const int first = threadIdx.x / 64 * 8 + threadIdx.x % 8, piece = threadIdx.x / 8 % 8;
    const int64_t from_k = int64_t{blockIdx.x % tiles_k} * BK + piece * 4;
    const int rows = inside(of_a ? p.m : p.n, tile_row, ROWS), depth = inside(p.k, from_k, 4);
    const auto from = (of_a ? p.A : p.B) + tile_row * row_step + from_k * k_step;
    packed += int64_t{blockIdx.x} * (ROWS * BK);
    UNROLL
    for (int row = first; row < ROWS; row += 32) {
        float v[4];
        for (int i = 0; i < 4; ++i)
            v[i] = row < rows && i < depth ? to_tf32(from[row * row_step + i * k_step]) : 0.0f;
        // Of 16 columns of B, 4 t to 4 t + 3 become 2 t, 2 t + 1, 2 t + 8, 2 t + 9.
        const int place = of_a ? row : row / 16 * 16 + row / 4 % 4 * 2 + row % 2 + row / 2 % 2 * 8;
        st(packed + place * BK + (piece ^ place % 8) * 4, float4{v[0], v[1], v[2], v[3]});
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
__global__ void __launch_bounds__(kTile.threads + kTile.producers, kTile.min_blocks)
    sgemm(Gemm p, GlobalPtr<const float> packed) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int STAGES = kTile.stages, TILE = BM * BK, B_TILES = BN / BM;
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, BK);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * TILE, STAGES, BN, BK);  // B transposed
    DYNAMIC_SHARED(Barrier, full, 4 * STAGES * (1 + B_TILES) * TILE, STAGES);
    DYNAMIC_SHARED(Barrier, empty, STAGES * (4 * (1 + B_TILES) * TILE + 8), STAGES);
    // --- place: the block tile of C, the warp's part of it, and this thread's first element
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int group = lane / 4, in_group = lane % 4;  // g and t of the picture
    const int tiles_k = ceil_div(p.k, BK);
    const auto A = packed + int64_t{blockIdx.x % tiles_m} * tiles_k * TILE;
    const auto B = packed + (int64_t{blockIdx.x / tiles_m} * B_TILES + tiles_m) * tiles_k * TILE;
    const auto copy = [&](int t, int stage) {  // by one thread
        mbarrier_wait(empty + stage, t / STAGES % 2 ^ 1);
        mbarrier_arrive_expect(full + stage, (1 + B_TILES) * 4 * TILE);
        cp_async_bulk(As + stage * TILE, A + int64_t{t} * TILE, 4 * TILE, full + stage);
        for (int b = 0; b < B_TILES; ++b)
            cp_async_bulk(Bs + (stage * B_TILES + b) * TILE, B + (int64_t{b} * tiles_k + t) * TILE,
                          4 * TILE, full + stage);
    };
    for (int s = 0; threadIdx.x == 0 && s < STAGES; ++s) {
        mbarrier_init(full + s, 1);
        mbarrier_init(empty + s, kTile.threads / 32);
    }
    __syncthreads();
    if (threadIdx.x >= kTile.threads) {  // the warpgroup that copies: its first thread does
        setmaxnreg_dec<40>();
        for (int t = 0; threadIdx.x == kTile.threads && t < tiles_k; ++t) copy(t, t % STAGES);
        return;
    }
    setmaxnreg_inc<232>();
    float acc[BN / 2] = {};
    for (int t = 0; t < tiles_k; ++t) {
        const SharedPtr<float> As_t = As + t % STAGES * TILE + threadIdx.x / 128 * (64 * BK);
        const SharedPtr<float> Bs_t = Bs + t % STAGES * B_TILES * TILE;
        mbarrier_wait(full + t % STAGES, t / STAGES % 2);
        // --- multiply tile
        wgmma_fence();
        UNROLL
        for (int k = 0; k < BK; k += 8) wgmma_tf32<BN>(acc, As_t + k, Bs_t + k);
        wgmma_commit();
        wgmma_wait<1>(acc);  // until the k-tile before this one is multiplied
        __syncwarp();
        if (lane == 0 && t > 0) mbarrier_arrive(empty + (t - 1) % STAGES);
    }
    wgmma_wait<0>(acc);
    // --- store tile: beta == 0 never reads C
    const bool vector = cols == BN && rows_aligned(p.C, p.ldc);
    UNROLL
    for (int i = 0; i < 2; ++i) {
        const int row = warp * 16 + group + i * 8;
        if (row >= rows) continue;
        GlobalPtr<float> C = p.C + (block_row + row) * p.ldc + block_col;
        UNROLL
        for (int j = 0; j < BN; j += 16) {
            const int col = j + in_group * 4, first = j / 2 + i * 2;
            const float four[] = {acc[first], acc[first + 1], acc[first + 4], acc[first + 5]};
            store4(p, C + col, cols - col, vector, four);
        }
    }
}

#if !defined(__CUDACC_RTC__)
template <TileConfig kTile>
int64_t packed_tiles(const Problem& p) {
    constexpr int B_TILES = kTile.block.n / kTile.block.m;
    return (ceil_div(p.m, kTile.block.m) + ceil_div(p.n, kTile.block.n) * B_TILES) *
           ceil_div(p.k, kTile.block.k);
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& p, const Execution&) {
    return packed_tiles<kTile>(p) * 4 * kTile.block.k * kTile.block.m;
}

template <TileConfig kTile>
constexpr int dynamic_bytes() {
    return kTile.stages * (4 * (kTile.block.m + kTile.block.n) * kTile.block.k + 2 * 8);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads == 2 * kTile.block.m && kTile.block.m % 64 == 0,
                  "a warpgroup has 64 rows: 128 threads for each 64 of BM");
    static_assert(kTile.block.n % kTile.block.m == 0, "A and B are packed alike: BM divides BN");
    static_assert(kTile.block.k == 32, "a row of a tile is 128 bytes: BK = 32");
    static_assert(kTile.threads == 256 && kTile.producers == 128,
                  "two warpgroups get the registers of one: 256 threads and 128 producers");
    static_assert(kTile.stages % 2 == 0, "arrays of barriers begin on 16 bytes: 2 divides stages");
    return launch({pack<kTile>, packed_tiles<kTile>(problem), 256,
                   workspace_bytes<kTile>(problem, execution) / 4},
                  sgemm<kTile>, kTile, Grid(kTile.threads + kTile.producers), problem, execution,
                  dynamic_bytes<kTile>());
}

constexpr TileConfig kDefault{.block = {128, 256, 32},
                              .threads = 256,
                              .warp = {16, 256},
                              .min_blocks = 1,
                              .stages = 4,
                              .producers = 128};
constexpr TileConfig kSquare{.block = {128, 128, 32},
                             .threads = 256,
                             .warp = {16, 128},
                             .min_blocks = 1,
                             .stages = 6,
                             .producers = 128};
constexpr Variant kVariants[] = {
    {"default", kDefault, run<kDefault>, dynamic_bytes<kDefault>(), workspace_bytes<kDefault>},
    {"square", kSquare, run<kSquare>, dynamic_bytes<kSquare>(), workspace_bytes<kSquare>}};
constexpr Claim kClaims[] = {
    {"products/mma", 16 * 256 * 8},
    {"sectors/store of C", 16},
    {"ways/store of As", 1},
    {"ways/store of Bs", 1},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tf32_producer",
    .parent = "tf32_wgmma",
    .kind = Kind::rung,
    .title = "a warpgroup that copies, and a wider tile",
    .idea =
        "A third warpgroup copies ahead, so that the two that multiply wait for tiles alone, with "
        "its registers in addition.",
    .requirements =
        "a workspace of the size of A and B; C: 16-byte aligned rows, else element by element",
    .variants = kVariants,
    .claims = kClaims,
    .arithmetic = Arithmetic::tf32,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32_producer
