// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// tile: block tiles of many sizes, asynchronous copies, parts of k for warps and for blocks
//
// For      Everything but large problems on Hopper and very thin ones: any GPU from sm_80 on.
//
// Design   All threads copy and multiply. A k-tile arrives by cp.async while others are multiplied,
//          one barrier each. Both tiles lie by rows of k (operands.h), so that a fragment is a
//          vector load, and products run column by column, every other column backwards: the
//          operand at the turn stays in the register file's reuse cache (rungs 23 and 24).
//          Small tiles have several warps for the same elements, each with a slice of every
//          k-tile (rung 37); long k is cut into parts for different blocks (split.h).
//
// Picture  block tile BM x BN, of which a warp has WM x WN x WK: BK / WK warps share elements.
//          At the end their sums meet in shared memory, and threads take four neighbours each.
//
// Cost     A thread's step along k is FM * FN FFMA for FM + FN words of shared memory.
//
//          The variants are named for their block tile, those with "-1" have one stage, for small
//          matrices of a batch, and room for many blocks; the dispatcher chooses among them.
#include "engine/operands.h"
#include "engine/split.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tile {

/// One instance of the problem: matrix `batch`, a block tile of it, and a part of k.
struct Place {
    int64_t batch, row, col;
    int part;
    int64_t tile;  ///< Counted over the batch.
};

