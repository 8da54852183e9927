// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 44: promoted sums (40 + FP32 adds up what tensor cores multiply)
//
// Before   A result in TF32 is off for two reasons. Factors are rounded, up as often as down, so
//          that errors cancel: the longer the sum, the smaller their part of it. And tensor cores
//          cut their sums where an FFMA rounds them. Each mma loses up to a last place of all that
//          was summed before, always toward zero, and nothing cancels.
//
// Idea     Let no long sum stand in tensor cores. Each mma begins with zeros, and its 8 products of
//          a result are added to the accumulator by an FADD, which rounds: they are promoted. What
//          is cut is then 8 products' last place, however long k is.
//
// Picture  for 8 steps along k, and what is lost at most:
//
//          40:  acc = cut(acc + 8 products)   a last place of acc
//          44:  sum = cut(0 + 8 products)     a last place of sum
//               acc = rounded(acc + sum)      half a last place of acc, up or down
//
// Cost     Four FADD for each mma, which the warp issues while tensor cores work, and four
//          registers for each sum under way. So that these fit, a warp tile is 64 x 32 and a block
//          has 8 warps: with 64 x 64 registers spill.
//
//          The largest error in CPU mode, as a part of |A||B|, of 128 x 128 results and positive
//          data, whose sums grow all the way (tilewright verify 40 44 --dist positive):
//
//             K      1024     4096     16384
//             40     4.6e-5   3.2e-5   5.2e-5
//             44     4.3e-5   2.2e-5   1.1e-5
//
//          Rounded factors alone give half the error for four times the K. In rung 40 the cuts
//          take over.
//
// Look at  Still no FFMA, and an mma makes 1024 products. In each step along k 2 mma, of a warp
//          tile half the size, and 0.75 loads.
//
// Next     What is left are the 13 bits that factors lost. Rung 45 brings them back.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32_promoted {

/// The next four elements of a row, of which `exist` lie inside the matrix; zero for the others.
/// kInterior: all four do, on a 16-byte boundary.
template <bool kInterior>
__device__ float4 load4(GlobalPtr<const float> row, int exist) {
    if constexpr (kInterior) return ld<float4>(row);
    return {exist > 0 ? row[0] : 0.0f, exist > 1 ? row[1] : 0.0f, exist > 2 ? row[2] : 0.0f,
            exist > 3 ? row[3] : 0.0f};
}

__device__ float4 rounded(float4 v) {
    return {to_tf32(v.x), to_tf32(v.y), to_tf32(v.z), to_tf32(v.w)};
}

/// global -> shared, rounded to TF32, zero outside the matrices
template <TileConfig kTile, bool kInterior>
__device__ void load_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_PITCH = BM + kTile.pad_a, B_PITCH = BN + kTile.pad_b;
    constexpr int A_ROWS = kTile.threads / (BK / 4), B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        const float4 a = rounded(load4<kInterior>(A, row < rows ? depth - a_col : 0));
        As[(a_col + 0) * A_PITCH + row] = a.x;
        As[(a_col + 1) * A_PITCH + row] = a.y;
        As[(a_col + 2) * A_PITCH + row] = a.z;
        As[(a_col + 3) * A_PITCH + row] = a.w;
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        const int row = b_row + r;
        st(Bs + row * B_PITCH + b_col,
           rounded(load4<kInterior>(B, row < depth ? cols - b_col : 0)));
        B += B_ROWS * p.ldb;
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
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks) sgemm(Gemm p) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, WM = kTile.warp.m,
                  WN = kTile.warp.n;
    constexpr int A_PITCH = BM + kTile.pad_a, B_PITCH = BN + kTile.pad_b;
    constexpr int FM = WM / 8, FN = WN / 8;  // rows and columns of a lane, 4 in each 32 of its warp
    SHARED(float, As, BK, A_PITCH);  // (BK, BM): A transposed
    SHARED(float, Bs, BK, B_PITCH);  // (BK, BN)
    // --- place: the block tile of C, the warp's part of it, and this thread's first element
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int group = lane / 4, in_group = lane % 4;  // g and t of the picture
    const int thread_row = warp / (BN / WN) * WM + group * 4;
    const int thread_col = warp % (BN / WN) * WN + group * 4;
    GlobalPtr<const float> A = p.A + block_row * p.lda;
    GlobalPtr<const float> B = p.B + block_col;
    const int tiles_k = ceil_div(p.k, BK);
    const bool interior =
        rows == BM && cols == BN && rows_aligned(p.A, p.lda) && rows_aligned(p.B, p.ldb);
    float acc[FM / 2][FN][4] = {};
    for (int t = 0; t < tiles_k; ++t) {
        // --- load tile: global -> shared, zero outside the matrices
        const int depth = inside(p.k, int64_t{t} * BK, BK);
        if (interior && depth == BK)
            load_tile<kTile, true>(p, A, B, rows, cols, depth, As, Bs);
        else
            load_tile<kTile, false>(p, A, B, rows, cols, depth, As, Bs);
        __syncthreads();
        A += BK;
        B += BK * p.ldb;
        // --- multiply tile: shared -> registers, where an a serves FN products and a b FM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; k += 8) {
            float a[2][FM], b[2][FN];
            for (int e = 0; e < 2; ++e) {  // t and t + 4
                const int row = k + in_group + e * 4;
                for (int i = 0; i < FM; i += 4)
                    ld4(&a[e][i], As + row * A_PITCH + thread_row + i * 8);
                for (int j = 0; j < FN; j += 4)
                    ld4(&b[e][j], Bs + row * B_PITCH + thread_col + j * 8);
            }
            for (int i = 0; i < FM; i += 2)
                for (int j = 0; j < FN; ++j) {
                    float sum[4] = {};
                    mma_tf32(sum, {a[0][i], a[0][i + 1], a[1][i], a[1][i + 1]}, {b[0][j], b[1][j]});
                    for (int e = 0; e < 4; ++e) acc[i / 2][j][e] += sum[e];
                }
        }
        __syncthreads();
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
    static_assert(4 * kTile.threads % kTile.block.k == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step loads whole rows as float4: BK and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads load equally many float4: 4 * threads divides BM * BK and BK * BN");
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{.block = {128, 128, 16},
                              .threads = 256,
                              .pad_a = 8,
                              .pad_b = 8,
                              .warp = {64, 32},
                              .min_blocks = 1};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr Claim kClaims[] = {
    {"FFMA/k", 0},           {"products/mma", 16 * 8 * 8}, {"mma/k", 4 * 4 / 8.0},
    {"loads/k", 6 / 8.0},    {"mma/load", 16 / 6.0},       {"wavefronts/load", 4},
    {"ways/store of As", 4}, {"sectors/load", 16},         {"barriers/block", 2 * 256 / 16},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tf32_promoted",
    .parent = "tf32_mma",
    .kind = Kind::rung,
    .title = "sums promoted to FP32 after each mma",
    .idea =
        "Tensor cores cut their sums, so each has 8 products only and is added to FP32's: the "
        "error no longer grows with k.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, "
        "element by element",
    .variants = kVariants,
    .claims = kClaims,
    .arithmetic = Arithmetic::tf32,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tf32_promoted
