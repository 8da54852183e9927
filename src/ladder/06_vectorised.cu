// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 06: vectorised (05 + four neighbours in each access, A transposed)
//
// Before   Loads and stores move 4 bytes each; 16 shared loads for each k and thread.
//
// Idea     float4 everywhere: one access moves 16 bytes. A fragment of B lies in a row of Bs
//          already. A fragment of A lies in a column, so its tile is stored transposed, as (BK,
//          BM), on the way from global to shared memory.
//
// Picture  A, a row: x y z w   ->   As[k + 0][row] = x
//                                   As[k + 1][row] = y
//                                   As[k + 2][row] = z
//                                   As[k + 3][row] = w
//
//          Then a fragment of A lies in a row: As[k][thread_row .. thread_row + 7], two loads of 16
//          bytes.
//
//          A float4 must start on 16 bytes. Interior tiles of aligned matrices take that path;
//          edges and unaligned matrices go element by element, in the same functions.
//
// Cost     4 instead of 16 shared loads for 64 products, a quarter of the global requests. The
//          transposed store is the price: 4 scalar stores of 2 wavefronts each.
//
// Look at  Shared loads by instruction fall from 16 to 4 for each k, as written (the compiler
//          merges rung 05's too); as words they stay 0.25 an FFMA. As written, wavefronts fall from
//          48 to 20 for each k; merged, those of rung 05 are nearly as few already. Reading A takes
//          2, where neighbouring lanes want the same piece, and reading B still 8 where 4 would do,
//          since lanes lie 32 bytes apart.
//
// Next     Two detours try to remove these conflicts, 07 and 08; 09 tunes the sizes.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::vectorised {

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
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution);
}

constexpr TileConfig kDefault{
    .block = {128, 128, 8}, .thread = {8, 8}, .threads = 256, .unroll_k = 2, .min_blocks = 2};
constexpr Variant kVariants[] = {{"default", kDefault, run<kDefault>}};
constexpr const char* kAliases[] = {"vectorised"};
constexpr Claim kClaims[] = {
    {"FLOP/byte loaded", 32},
    {"FFMA/global load", 4 * 64},
    {"sectors/load", 16},  // 32 lanes of 16 bytes
    {"words/FFMA", 16.0 / 64},
    {"loads/k", 2 + 2},
    {"loads/k of Bs", 2},
    {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 8},
    {"wavefronts/k", 2 * 2 + 2 * 8},
    {"wavefronts/k of Bs", 2 * 8},
    {"ways/store of As", 2},  // lanes of a warp store into two rows with the same banks
    {"wavefronts stored/load of A", 4 * 2},  // a float4 is stored word by word
    {"wavefronts stored/load of B", 4},
    {"barriers/block", 2 * 256 / 8},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "k6",
    .aliases = kAliases,
    .parent = "k5",
    .kind = Kind::rung,
    .title = "float4 accesses, A transposed in shared memory",
    .idea =
        "Every access moves four neighbours at once; A is stored transposed so that its fragments "
        "are neighbours too.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, "
        "element by element",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::vectorised
