// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 09: tuned (06 with other tile sizes)
//
// Before   128 x 128 x 8 with 8 x 8 a thread was a guess.
//
// Idea     Change no code, only the configuration: block tile, k-tile, thread tile, how far the k
//          loop is unrolled, and how many blocks an SM must hold. The rules below, in run(), say
//          which combinations add up; the compiler refuses the others with a sentence.
//
// Picture  BM x BN x BK and TM x TN fix the rest:
//
//           threads        = (BM / TM) * (BN / TN)
//           floats loaded  = BM * BK + BK * BN, a multiple of 4 * threads each
//           registers      > TM * TN + TM + TN a thread
//
// Cost     Twice the k-tile halves the barriers and doubles the shared memory. A larger thread tile
//          saves loads and takes registers, which takes blocks from the SM.
//
// Look at  ./tw tune k9 on your GPU, --why for what does not add up. "a6000" and "a100" are Boehm's
//          picks for those.
//
// Next     Sizes alone do not change which lanes read what: rung 10 does.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tuned {

/// The next four elements of a row, of which `exist` lie inside the matrix; zero for the others.
/// kInterior: all four do, on a 16-byte boundary.
template <bool kInterior>
__device__ float4 load4(GlobalPtr<const float> row, int exist) {
    if constexpr (kInterior) return ld<float4>(row);
    return {exist > 0 ? row[0] : 0.0f, exist > 1 ? row[1] : 0.0f, exist > 2 ? row[2] : 0.0f,
            exist > 3 ? row[3] : 0.0f};
}

