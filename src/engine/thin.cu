// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// thin: one matrix read once, times a few rows or columns
//
// For      M or N of 8 at most, where the other operand is read once and its bytes are the time.
//          The other operand is "wide" here, and the few rows of A, or columns of B, are "thin".
//
// Design   Wide elements go from memory straight into registers, the next ones while these are
//          multiplied: no detour by shared memory, which only the thin operand takes. A warp's
//          loads follow the wide operand's memory. Where that runs along X (m or n), a lane has
//          four neighbours of X and all of its warp's k; where it runs along k, a lane has four
//          neighbours of k, of several rows of X.
//
// Picture  along X   warp w: rows w, w + 8, ... of k; lane: 4 of 128 columns
//          along k   warp w: ROWS rows of X; lane: k = 4 * lane, + 128, ...
//          V sums for each column, or row. At the end the sums of the 8 warps, or of the 32 lanes, meet in shared memory.
//
// Cost     4 V FFMA for each vector load. Parts of k for different blocks (split.h) fill the GPU.
//
//          The variants are named for V, the rows or columns that they compute.
#include "engine/operands.h"
#include "engine/split.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::thin {

/// A problem with a thin side. Element (v, x) of C lies at C[v * v_step + x * x_step].
struct Sides {
    int64_t thin_size, wide_size;
    Operand thin, wide;
    int64_t v_step, x_step;
};

__device__ Sides sides_of(const Gemm& p, bool thin_a) {
    if (thin_a) return {p.m, p.n, p.A, p.B, p.ldc, 1};
    return {p.n, p.m, p.B, p.A, 1, p.ldc};
}

/// What a block computes: elements x to x + width of matrix `batch`, over a part of k.
struct Place {
    int64_t batch, x;
    int part;
    int64_t tile;  ///< Counted over the batch.
};

__device__ Place place_of_block(int64_t wide_size, int width, const Split& split) {
    const auto tiles = static_cast<unsigned>(ceil_div(wide_size, width));
    const unsigned tile = blockIdx.x % tiles, rest = blockIdx.x / tiles;
    const unsigned part = rest % split.parts, batch = rest / split.parts;
    return {batch, int64_t{tile} * width, static_cast<int>(part), int64_t{batch} * tiles + tile};
}

/// Four elements of a row of memory, of which `left` exist.
__device__ float4 load4(GlobalPtr<const float> from, int left, bool vectors) {
    if (vectors && left >= 4) return ld<float4>(from);
    float v[4] = {};
    UNROLL
    for (int i = 0; i < 4; ++i)
        if (i < left) v[i] = from[i];
    return {v[0], v[1], v[2], v[3]};
}

/// Begins to copy the thin operand's k to k + depth: (k, V), or (V, k) for kAlongK.
template <TileConfig kTile, bool kAlongK>
__device__ void stage_thin(const Sides& sides, int64_t batch, int64_t k, int depth,
                           SharedPtr<float> to) {
    constexpr int V = kTile.block.m, BK = kTile.warp.k;
    const GlobalPtr<const float> X = sides.thin.at(batch, 0, k);
    const bool along_k = sides.thin.along_k;
    const int64_t v_step = along_k ? sides.thin.ld : 1, k_step = along_k ? 1 : sides.thin.ld;
    for (int e = threadIdx.x; e < V * BK; e += kTile.threads) {
        const int v = along_k ? e / BK : e % V, kk = along_k ? e % BK : e / V;
        const bool exists = v < sides.thin_size && kk < depth;
        cp_async<4>(to + (kAlongK ? v * BK + kk : kk * V + v), X + v * v_step + kk * k_step,
                    exists ? 4 : 0);
    }
    cp_async_commit();
}

/// Calls multiply(tile in shared memory, its depth) for piece after piece of the thin operand, warp.k
/// long; the next one is on its way meanwhile. `tiles`: two of them.
template <TileConfig kTile, bool kAlongK, class Multiply>
__device__ void for_each_piece(const Sides& sides, int64_t batch, int64_t begin, int64_t end,
                               SharedPtr<float> tiles, const Multiply& multiply) {
    constexpr int BK = kTile.warp.k, SIZE = kTile.block.m * BK;
    int stage = 0;
    if (begin < end) stage_thin<kTile, kAlongK>(sides, batch, begin, inside(end, begin, BK), tiles);
    for (int64_t k = begin; k < end; k += BK, stage ^= 1) {
        cp_async_wait<0>();
        __syncthreads();  // and all have read the other stage
        if (k + BK < end)
            stage_thin<kTile, kAlongK>(sides, batch, k + BK, inside(end, k + BK, BK),
                                       tiles + (stage ^ 1) * SIZE);
        multiply(tiles + stage * SIZE, inside(end, k, BK));
    }
    __syncthreads();
}

