// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 41: packed operands (40 + a pass that makes the tiles beforehand)
//
// Before   Each block of a row of C's tiles fetches, rounds and transposes the same tiles of A, and
//          each block of a column the same of B: 32 times at a size of 4096. Meanwhile tensor cores
//          wait.
//
// Idea     Do it once. A pass before packs A and B into a workspace: rounded, zero outside, A
//          transposed, each k-tile of a block in one piece and just as shared memory is to hold it.
//          A k-tile is then two copies by the TMA, the tensor memory accelerator, one of A and one
//          of B. One thread begins them, two k-tiles ahead, and an mbarrier tells the others when
//          they are complete. No thread has a part of a tile in its registers on the way, and no
//          tile has an edge.
//
// Picture  pack:   A (M x K)  ->  tiles of 16 x 136, by block row, then along k:
//
//                      (0, 0) (0, 1) (0, 2) ... (1, 0) (1, 1) (1, 2) ...
//
//                  and behind them B (K x N) likewise, by block column.
//
//          sgemm:  thread 0  | copy 0, 1 |       | copy 2 |       | copy 3 |
//                  all                   | mma 0 |        | mma 1 |        ...
//
// Cost     The pass reads 4 (M + N) K bytes, writes as many, and multiplies nothing: a smaller part
//          of the whole, the larger M and N are. It pays where a tile is used several times.
//
// Look at  Still 4 mma of 1024 products for a load, which takes 4 wavefronts. A tile's copy arrives
//          in the order of the banks: its stores meet 1 way, where A's met 4. One barrier for each
//          k-tile instead of two: only the one behind it, as the mbarrier is the one before.
//
// Next     A load for four mma still takes as long as they do: in rung 42 tensor cores do without
//          such loads.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32_packed {

/// Packs a k-tile of BM rows of A, or behind all of these of BN columns of B: (BK, BM + pad_a) as
/// shared memory is to hold it, rounded to TF32, zero outside the matrices.
template <TileConfig kTile>
__global__ void __launch_bounds__(256) pack(Gemm p, GlobalPtr<float> packed) {
    constexpr int ROWS = kTile.block.m, BK = kTile.block.k, PITCH = ROWS + kTile.pad_a;
    const unsigned tiles_m = ceil_div(p.m, ROWS), tiles_k = ceil_div(p.k, BK);
    const bool of_a = blockIdx.x / tiles_k < tiles_m;
    const int64_t tile_row = int64_t{blockIdx.x / tiles_k - (of_a ? 0 : tiles_m)} * ROWS;
    const int64_t row_step = of_a ? p.lda : 1, k_step = of_a ? 1 : p.ldb;
    // A warp has 8 rows and 4 k: whole sectors of B, and of the packed tile.
    const int first = threadIdx.x / (8 * BK) * 8 + threadIdx.x % 8, k = threadIdx.x / 8 % BK;
    const int64_t from_k = int64_t{blockIdx.x % tiles_k} * BK + k;
    const int rows = from_k < p.k ? inside(of_a ? p.m : p.n, tile_row, ROWS) : 0;
    const auto from = (of_a ? p.A : p.B) + tile_row * row_step + from_k * k_step;
    packed += (int64_t{blockIdx.x} * BK + k) * PITCH;
    UNROLL
    for (int row = first; row < ROWS; row += 256 / BK)
        packed[row] = row < rows ? to_tf32(from[row * row_step]) : 0.0f;
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
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks)
    sgemm(Gemm p, GlobalPtr<const float> packed) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, WM = kTile.warp.m,
                  WN = kTile.warp.n;
    constexpr int A_PITCH = BM + kTile.pad_a, B_PITCH = BN + kTile.pad_b;
    constexpr int FM = WM / 8, FN = WN / 8;  // rows and columns of a lane, 4 in each 32 of its warp
    constexpr int STAGES = kTile.stages, TILE = BK * A_PITCH;
    SHARED(float, As, STAGES, BK, A_PITCH);  // (BK, BM): A transposed
    SHARED(float, Bs, STAGES, BK, B_PITCH);  // (BK, BN)
    SHARED(Barrier, full, STAGES);
    // --- place: the block tile of C, the warp's part of it, and this thread's first element
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int group = lane / 4, in_group = lane % 4;  // g and t of the picture
    const int thread_row = warp / (BN / WN) * WM + group * 4;
    const int thread_col = warp % (BN / WN) * WN + group * 4;
    const int tiles_k = ceil_div(p.k, BK);
    const auto A = packed + int64_t{blockIdx.x % tiles_m} * tiles_k * TILE;
    const auto B = packed + int64_t{blockIdx.x / tiles_m + tiles_m} * tiles_k * TILE;
    const auto copy = [&](int t, int stage) {  // by one thread
        if (threadIdx.x != 0 || t >= tiles_k) return;
        mbarrier_arrive_expect(full + stage, 2 * 4 * TILE);
        cp_async_bulk(As + stage * TILE, A + int64_t{t} * TILE, 4 * TILE, full + stage);
        cp_async_bulk(Bs + stage * TILE, B + int64_t{t} * TILE, 4 * TILE, full + stage);
    };
    for (int s = 0; threadIdx.x == 0 && s < STAGES; ++s) mbarrier_init(full + s, 1);
    __syncthreads();
    for (int t = 0; t < STAGES; ++t) copy(t, t);
    float acc[FM / 2][FN][4] = {};
    for (int t = 0; t < tiles_k; ++t) {
        const SharedPtr<float> As_t = As + t % STAGES * TILE, Bs_t = Bs + t % STAGES * TILE;
        mbarrier_wait(full + t % STAGES, t / STAGES % 2);
        // --- multiply tile: shared -> registers, where an a serves FN products and a b FM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; k += 8) {
            float a[2][FM], b[2][FN];
            for (int e = 0; e < 2; ++e) {  // t and t + 4
                const int row = k + in_group + e * 4;
                for (int i = 0; i < FM; i += 4)
                    ld4(&a[e][i], As_t + row * A_PITCH + thread_row + i * 8);
                for (int j = 0; j < FN; j += 4)
                    ld4(&b[e][j], Bs_t + row * B_PITCH + thread_col + j * 8);
            }
            for (int i = 0; i < FM; i += 2)
                for (int j = 0; j < FN; ++j)
                    mma_tf32(acc[i / 2][j], {a[0][i], a[0][i + 1], a[1][i], a[1][i + 1]},
                             {b[0][j], b[1][j]});
        }
        __syncthreads();
        copy(t + STAGES, t % STAGES);
    }
    // --- store tile: beta == 0 never reads C
    const bool vector = cols == BN && rows_aligned(p.C, p.ldc);
    UNROLL
    for (int i = 0; i < FM; ++i) {
        const int row = thread_row + i / 4 * 32 + i % 4;
        if (row >= rows) continue;
        GlobalPtr<float> C = p.C + (block_row + row) * p.ldc + block_col;
        UNROLL
        for (int j = 0; j < FN; j += 2) {  // columns 2 t, then 2 t + 1, of four mma side by side
            const int col = thread_col - group * 4 + j / 4 * 32 + in_group * 8 + j % 4 * 2;
            const int e = i % 2 * 2 + j % 4 / 2, first = j / 4 * 4;
            float four[4];
            for (int f = 0; f < 4; ++f) four[f] = acc[i / 2][first + f][e];
            store4(p, C + col, cols - col, vector, four);
        }
    }
}