/// global -> shared, zero outside the matrices
template <TileConfig kTile, bool kInterior>
__device__ void load_tile(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                          int rows, int cols, int depth, SharedPtr<float> As, SharedPtr<float> Bs) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_ROWS = kTile.threads / (BK / 4), B_ROWS = kTile.threads / (BN / 4);
    const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
    const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    A += a_row * p.lda + a_col;
    UNROLL
    for (int r = 0; r < BM; r += A_ROWS) {
        const int row = a_row + r;
        const float4 a = load4<kInterior>(A, row < rows ? depth - a_col : 0);
        As[(a_col + 0) * BM + row] = a.x;
        As[(a_col + 1) * BM + row] = a.y;
        As[(a_col + 2) * BM + row] = a.z;
        As[(a_col + 3) * BM + row] = a.w;
        A += A_ROWS * p.lda;
    }
    B += b_row * p.ldb + b_col;
    UNROLL
    for (int r = 0; r < BK; r += B_ROWS) {
        const int row = b_row + r;
        st(Bs + row * BN + b_col, load4<kInterior>(B, row < depth ? cols - b_col : 0));
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
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n;
    SHARED(float, As, BK, BM);  // (BK, BM): A transposed
    SHARED(float, Bs, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, and this thread's TM x TN elements of it
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int thread_row = threadIdx.x / (BN / TN) * TM;
    const int thread_col = threadIdx.x % (BN / TN) * TN;
    GlobalPtr<const float> A = p.A + block_row * p.lda;
    GlobalPtr<const float> B = p.B + block_col;
    const int tiles_k = ceil_div(p.k, BK);
    const bool interior =
        rows == BM && cols == BN && rows_aligned(p.A, p.lda) && rows_aligned(p.B, p.ldb);
    float acc[TM][TN] = {};
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
        // --- multiply tile: shared -> registers, where an a serves TN products and a b TM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; i += 4) ld4(&a[i], As + k * BM + thread_row + i);
            for (int j = 0; j < TN; j += 4) ld4(&b[j], Bs + k * BN + thread_col + j);
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] = fma_(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    // --- store tile: beta == 0 never reads C
    const bool vector = cols == BN && rows_aligned(p.C, p.ldc);
    GlobalPtr<float> C = p.C + (block_row + thread_row) * p.ldc + block_col + thread_col;
    UNROLL
    for (int i = 0; i < TM; ++i) {
        if (thread_row + i >= rows) break;
        for (int j = 0; j < TN; j += 4) store4(p, C + j, cols - thread_col - j, vector, &acc[i][j]);
        C += p.ldc;
    }
}

#if !defined(__CUDACC_RTC__)
Status launch_sgemm(void (*kernel)(Gemm), const TileConfig& tile, const Problem& problem,
                    const Execution& execution) {
    return launch(kernel, tile, Grid(tile.threads), problem, execution);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads * kTile.thread.m * kTile.thread.n == kTile.block.m * kTile.block.n,
                  "a thread computes TM * TN elements: a block needs BM * BN / (TM * TN) threads");
    static_assert(kTile.block.m % kTile.thread.m == 0 && kTile.block.n % kTile.thread.n == 0,
                  "thread tiles fill the block tile: TM divides BM, and TN divides BN");
    static_assert(kTile.thread.m % 4 == 0 && kTile.thread.n % 4 == 0 && kTile.block.k % 4 == 0,
                  "fragments and rows of the tile of A are read as float4: 4 divides TM, TN, BK");
    static_assert(4 * kTile.threads % kTile.block.k == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step loads whole rows as float4: BK and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads load equally many float4: 4 * threads divides BM * BK and BK * BN");
    return launch_sgemm(sgemm<kTile>, kTile, problem, execution);
}

/// The number of threads follows from the tiles.
constexpr TileConfig tile(Tile block, Tile thread, int unroll_k, int min_blocks) {
    return {.block = block,
            .thread = thread,
            .threads = block.m * block.n / (thread.m * thread.n),
            .unroll_k = unroll_k,
            .min_blocks = min_blocks};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>};
}
// The first two are Boehm's picks for the A6000 and the A100; the last is what ./tw tune k9 finds on an
// H200 (results/nvidia-h200-2026-12-01-tune-k9.json).
constexpr Variant kVariants[] = {
    // block tile, thread tile, unrolled steps of k, blocks an SM must hold
    variant<tile({128, 128, 16}, {8, 8}, 4, 0)>("a6000"),
    variant<tile({64, 64, 16}, {4, 4}, 8, 3)>("a100"),
    variant<tile({128, 128, 8}, {8, 8}, 2, 2)>("128x128x8-8x8"),
    variant<tile({128, 128, 32}, {8, 8}, 4, 0)>("128x128x32-8x8"),
    variant<tile({64, 128, 16}, {4, 8}, 8, 2)>("64x128x16-4x8"),
    variant<tile({128, 64, 16}, {8, 4}, 8, 2)>("128x64x16-8x4"),
    variant<tile({64, 64, 16}, {8, 8}, 8, 0)>("64x64x16-8x8"),
    variant<tile({128, 64, 16}, {8, 8}, 8, 0)>("128x64x16-8x8"),
    variant<tile({64, 128, 16}, {8, 8}, 8, 0)>("64x128x16-8x8"),
    variant<tile({256, 128, 8}, {16, 8}, 8, 0)>("256x128x8-16x8"),
    variant<tile({128, 256, 32}, {16, 8}, 8, 0)>("h200"),
};
constexpr const char* kAliases[] = {"tuned"};
constexpr Claim kClaims[] = {
    {"FFMA/global load", 4 * 64},
    {"sectors/load", 16},
    {"words/FFMA", 16.0 / 64},  // as in its parent
    {"loads/k", 2 + 2},
    {"wavefronts/k", 2 * 2 + 2 * 8},
    {"ways/store of As", 4},  // BK 16: four groups of a warp's lanes store to the same banks
    {"wavefronts stored/load of A", 4 * 4},
    {"wavefronts stored/load of B", 4},
    {"barriers/block", 2 * 256 / 16},
};

// What ./tw tune k9 chooses from, compiling what is not above.
constexpr int kBlock[] = {128, 64, 256}, kDepth[] = {16, 8, 32}, kThread[] = {8, 4, 16};
constexpr int kUnroll[] = {8, 4, 2, 16}, kMinBlocks[] = {0, 2, 3};
constexpr Axis kAxes[] = {{"block.m", kBlock},
                          {"block.n", kBlock},
                          {"block.k", kDepth},
                          {"thread.m", kThread},
                          {"thread.n", kThread},
                          {"unroll_k", kUnroll, true},
                          {"min_blocks", kMinBlocks, true}};
constexpr TuningSpace kSpace{
    kAxes, [](TileConfig c) { return tile(c.block, c.thread, c.unroll_k, c.min_blocks); },
    launch_compiled<launch_sgemm>};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k9",
    .aliases = kAliases,
    .parent = "k6",
    .kind = Kind::rung,
    .title = "tuned tile sizes",
    .idea =
        "The same code with its tile sizes chosen by measurement from the space of those that add "
        "up.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, "
        "element by element",
    .variants = kVariants,
    .claims = kClaims,
    .space = &kSpace,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::tuned