/// Sums of a block whose wide operand runs along X: sums[w][v][x] for each warp.
template <TileConfig kTile>
__device__ void multiply_along_x(const Sides& sides, const Place& at, int64_t begin, int64_t end,
                                 SharedPtr<float> tiles, SharedPtr<float> sums) {
    constexpr int V = kTile.block.m, XB = kTile.block.n, U = kTile.unroll_k;
    constexpr int WARPS = kTile.threads / 32;
    const int warp = threadIdx.x / 32, col = threadIdx.x % 32 * 4;
    const int left = inside(sides.wide_size, at.x, XB) - col;
    const bool vectors = sides.wide.vectors;
    // The next of this warp's rows of k, and how many there are from it on, in steps of WARPS.
    GlobalPtr<const float> X = sides.wide.at(at.batch, at.x + col, begin + warp);
    int64_t rows_left = end - begin - warp;
    const int64_t step = WARPS * sides.wide.ld;
    float acc[V][4] = {};
    float4 x[U];
    const auto load = [&] {
        UNROLL
        for (int u = 0; u < U; ++u)
            x[u] = u * WARPS < rows_left ? load4(X + u * step, left, vectors) : float4{};
        X += U * step;
        rows_left -= U * WARPS;
    };
    load();
    for_each_piece<kTile, false>(
        sides, at.batch, begin, end, tiles, [&](SharedPtr<float> tile, int depth) {
            for (int row = warp; row < depth; row += U * WARPS) {
                UNROLL
                for (int u = 0; u < U; ++u) {
                    float thin[V];
                    constexpr int STEP = V < 4 ? V : 4;
                    for (int v = 0; v < V; v += STEP)
                        load_fragment<STEP>(&thin[v], tile + (row + u * WARPS) * V + v);
                    for (int v = 0; v < V; ++v) {
                        acc[v][0] = fma_(thin[v], x[u].x, acc[v][0]);
                        acc[v][1] = fma_(thin[v], x[u].y, acc[v][1]);
                        acc[v][2] = fma_(thin[v], x[u].z, acc[v][2]);
                        acc[v][3] = fma_(thin[v], x[u].w, acc[v][3]);
                    }
                }
                load();
            }
        });
    UNROLL
    for (int v = 0; v < V; ++v) st(sums + (warp * V + v) * XB + col, moved4(acc[v]));
}

/// Sums of a block whose wide operand runs along k: sums[lane][v][x], a warp's rows beside each
/// other.
template <TileConfig kTile>
__device__ void multiply_along_k(const Sides& sides, const Place& at, int64_t begin, int64_t end,
                                 SharedPtr<float> tiles, SharedPtr<float> sums) {
    constexpr int V = kTile.block.m, XB = kTile.block.n, BK = kTile.warp.k, ROWS = kTile.thread.n;
    constexpr int STEP = 32 * 4;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp * ROWS;
    const int rows = inside(sides.wide_size, at.x, XB) - row;
    const bool vectors = sides.wide.vectors;
    GlobalPtr<const float> X = sides.wide.at(at.batch, at.x + row, begin + lane * 4);
    int64_t k_left = end - begin - lane * 4;
    float acc[ROWS][V] = {};
    float4 x[ROWS];
    const auto load = [&] {
        const int left = k_left < 0 ? 0 : k_left < 4 ? static_cast<int>(k_left) : 4;
        UNROLL
        for (int r = 0; r < ROWS; ++r)
            x[r] = r < rows ? load4(X + r * sides.wide.ld, left, vectors) : float4{};
        X += STEP;
        k_left -= STEP;
    };
    load();
    for_each_piece<kTile, true>(
        sides, at.batch, begin, end, tiles, [&](SharedPtr<float> tile, int depth) {
            for (int step = 0; step < depth; step += STEP) {
                UNROLL
                for (int v = 0; v < V; ++v) {
                    const float4 thin = ld<float4>(tile + v * BK + step + lane * 4);
                    for (int r = 0; r < ROWS; ++r) {
                        acc[r][v] = fma_(thin.x, x[r].x, acc[r][v]);
                        acc[r][v] = fma_(thin.y, x[r].y, acc[r][v]);
                        acc[r][v] = fma_(thin.z, x[r].z, acc[r][v]);
                        acc[r][v] = fma_(thin.w, x[r].w, acc[r][v]);
                    }
                }
                load();
            }
        });
    UNROLL
    for (int r = 0; r < ROWS; ++r) UNROLL
    for (int v = 0; v < V; ++v) sums[lane * (V * XB + 1) + v * XB + row + r] = acc[r][v];
}