#if !defined(__CUDACC_RTC__)
template <TileConfig kTile>
int64_t packed_tiles(const Problem& p) {
    return (ceil_div(p.m, kTile.block.m) + ceil_div(p.n, kTile.block.n)) *
           ceil_div(p.k, kTile.block.k);
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& p, const Execution&) {
    return packed_tiles<kTile>(p) * 4 * kTile.block.k * (kTile.block.m + kTile.pad_a);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n == kTile.block.m * kTile.block.n,
                  "warp tiles fill the block tile: the areas of threads / 32 warp tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0,
                  "warp tiles fill the block tile: WM divides BM, and WN divides BN");
    static_assert(kTile.warp.m % 32 == 0 && kTile.warp.n % 32 == 0 && kTile.block.k % 8 == 0,
                  "a float4 serves two or four mma of 16 x 8 x 8: 32 divides WM, WN, and 8 BK");
    static_assert(
        (kTile.block.m + kTile.pad_a) % 32 == 8 && (kTile.block.n + kTile.pad_b) % 32 == 8,
        "four rows of a tile begin 8 banks apart: BM + pad_a and BN + pad_b are 32 n + 8");
    static_assert(kTile.block.m == kTile.block.n && kTile.pad_a == kTile.pad_b,
                  "A and B are packed alike: BM = BN and pad_a = pad_b");
    static_assert(32 % kTile.block.k == 0, "256 threads pack 8 elements of a row: BK divides 32");
    return launch({pack<kTile>, packed_tiles<kTile>(problem), 256,
                   workspace_bytes<kTile>(problem, execution) / 4},
                  sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .threads = 128,
                              .pad_a = 8,
                              .pad_b = 8,
                              .warp = {64, 64},
                              .unroll_k = 2,
                              .min_blocks = 2,
                              .stages = 2};
constexpr Variant kVariants[] = {
    {"default", kDefault, run<kDefault>, 0, workspace_bytes<kDefault>}};
constexpr Claim kClaims[] = {
    {"products/mma", 16 * 8 * 8}, {"mma/load", 4},         {"wavefronts/load", 4}, {"ways/load", 1},
    {"ways/store of As", 1},      {"ways/store of Bs", 1},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tf32_packed",
    .parent = "tf32_mma",
    .kind = Kind::rung,
    .title = "a pass that packs rounded, transposed tiles",
    .idea =
        "A pass before lays out A and B as shared memory is to hold their tiles, so that each tile "
        "is one copy by the TMA.",
    .requirements =
        "a workspace of the size of A and B; C: 16-byte aligned rows, else element by element",
    .variants = kVariants,
    .claims = kClaims,
    .arithmetic = Arithmetic::tf32,
    .compute_capability = 90,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32_packed
