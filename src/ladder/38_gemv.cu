// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 38: gemv (27 + nothing shared, as nothing is used twice)
//
// Before   With a handful of rows of A, an element of B serves a handful of products. Rung 27's
//          tiles have 64 rows or more, nearly all of them empty then, and B takes the way through
//          shared memory for nothing.
//
// Idea     Time is what it takes to bring B from memory once. So each thread loads B straight to
//          registers, 16 bytes at a time, uses them for all BM rows, and has 8 such loads under
//          way. The threads of a group take a row's BN columns; the groups of a block take 4 k
//          each, in turn. At the end a block adds up what its groups have, and rung 27's second
//          kernel adds the parts of k.
//
// Picture             B, BN columns, 4 a thread
//                    +------------------------------+
//          group 0   | 4 k: 4 loads of each thread  |
//          group 1   | 4 k                          |
//            ..      |                              |
//          group 7   | 4 k                          |
//          group 0   | the next 4, under way too    |
//                    +------------------------------+
//
// Cost     For 4 k, 4 loads of B and one for each row of A, which is small and comes from the
//          caches. More rows than BM are taken BM at a time, and B is read again for each. BM is 4;
//          the variants "1row" and "8rows" have another.
//
// Look at  FFMAs for each global load: 8, half of the loads A's. All lanes want the same 16 bytes
//          of A, 1 sector; a load of B brings 16. There is 1 barrier for a block, before the sum.
//
// Next     The second kernel costs a launch. The variant "strip", whose block tiles have 32
//          columns, saves it where C has about 32 columns for each multiprocessor: then each has a
//          tile, and k stays whole. No rung builds on this yet.
#include "device/kernel.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::gemv {

/// The next four elements of a row, of which `exist` lie inside the matrix; zero for the others.
/// kInterior: all four do, on a 16-byte boundary.
template <bool kInterior>
__device__ void load4(float* to, GlobalPtr<const float> row, int exist) {
    if constexpr (kInterior)
        ld4(to, row);
    else
        for (int j = 0; j < 4; ++j) to[j] = j < exist ? row[j] : 0.0f;
}

/// The products of four k, of which `depth` lie inside the matrices.
template <TileConfig kTile, bool kInterior>
__device__ void multiply(const Gemm& p, GlobalPtr<const float> A, GlobalPtr<const float> B,
                         int rows, int cols, int depth, float (*acc)[4]) {
    constexpr int BM = kTile.block.m;
    float a[BM][4], b[4][4];
    UNROLL
    for (int k = 0; k < 4; ++k) load4<kInterior>(b[k], B + k * p.ldb, k < depth ? cols : 0);
    UNROLL  // the first row stands for those that are not there
        for (int i = 0; i < BM; ++i) load4<kInterior>(a[i], A + (i < rows ? i : 0) * p.lda, depth);
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < BM; ++i)
            for (int j = 0; j < 4; ++j) acc[i][j] = fma_(a[i][k], b[k][j], acc[i][j]);
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
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int GROUPS = BK / 4;  // of threads, each with all columns and four k
    DYNAMIC_SHARED(float, sums, 0, GROUPS, BM, BN);
    // --- place: the part of k, which makes a product of its own
    const int64_t part = blockIdx.y, part_k = ceil_div(p.k, int64_t{gridDim.y} * BK) * BK;
    p.A += part * part_k, p.B += part * part_k * p.ldb, p.C += part * p.m * p.ldc;
    p.k = p.k - part * part_k < part_k ? p.k - part * part_k : part_k;
    // --- place: the block tile of C, and this thread's four columns and first k
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{blockIdx.x % tiles_m} * BM;
    const int64_t block_col = int64_t{blockIdx.x / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int group = threadIdx.x / (BN / 4), col = threadIdx.x % (BN / 4) * 4;
    GlobalPtr<const float> A = p.A + block_row * p.lda + group * 4;
    GlobalPtr<const float> B = p.B + group * 4 * p.ldb + block_col + col;
    const int tiles_k = ceil_div(p.k, BK);
    const bool interior = cols == BN && rows_aligned(p.A, p.lda) && rows_aligned(p.B, p.ldb);
    const int whole_k = interior ? p.k / BK : 0;  // k-tiles that need no guard
    float acc[BM][4] = {};
    // --- multiply: global -> registers, the loads of several steps under way
    int t = 0;
    UNROLL_BY(kTile.unroll_k)
    for (; t < whole_k; ++t, A += BK, B += BK * p.ldb)
        multiply<kTile, true>(p, A, B, rows, cols, 4, acc);
    for (; t < tiles_k; ++t, A += BK, B += BK * p.ldb)
        multiply<kTile, false>(p, A, B, rows, cols - col,
                               inside(p.k, int64_t{t} * BK + group * 4, 4), acc);
    UNROLL
    for (int i = 0; i < BM; ++i)
        st(sums + (group * BM + i) * BN + col, float4{acc[i][0], acc[i][1], acc[i][2], acc[i][3]});
    __syncthreads();
    // --- store tile: each group some rows, the sums of all groups; beta == 0 never reads C
    const bool vector = cols == BN && rows_aligned(p.C, p.ldc);
    for (int i = group; i < rows; i += GROUPS) {
        float sum[4] = {};
        UNROLL_BY(8)
        for (int g = 0; g < GROUPS; ++g) {
            const float4 part = ld<float4>(sums + (g * BM + i) * BN + col);
            sum[0] += part.x, sum[1] += part.y, sum[2] += part.z, sum[3] += part.w;
        }
        store4(p, p.C + (block_row + i) * p.ldc + block_col + col, cols - col, vector, sum);
    }
}