template <TileConfig kTile, bool kAlongK>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks)
    sgemm(Gemm p, bool thin_a, Split split, Parts parts) {
    constexpr int V = kTile.block.m, XB = kTile.block.n, BK = kTile.block.k;
    constexpr int SUMS = kAlongK ? 32 : kTile.threads / 32, PITCH = V * XB + (kAlongK ? 1 : 0);
    DYNAMIC_SHARED(float, tile, 0, 2, V, kTile.warp.k);
    DYNAMIC_SHARED(float, sums, 0, SUMS, PITCH);  // in the end, where the tiles were
    SHARED(unsigned, vote, 1);
    wait_for_stream();
    const Sides sides = sides_of(p, thin_a);
    const Place at = place_of_block(sides.wide_size, XB, split);
    const Scalars scalars = scalars_of(p);
    const int64_t begin = int64_t{split.begin(at.part)} * BK;
    const int64_t stop = int64_t{split.begin(at.part + 1)} * BK;
    const int64_t end = scalars.alpha == 0.0f ? begin : stop < p.k ? stop : p.k;
    if constexpr (kAlongK)
        multiply_along_k<kTile>(sides, at, begin, end, tile, sums);
    else
        multiply_along_x<kTile>(sides, at, begin, end, tile, sums);
    let_stream_go_on();  // no sooner: blocks that only wait would take the place of those to come
    __syncthreads();
    // --- add up, in a fixed order, and store: one element a thread at a time
    const GlobalPtr<float> all = parts.sums + at.tile * split.parts * (V * XB);
    const auto sum_of = [&](int e) {
        float sum = 0.0f;
        UNROLL_BY(8)
        for (int i = 0; i < SUMS; ++i) sum += sums[i * PITCH + e];
        return sum;
    };
    if (split.parts > 1) {
        for (int e = threadIdx.x; e < V * XB; e += kTile.threads)
            all[at.part * (V * XB) + e] = sum_of(e);
        if (split.parts > kMostThatMeet) return;  // add_parts() goes on
        if (!is_last(parts.arrived + at.tile, split.parts, vote)) return;
    }
    const int width = inside(sides.wide_size, at.x, XB);
    const GlobalPtr<float> C = p.C + at.batch * p.stride_c + at.x * sides.x_step;
    for (int e = threadIdx.x; e < V * XB; e += kTile.threads) {
        const int v = e / XB, x = e % XB;
        if (v >= sides.thin_size || x >= width) continue;
        float sum = 0.0f;
        if (split.parts == 1) sum = sum_of(e);
        if (split.parts > 1) {
            UNROLL_BY(8)
            for (int part = 0; part < split.parts; ++part) sum += all[part * (V * XB) + e];
        }
        const int64_t offset = v * sides.v_step + x * sides.x_step;
        const float c = scalars.beta == 0.0f ? 0.0f : C[offset];
        C[offset] = scalars.alpha * sum + scalars.beta * c;
    }
}

#if !defined(__CUDACC_RTC__)
/// The same for a wide operand that runs along k: rows of X for a warp.
constexpr TileConfig along_k(TileConfig tile) {
    tile.thread.n = 8;
    tile.block.n = tile.threads / 32 * tile.thread.n;
    return tile;
}

constexpr int shared_bytes(const TileConfig& tile, bool is_along_k) {
    const int elements = tile.block.m * tile.block.n;
    const int sums = is_along_k ? 32 * (elements + 1) : tile.threads / 32 * elements;
    const int tiles = 2 * tile.block.m * tile.warp.k;
    return 4 * (tiles > sums ? tiles : sums);
}

/// What the host makes of a problem.
struct Plan {
    bool thin_a, along_k;
    TileConfig tile;
    int64_t tiles;
    Split split;
};

template <TileConfig kTile>
Plan plan(const Problem& p, const Execution& execution) {
    const bool thin_a = p.m <= kTile.block.m;
    const bool is_along_k = thin_a ? p.transpose_b : !p.transpose_a;
    const TileConfig tile = is_along_k ? along_k(kTile) : kTile;
    return {thin_a, is_along_k, tile, ceil_div(thin_a ? p.n : p.m, tile.block.n) * p.batch,
            split_of(ceil_div(reads(p), tile.block.k), execution.splits)};
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution& execution) {
    const Plan made = plan<kTile>(problem, execution);
    Workspace workspace(nullptr);
    const PartsStorage parts(workspace, made.tiles, made.split.parts,
                             made.tile.block.m * made.tile.block.n, execution.counters);
    return workspace.bytes();
}

