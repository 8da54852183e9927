// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 47: FP32's accuracy by wgmma (46 + tiles of two pieces)
//
// Before   A result as accurate as TF32's factors, of 11 bits. Rung 45 splits factors in registers,
//          where wgmma has none.
//
// Idea     The pass that packs the tiles splits them too: x = hi + lo as in rung 45, once for each
//          element. Both lie in one row of 128 bytes, so that the TMA still brings a tile in one
//          copy, the swizzle stays, and wgmma finds lo 64 bytes behind hi. Three wgmma for each 8
//          steps along k, the small products first.
//
// Picture  a row of a k-tile of 16:
//
//             | hi of 16 elements | lo of 16 elements |
//             |  0    1    2    3 |  4    5    6    7 |
//
//          Its pieces of 16 bytes lie turned around by the row's number, as before.
//
// Cost     A k-tile has half the steps for the same bytes, and 6 wgmma for them instead of four.
//          The pass writes 8 (M + N) K bytes. Sums have 16 steps along k.
//
//          What it is right for is said in rung 45. The largest errors as there:
//
//             K        1024     4096     16384
//             10       1.8e-6   4.0e-6   6.8e-6
//             47       4.8e-7   7.9e-7   1.8e-6
//
// Look at  An instruction has 16384 products as before, and there are three times as many. Copies
//          meet 1 way.
//
// Next     The ladder ends here. Tensor cores multiply FP16 twice as fast as TF32, in 11 bits too,
//          but with so little range that each row needs a scale, and some rows do not fit: that is
//          the library's src/engine/tensor_tile.cu.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32x3_wgmma {

/// x becomes its hi, and lo comes back. An Inf or NaN goes to lo, which meets only hi: lo may be 0.
__device__ float split(float& x) {
    const float whole = x;
    x = to_tf32(x);
    if (x - x != 0.0f) x = whole < 0.0f ? -1.0f : 1.0f;
    return to_tf32(whole - x);
}

/// Packs a k-tile of BM rows of A, or behind all of these of BM columns of B: (BM, 2 BK) as wgmma
/// reads it, in each row hi of BK elements, then lo, zero outside the matrices.
template <TileConfig kTile>
__global__ void __launch_bounds__(256) pack(Gemm p, GlobalPtr<float> packed) {
    constexpr int ROWS = kTile.block.m, BK = kTile.block.k, WORDS = 2 * BK;
    const unsigned tiles_m = ceil_div(p.m, ROWS), tiles_k = ceil_div(p.k, BK);
    const bool of_a = blockIdx.x / tiles_k < tiles_m;
    const int64_t tile_row = int64_t{blockIdx.x / tiles_k - (of_a ? 0 : tiles_m)} * ROWS;
    const int64_t row_step = of_a ? p.lda : 1, k_step = of_a ? 1 : p.ldb;
    // A warp has 8 rows and 4 pieces: whole sectors of B, and of the packed tile.
    const int first = threadIdx.x / 32 * 8 + threadIdx.x % 8, piece = threadIdx.x / 8 % 4;
    const int64_t from_k = int64_t{blockIdx.x % tiles_k} * BK + piece * 4;
    const int rows = inside(of_a ? p.m : p.n, tile_row, ROWS), depth = inside(p.k, from_k, 4);
    const auto from = (of_a ? p.A : p.B) + tile_row * row_step + from_k * k_step;
    packed += int64_t{blockIdx.x} * (ROWS * WORDS);
    UNROLL
    for (int row = first; row < ROWS; row += 64) {
        float hi[4], lo[4];
        for (int i = 0; i < 4; ++i) {
            hi[i] = row < rows && i < depth ? from[row * row_step + i * k_step] : 0.0f;
            lo[i] = split(hi[i]);
        }
        // Of 16 columns of B, 4 t to 4 t + 3 become 2 t, 2 t + 1, 2 t + 8, 2 t + 9.
        const int place = of_a ? row : row / 16 * 16 + row / 4 % 4 * 2 + row % 2 + row / 2 % 2 * 8;
        const GlobalPtr<float> to = packed + place * WORDS;
        st(to + (piece ^ place % 8) * 4, float4{hi[0], hi[1], hi[2], hi[3]});
        st(to + ((piece + 4) ^ place % 8) * 4, float4{lo[0], lo[1], lo[2], lo[3]});
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
    constexpr int STAGES = kTile.stages, WORDS = 2 * BK, TILE = BM * WORDS, B_TILES = BN / BM;
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, WORDS);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * TILE, STAGES, BN, WORDS);  // B transposed
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
    float acc[BN / 2] = {}, sum[BN / 2];
    for (int t = 0; t < tiles_k; ++t) {
        const SharedPtr<float> As_t = As + t % STAGES * TILE + threadIdx.x / 128 * (64 * WORDS);
        const SharedPtr<float> Bs_t = Bs + t % STAGES * B_TILES * TILE;
        mbarrier_wait(full + t % STAGES, t / STAGES % 2);
        // --- multiply tile
        wgmma_fence();
        UNROLL
        for (int k = 0; k < BK; k += 8) {
            wgmma_tf32<BN>(sum, As_t + BK + k, Bs_t + k, k == 0);
            wgmma_tf32<BN>(sum, As_t + k, Bs_t + BK + k);
        }
        UNROLL
        for (int k = 0; k < BK; k += 8) wgmma_tf32<BN>(sum, As_t + k, Bs_t + k);
        wgmma_commit();
        wgmma_wait<0>(sum);
        __syncwarp();
        if (lane == 0) mbarrier_arrive(empty + t % STAGES);
        UNROLL
        for (int i = 0; i < BN / 2; ++i) acc[i] += sum[i];
    }
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
    return packed_tiles<kTile>(p) * 8 * kTile.block.k * kTile.block.m;
}