template <TileConfig kTile>
__device__ Place place_of_block(const Gemm& p, const Split& split) {
    const auto tiles_m = static_cast<unsigned>(ceil_div(p.m, kTile.block.m));
    const auto tiles_n = static_cast<unsigned>(ceil_div(p.n, kTile.block.n));
    unsigned rest = blockIdx.x;
    const unsigned row = rest % tiles_m;
    rest /= tiles_m;
    const unsigned col = rest % tiles_n;
    rest /= tiles_n;
    const unsigned part = rest % split.parts, batch = rest / split.parts;
    return {batch, int64_t{row} * kTile.block.m, int64_t{col} * kTile.block.n,
            static_cast<int>(part), (int64_t{batch} * tiles_n + col) * tiles_m + row};
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks)
    sgemm(Gemm p, Split split, Parts parts) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n, WK = kTile.warp.k;
    constexpr int STAGES = kTile.stages, A_PITCH = BM + kTile.pad_a, B_PITCH = BN + kTile.pad_b;
    constexpr int N_STEPS = kTile.warp_n_steps, M_STEPS = WM * WN / (32 * TM * TN * N_STEPS);
    constexpr int STEP_M = WM / M_STEPS, STEP_N = WN / N_STEPS;  // what the warp covers in one step
    constexpr int FM = M_STEPS * TM, FN = N_STEPS * TN;  // the fragments of all steps
    constexpr int K_WARPS = BK / WK, TILE_WARPS = kTile.threads / 32 / K_WARPS;
    DYNAMIC_SHARED(float, As, 0, STAGES, BK, A_PITCH);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BK * A_PITCH, STAGES, BK, B_PITCH);
    constexpr int SUM_PITCH = BN + 4;
    DYNAMIC_SHARED(float, sums, 0, K_WARPS, BM, SUM_PITCH);  // in the end, where the tiles were
    SHARED(unsigned, vote, 1);
    wait_for_stream();
    // --- place: the block tile, the warp's part of it, and this thread's first element
    const Place at = place_of_block<kTile>(p, split);
    const Scalars scalars = scalars_of(p);
    const int rows = inside(p.m, at.row, BM), cols = inside(p.n, at.col, BN);
    const int thread = threadIdx.x, warp = thread / 32 % TILE_WARPS, lane = thread % 32;
    const int k_warp = thread / 32 / TILE_WARPS;
    constexpr int LANES_N = STEP_N / TN;  // in squares of 2 x 2
    const int lane_row = lane / (2 * LANES_N) * 2 + lane / 2 % 2;
    const int lane_col = lane / 4 % (LANES_N / 2) * 2 + lane % 2;
    const int thread_row = warp / (BN / WN) * WM + lane_row * TM;
    const int thread_col = warp % (BN / WN) * WN + lane_col * TN;
    const int begin = split.begin(at.part);
    const int end = scalars.alpha == 0.0f ? begin : split.begin(at.part + 1);
    const auto copy = [&](int t) {  // makes a group of its copies, of none behind the last k-tile
        if (t < end) {
            const int stage = (t - begin) % STAGES, depth = inside(p.k, int64_t{t} * BK, BK);
            const int64_t k = int64_t{t} * BK;
            copy_tile<BM, BK, A_PITCH, kTile.threads, 64>(
                p.A, p.A.at(at.batch, at.row, k), rows, depth, As + stage * (BK * A_PITCH), thread);
            copy_tile<BN, BK, B_PITCH, kTile.threads, 64>(
                p.B, p.B.at(at.batch, at.col, k), cols, depth, Bs + stage * (BK * B_PITCH), thread);
        }
        cp_async_commit();
    };
    // --- prologue: begin with as many k-tiles as there are stages, but one
    constexpr int AHEAD = STAGES > 1 ? STAGES - 1 : 1;  // with one stage there is one k-tile
    UNROLL
    for (int t = 0; t < AHEAD; ++t) copy(begin + t);
    float acc[FM][FN] = {};
    for (int t = begin; t < end; ++t) {
        // --- wait for k-tile t: each thread for its own copies, then all for each other
        cp_async_wait<AHEAD - 1>();
        __syncthreads();
        // --- copy tile: begin with one more; who has passed the barrier reads its stage no more
        copy(t + AHEAD);
        const int k_row = (t - begin) % STAGES * BK + k_warp * WK;
        const SharedPtr<float> a_tile = As + k_row * A_PITCH + thread_row;
        const SharedPtr<float> b_tile = Bs + k_row * B_PITCH + thread_col;
        // --- multiply tile: shared -> registers, where an a serves FN products and a b FM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < WK; ++k) {
            float a[FM], b[FN];
            for (int i = 0; i < M_STEPS; ++i)
                load_fragment<TM>(&a[i * TM], a_tile + k * A_PITCH + i * STEP_M);
            for (int j = 0; j < N_STEPS; ++j)
                load_fragment<TN>(&b[j * TN], b_tile + k * B_PITCH + j * STEP_N);
            for (int j = 0; j < FN; ++j)
                for (int n = 0; n < FM; ++n) {
                    const int i = j % 2 == 0 ? n : FM - 1 - n;
                    acc[i][j] = fma_(a[i], b[j], acc[i][j]);
                }
        }
    }
    // --- the sums of all warps
    __syncthreads();
    UNROLL
    for (int i = 0; i < FM; ++i) {
        const int row = k_warp * BM + thread_row + i / TM * STEP_M + i % TM;
        UNROLL
        for (int j = 0; j < FN; j += 4) {
            const int col = thread_col + j / TN * STEP_N + j % TN;
            st(sums + row * SUM_PITCH + col, moved4(&acc[i][j]));
        }
    }
    __syncthreads();
    // --- store tile, four neighbours at a time: slices of k in their order, then parts in theirs
    constexpr int FOURS = BM * BN / 4;
    const auto sum_of = [&](int four) {
        float4 sum{};
        for (int w = 0; w < K_WARPS; ++w) {
            const float4 part =
                ld<float4>(sums + (w * BM + four / (BN / 4)) * SUM_PITCH + four % (BN / 4) * 4);
            sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.w += part.w;
        }
        return sum;
    };
    const GlobalPtr<float> all = parts.sums + at.tile * split.parts * (4 * FOURS);
    if (split.parts > 1) {
        UNROLL
        for (int four = thread; four < FOURS; four += kTile.threads)
            st(all + (at.part * FOURS + four) * 4, sum_of(four));
        if (split.parts > kMostThatMeet) return;  // add_parts() goes on
        if (!is_last(parts.arrived + at.tile, split.parts, vote)) return;
    }
    const GlobalPtr<float> C = p.C + at.batch * p.stride_c + at.row * p.ldc + at.col;
    const bool vectors =
        rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;  // of all matrices of the batch
    for (int four = thread; four < FOURS; four += kTile.threads) {
        const int row = four / (BN / 4), col = four % (BN / 4) * 4;
        float4 sum{};
        if (split.parts == 1) sum = sum_of(four);
        if (split.parts > 1) {
            UNROLL_BY(4)
            for (int part = 0; part < split.parts; ++part) {
                const float4 more = ld<float4>(all + (part * FOURS + four) * 4);
                sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
            }
        }
        if (row < rows && col < cols)
            store4(scalars, C + row * p.ldc + col, cols - col, vectors, sum);
    }
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    const int tiles =
        tile.stages * tile.block.k * (tile.block.m + tile.pad_a + tile.block.n + tile.pad_b);
    const int sums = tile.block.k / tile.warp.k * tile.block.m * (tile.block.n + 4);
    return 4 * (tiles > sums ? tiles : sums);
}