template <TileConfig kTile>
Work work(const Problem& problem, const Execution& execution) {
    const Plan made = plan<kTile>(problem, execution);
    Work result =
        work_of(made.split, made.tiles, made.tile.block.m * made.tile.block.n, kTile.min_blocks);
    // In k-tiles as wide as they are along X, which costs.def knows.
    result.steps *= static_cast<double>(made.tile.block.n) / kTile.block.n;
    return result;
}

template <TileConfig kTile>
const char* refusal(const Problem& p, const Execution& execution) {
    constexpr int64_t kMost = 0x7fffffff;
    if (p.m > kTile.block.m && p.n > kTile.block.m) return "neither M nor N is thin enough";
    if (reads(p) > kMost * kTile.block.k) return "K has more than 2^31 - 1 k-tiles";
    const Plan made = plan<kTile>(p, execution);
    if (made.split.parts > kMost / (made.tile.block.m * made.tile.block.n))
        return "the parts of a tile have more than 2^31 - 1 elements";
    if (made.tiles / p.batch > kMost / p.batch / made.split.parts)
        return "a grid holds 2^31 - 1 blocks";
    if (made.split.parts > 1 && made.tiles > kCounters) return "parts of k for 65536 tiles at most";
    return nullptr;
}

template <TileConfig kTile, bool kAlongK>
Status launch(const Plan& made, const Operands& operands, const Parts& parts,
              const Execution& execution) {
    const Gemm& p = operands.gemm;
    const int count = made.split.parts;
    const Status status = launch_kernel(
        sgemm<kTile, kAlongK>, Grid(static_cast<unsigned>(made.tiles * count)), Grid(kTile.threads),
        shared_bytes(kTile, kAlongK), execution, p, made.thin_a, made.split, parts);
    if (!status.ok() || count <= kMostThatMeet) return status;
    const Tiling tiling = made.thin_a ? tiling_of(kTile.block.m, kTile.block.n, p.m, p.n, p.ldc, 1)
                                      : tiling_of(kTile.block.m, kTile.block.n, p.n, p.m, 1, p.ldc);
    return launch_add_parts(p, tiling, made.tiles, parts, count, execution);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
    static_assert(kTile.block.n == 32 * kTile.thread.n && kTile.thread.n == 4,
                  "a lane has four neighbours along X: BN is 128");
    static_assert(
        kTile.block.k % (kTile.unroll_k * kTile.threads / 32) == 0 && kTile.block.k % 128 == 0,
        "warps take rows of k in turn, lanes four each: the unrolled rows of all warps, "
        "and 128, divide BK");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    const Operands operands(problem);
    const Plan made = plan<kTile>(problem, execution);
    Workspace workspace(execution.workspace);
    const PartsStorage parts(workspace, made.tiles, made.split.parts,
                             made.tile.block.m * made.tile.block.n, execution.counters);
    if (Status status = parts.clear(execution); !status.ok()) return status;
    const auto with = made.along_k ? launch<along_k(kTile), true> : launch<kTile, false>;
    return with(made, operands, parts.parts(), execution);
}

/// Parts of k are cut at multiples of block_k; the thin operand comes in longer pieces.
constexpr TileConfig config(int v, int block_k, int piece_k, int unroll_k, int min_blocks) {
    return {.block = {v, 128, block_k},
            .thread = {v, 4},
            .threads = 256,
            .warp = {0, 0, piece_k},
            .unroll_k = unroll_k,
            .min_blocks = min_blocks};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    const int x = shared_bytes(kTile, false), k = shared_bytes(along_k(kTile), true);
    return {name,        kTile,         run<kTile>, x > k ? x : k, workspace_bytes<kTile>,
            work<kTile>, refusal<kTile>};
}
constexpr Variant kVariants[] = {
    variant<config(1, 128, 1024, 8, 3)>("1"), variant<config(2, 128, 1024, 8, 3)>("2"),
    variant<config(4, 128, 512, 8, 3)>("4"), variant<config(8, 128, 512, 8, 2)>("8")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "thin",
    .parent = "gemv",
    .kind = Kind::engine,
    .title = "one operand read once, the other in shared memory",
    .idea =
        "Where M or N is 8 at most, the other operand's elements go straight into registers, each "
        "for all sums it serves.",
    .requirements =
        "M or N of 8 at most. The wide operand's rows on 16-byte boundaries are read as vectors, "
        "all others word by word",
    .variants = kVariants,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::thin