/// C := alpha * (the sum of the parts) + beta * C. A warp adds some of the parts of 32 elements.
__global__ void __launch_bounds__(1024) add_parts(Gemm p, GlobalPtr<const float> parts, int count) {
    SHARED(float, sums, 32, 32);  // (warp, element)
    const int64_t elements = p.m * p.n, element = int64_t{blockIdx.x} * 32 + threadIdx.x;
    const int exist = element < elements ? count : 0;
    float sum = 0.0f;
    UNROLL_BY(8)
    for (int i = threadIdx.y; i < exist; i += blockDim.y) sum += parts[i * elements + element];
    sums[threadIdx.y * 32 + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || element >= elements) return;
    for (unsigned warp = 1; warp < blockDim.y; ++warp) sum += sums[warp * 32 + threadIdx.x];
    const int64_t at = element / p.n * p.ldc + element % p.n;
    const float c = p.beta == 0.0f ? 0.0f : p.C[at];
    p.C[at] = p.alpha * sum + p.beta * c;
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return tile.block.k * tile.block.m * tile.block.n;
}

/// As many as give each multiprocessor the blocks it holds, of at least 4 k-tiles; below 2, none.
int64_t parts_of(const TileConfig& tile, const Problem& problem, int multiprocessors) {
    const int64_t tiles = ceil_div(problem.m, tile.block.m) * ceil_div(problem.n, tile.block.n);
    const int64_t parts = tiles > 0 ? int64_t{multiprocessors} * tile.min_blocks / tiles : 0;
    const int64_t most = ceil_div(problem.k, tile.block.k) / 4;
    return parts < most ? parts : most;
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution& execution) {
    const int64_t parts = parts_of(kTile, problem, execution.multiprocessors);
    return parts < 2 ? 0 : parts * problem.m * problem.n * 4;
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.block.n % 4 == 0 && kTile.block.k % 4 == 0 &&
                      kTile.block.n / 4 * (kTile.block.k / 4) == kTile.threads,
                  "a thread has 4 x 4 elements of B in a step: threads = BN / 4 * BK / 4");
    const int64_t parts = parts_of(kTile, problem, execution.multiprocessors);
    if (parts > 1 && check_tile_counts(kTile, problem).ok()) {
        const Operands operands(problem);
        auto* const workspace = static_cast<float*>(execution.workspace);
        const Bounds bounds(workspace, parts * problem.m, problem.n, problem.n, "parts");
        Gemm p = operands.gemm;
        p.alpha = 1.0f, p.beta = 0.0f, p.C = global_ptr(workspace, bounds), p.ldc = p.n;
        const Grid grid(ceil_div(p.m, kTile.block.m) * ceil_div(p.n, kTile.block.n), parts);
        const Status status = launch_kernel(sgemm<kTile>, grid, Grid(kTile.threads),
                                            shared_bytes(kTile), execution, p);
        if (!status.ok()) return status;
        const Grid block(32, parts < 256 ? ceil_div(parts, 8) : 32);  // a warp adds 8, or more
        return launch_kernel(add_parts, Grid(ceil_div(p.m * p.n, 32)), block, 0, execution,
                             operands.gemm, p.C, static_cast<int>(parts));
    }
    return launch(sgemm<kTile>, kTile, Grid(kTile.threads), problem, execution,
                  shared_bytes(kTile));
}

constexpr TileConfig tile(Tile block, int threads, int min_blocks) {
    return {.block = block,
            .threads = threads,
            .unroll_k = block.m < 8 ? 2 : 1,
            .min_blocks = min_blocks};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>, shared_bytes(kTile), workspace_bytes<kTile>};
}
constexpr Variant kVariants[] = {
    variant<tile({4, 128, 32}, 256, 2)>("default"), variant<tile({1, 128, 32}, 256, 4)>("1row"),
    variant<tile({8, 128, 32}, 256, 2)>("8rows"), variant<tile({4, 32, 256}, 512, 1)>("strip")};
constexpr Claim kClaims[] = {
    {"FFMA/global load", 4 * 16.0 / (4 + 4)},  // 4 loads of A, 4 of B
    {"sectors/load of A", 1},  // all lanes want the same 16 bytes
    {"sectors/load of B", 16},
    {"ways/load", 1},
    {"ways/store", 1},
    {"barriers/block", 1},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "gemv",
    .parent = "split_k",
    .kind = Kind::rung,
    .title = "a handful of rows, B straight to registers",
    .idea =
        "Where an element of B serves few products nothing is shared: each thread streams B into "
        "registers, with many loads under way.",
    .requirements =
        "A, B: 16-byte aligned rows (base, and ld % 4 == 0), likewise C; else, and at edges, "
        "element by element; a workspace for the parts",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::gemv