constexpr int64_t tiles_of(const TileConfig& tile, const Problem& p) {
    return ceil_div(p.m, tile.block.m) * ceil_div(p.n, tile.block.n) * p.batch;
}

/// With alpha on the device its value is not known: then K counts.
inline Split split_of(const TileConfig& tile, const Problem& p, const Execution& execution) {
    return engine::split_of(ceil_div(reads(p), tile.block.k), execution.splits);
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution& execution) {
    Workspace workspace(nullptr);
    const PartsStorage parts(workspace, tiles_of(kTile, problem),
                             split_of(kTile, problem, execution).parts,
                             kTile.block.m * kTile.block.n, execution.counters);
    return workspace.bytes();
}

template <TileConfig kTile>
Work work(const Problem& problem, const Execution& execution) {
    const Split split = split_of(kTile, problem, execution);
    const int64_t tiles = tiles_of(kTile, problem);
    return {
        .tiles = tiles,
        .blocks = tiles * split.parts,
        .resident = kTile.min_blocks,
        .steps = static_cast<double>(split.share + (split.rest > 0)),
        .exchanged = split.parts > 1 ? tiles * split.parts * kTile.block.m * kTile.block.n * 4 : 0,
        .parts = split.parts,
        .sharing = split.parts,
        .meet = split.parts <= kMostThatMeet};
}

template <TileConfig kTile>
const char* refusal(const Problem& problem, const Execution& execution) {
    const int64_t tiles = ceil_div(problem.m, kTile.block.m) * ceil_div(problem.n, kTile.block.n);
    if (reads(problem) > int64_t{0x7fffffff} * kTile.block.k)
        return "K has more than 2^31 - 1 k-tiles";
    const int parts = split_of(kTile, problem, execution).parts;
    if (parts > 0x7fffffff / (kTile.block.m * kTile.block.n))
        return "the parts of a tile have more than 2^31 - 1 elements";
    if (tiles > 0x7fffffff / problem.batch / parts) return "a grid holds 2^31 - 1 blocks";
    if (kTile.stages == 1 && reads(problem) > kTile.block.k)
        return "one stage: K of one k-tile at most";
    if (parts > 1 && tiles * problem.batch > kCounters) return "parts of k for 65536 tiles at most";
    return nullptr;
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n * kTile.warp.k ==
                      kTile.block.m * kTile.block.n * kTile.block.k,
                  "warp tiles fill the block tile and the k-tile: the volumes of threads / 32 warp "
                  "tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0 &&
                      kTile.block.k % kTile.warp.k == 0,
                  "warp tiles fill the block tile: WM divides BM, WN divides BN, WK divides BK");
    static_assert(
        kTile.warp.m * kTile.warp.n % (32 * kTile.thread.m * kTile.thread.n * kTile.warp_n_steps) ==
            0,
        "a warp covers its tile in whole steps: 32 * TM * TN * steps divides WM * WN");
    static_assert(kTile.warp.n % (kTile.warp_n_steps * kTile.thread.n * 2) == 0 &&
                      32 % (kTile.warp.n / kTile.warp_n_steps / kTile.thread.n * 2) == 0,
                  "the lanes of a step form a grid of squares of 2 x 2: 2 * TN divides its width "
                  "WN / steps, and twice the lanes along it divide 32");
    static_assert(kTile.thread.n == 4, "sums are stored as float4: TN is 4");
    static_assert(kTile.pad_a % 4 == 0 && kTile.pad_b % 4 == 0 && kTile.block.k % 8 == 0,
                  "tiles are copied by vectors, or by 8 words of k: 4 divides the padding, 8 BK");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    const Operands operands(problem);
    const int64_t tiles = tiles_of(kTile, problem);
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    const Split split = split_of(kTile, problem, execution);
    Workspace workspace(execution.workspace);
    const PartsStorage parts(workspace, tiles, split.parts, kTile.block.m * kTile.block.n,
                             execution.counters);
    if (Status status = parts.clear(execution); !status.ok()) return status;
    const Gemm& p = operands.gemm;
    const Status status =
        launch_kernel(sgemm<kTile>, Grid(static_cast<unsigned>(tiles * split.parts)),
                      Grid(kTile.threads), shared_bytes(kTile), execution, p, split, parts.parts());
    if (!status.ok() || split.parts <= kMostThatMeet) return status;
    const Tiling tiling{.rows = kTile.block.m,
                        .cols = kTile.block.n,
                        .m = p.m,
                        .n = p.n,
                        .row_step = p.ldc,
                        .col_step = 1,
                        .tiles_m = static_cast<unsigned>(ceil_div(p.m, kTile.block.m)),
                        .tiles_n = static_cast<unsigned>(ceil_div(p.n, kTile.block.n))};
    return launch_add_parts(p, tiling, tiles, parts.parts(), split.parts, execution);
}