template <TileConfig kTile>
constexpr int dynamic_bytes() {
    return kTile.stages * (8 * (kTile.block.m + kTile.block.n) * kTile.block.k + 2 * 8);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads == 2 * kTile.block.m && kTile.block.m % 64 == 0,
                  "a warpgroup has 64 rows: 128 threads for each 64 of BM");
    static_assert(kTile.block.n % kTile.block.m == 0, "A and B are packed alike: BM divides BN");
    static_assert(kTile.block.k == 16, "a row of a tile is 128 bytes: BK = 16");
    static_assert(kTile.threads == 256 && kTile.producers == 128,
                  "two warpgroups get the registers of one: 256 threads and 128 producers");
    static_assert(kTile.stages % 2 == 0, "arrays of barriers begin on 16 bytes: 2 divides stages");
    return launch({pack<kTile>, packed_tiles<kTile>(problem), 256,
                   workspace_bytes<kTile>(problem, execution) / 4},
                  sgemm<kTile>, kTile, Grid(kTile.threads + kTile.producers), problem, execution,
                  dynamic_bytes<kTile>());
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .threads = 256,
                              .warp = {16, 128},
                              .min_blocks = 1,
                              .stages = 6,
                              .producers = 128};
constexpr Variant kVariants[] = {
    {"default", kDefault, run<kDefault>, dynamic_bytes<kDefault>(), workspace_bytes<kDefault>}};
constexpr Claim kClaims[] = {
    {"products/mma", 16 * 128 * 8},
    {"sectors/store of C", 16},
    {"ways/store of As", 1},
    {"ways/store of Bs", 1},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tf32x3_wgmma",
    .parent = "tf32_promoted_wgmma",
    .kind = Kind::rung,
    .title = "tiles of two pieces of TF32",
    .idea =
        "The pass that packs tiles splits factors in two pieces, and three wgmma multiply these: "
        "as accurate as FP32.",
    .requirements =
        "a workspace of twice the size of A and B; C: 16-byte aligned rows, else element by "
        "element",
    .variants = kVariants,
    .claims = kClaims,
    .arithmetic = Arithmetic::tf32x3,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32x3_wgmma