/// `warp`: its m, n and k; `min_blocks` an SM.
constexpr TileConfig config(Tile block, Tile thread, Tile warp, int n_steps, int stages,
                            int min_blocks) {
    return {.block = block,
            .thread = thread,
            .threads = 32 * (block.m / warp.m) * (block.n / warp.n) * (block.k / warp.k),
            .pad_a = 4,
            .pad_b = 4,
            .warp = warp,
            .warp_n_steps = n_steps,
            .unroll_k = 8,
            .min_blocks = min_blocks,
            .stages = stages};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name,        kTile,         run<kTile>, shared_bytes(kTile), workspace_bytes<kTile>,
            work<kTile>, refusal<kTile>};
}
constexpr Variant kVariants[] = {
    variant<config({64, 64, 32}, {4, 4, 0}, {32, 64, 8}, 2, 4, 2)>("64x64"),
    variant<config({128, 128, 16}, {4, 4, 0}, {32, 64, 16}, 2, 4, 2)>("128x128"),
    variant<config({128, 64, 32}, {4, 4, 0}, {32, 64, 16}, 2, 3, 1)>("128x64"),
    variant<config({64, 128, 32}, {4, 4, 0}, {32, 64, 16}, 2, 3, 1)>("64x128"),
    variant<config({128, 32, 32}, {4, 4, 0}, {64, 32, 8}, 2, 4, 2)>("128x32"),
    variant<config({32, 128, 32}, {4, 4, 0}, {32, 64, 8}, 2, 4, 2)>("32x128"),
    variant<config({32, 64, 64}, {4, 4, 0}, {32, 64, 8}, 2, 3, 1)>("32x64"),
    variant<config({64, 32, 64}, {4, 4, 0}, {64, 32, 8}, 2, 3, 1)>("64x32"),
    variant<config({32, 32, 64}, {4, 4, 0}, {32, 32, 8}, 1, 4, 2)>("32x32"),
    variant<config({32, 32, 32}, {4, 4, 0}, {32, 32, 8}, 1, 2, 6)>("32x32x32"),
    variant<config({16, 16, 64}, {2, 4, 0}, {16, 16, 8}, 1, 4, 4)>("16x16"),
    variant<config({16, 16, 16}, {2, 4, 0}, {16, 16, 8}, 1, 2, 16)>("16x16x16"),
    variant<config({16, 16, 16}, {2, 4, 0}, {16, 16, 16}, 1, 1, 32)>("16x16x16-1"),
    variant<config({32, 32, 32}, {4, 4, 0}, {32, 32, 32}, 1, 1, 20)>("32x32x32-1"),
    variant<config({64, 64, 64}, {4, 4, 0}, {32, 64, 32}, 2, 1, 4)>("64x64x64-1"),
    variant<config({64, 64, 32}, {4, 4, 0}, {32, 64, 16}, 2, 3, 4)>("64x64x32")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tile",
    .parent = "small_tiles",
    .kind = Kind::engine,
    .title = "block tiles of many sizes",
    .idea =
        "One kernel text for tiles from 16 x 16 to 128 x 128, with parts of k for warps and "
        "blocks.",
    .requirements =
        "none: rows on 16-byte boundaries are copied as vectors where they run along m or n, all "
        "else word by word",
    .variants = kVariants,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tile
