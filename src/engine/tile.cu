// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// tile: block tiles of many sizes, asynchronous copies, parts of k for warps and for blocks
//
// For      Everything but large problems on Hopper and very thin ones: any GPU from sm_80 on.
//
// Design   What surrounds the products is most of the time here: a block lives a few microseconds.
//          So four or eight warps copy k-tiles and do nothing else, by cp.async and as far ahead as
//          there are stages, and four or eight multiply, which never wait for an address. Several
//          of those have the same elements, each with a slice of every k-tile (rung 37); long k is
//          cut into parts for different blocks (split.h). Products run column by column, every other
//          column backwards: the operand at the turn stays in the register file's reuse cache (rungs
//          23 and 24). Tiles lie in shared memory by rows of k, whatever the layout, or as they come
//          (tile_copy.h); each layout has its instance of the kernel.
//          Where many blocks share an SM they hide each other's waiting: there all warps copy, then
//          multiply, with a barrier for each k-tile, and registers and shared memory are few.
//
// Picture  block tile BM x BN, of which a warp has WM x WN x WK: BK / WK warps share elements.
//          At the end their sums meet in shared memory, and threads take four neighbours each.
//
// Cost     A thread's step along k is FM * FN FFMA for FM + FN words of shared memory.
//
//          The variants are named for their block tile, and for their k-tile where there are two;
//          those with "-1" have one stage, for small matrices of a batch. The dispatcher chooses.
#if !defined(__CUDACC_RTC__)
#include <algorithm>
#endif

#include "engine/divisor.h"
#include "engine/split.h"
#include "engine/stage.h"
#include "engine/tile_copy.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tile {

/// How the blocks of a grid share the work: row tiles first, then column tiles, parts of k, and the
/// matrices of the batch.
struct Places {
    Divisor tiles_m, tiles_n, parts;
    /// The next launch may begin before this one ends. Many small blocks would lose to blocks that
    /// only wait.
    bool lets_go_on;
};

template <TileConfig kTile, Way kAWay, Way kBWay>
__global__ void __launch_bounds__(kTile.threads + kTile.producers, kTile.min_blocks)
    sgemm(Gemm p, Places places, Split split, Parts parts) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, TK = kTile.thread.k;
    constexpr int WM = kTile.warp.m, WN = kTile.warp.n, WK = kTile.warp.k;
    constexpr int STAGES = kTile.stages, THREADS = kTile.threads;  // that multiply
    constexpr bool SPECIALIZED = kTile.producers > 0;
    constexpr int N_STEPS = kTile.warp_n_steps, M_STEPS = WM * WN / (32 * TM * TN * N_STEPS);
    constexpr int FM = M_STEPS * TM, FN = N_STEPS * TN;  // the fragments of all steps
    constexpr int LANES_M = WM / FM, LANES_N = WN / FN;
    constexpr int K_WARPS = BK / WK, TILE_WARPS = THREADS / 32 / K_WARPS;
    using ALayout = TileLayout<BM, BK, kAWay>;
    using BLayout = TileLayout<BN, BK, kBWay>;
    using AFragment = Fragment<FM, TM, LANES_M, ALayout>;
    using BFragment = Fragment<FN, TN, LANES_N, BLayout>;
    DYNAMIC_SHARED(float, As, 0, STAGES, ALayout::ROWS, ALayout::PITCH);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * ALayout::SIZE, STAGES, BLayout::ROWS, BLayout::PITCH);
    constexpr int SUM_PITCH = BN + 4;
    DYNAMIC_SHARED(float, sums, 0, K_WARPS, BM, SUM_PITCH);  // in the end, where the tiles were
    SHARED(unsigned, vote, 1);
    // --- place: the block tile, the warp's part of it, and the lane's
    unsigned rest = blockIdx.x;
    const int64_t tile_row = int64_t{places.tiles_m.take(rest)} * BM;
    const int64_t tile_col = int64_t{places.tiles_n.take(rest)} * BN;
    const int part = static_cast<int>(places.parts.take(rest));
    const int64_t batch = rest;
    const int rows = inside(p.m, tile_row, BM), cols = inside(p.n, tile_col, BN);
    const int thread = threadIdx.x, warp = thread / 32 % TILE_WARPS, lane = thread % 32;
    const int k_warp = thread / 32 / TILE_WARPS;
    const int warp_row = warp / (BN / WN) * WM, warp_col = warp % (BN / WN) * WN;
    // Lanes lie in squares of 2 x 2.
    const int lane_m = lane / (2 * LANES_N) * 2 + lane / 2 % 2;
    const int lane_n = lane / 4 % (LANES_N / 2) * 2 + lane % 2;
    // --- the k-tiles of this block's part
    const int begin = split.begin(part);
    constexpr int COPIERS = SPECIALIZED ? kTile.producers : THREADS;
    const int copier = SPECIALIZED ? thread - THREADS : thread;
    TileCopy<BM, BK, COPIERS, kAWay> copy_a(p.A, batch, tile_row, int64_t{begin} * BK, rows,
                                            copier);
    TileCopy<BN, BK, COPIERS, kBWay> copy_b(p.B, batch, tile_col, int64_t{begin} * BK, cols,
                                            copier);
    int64_t k_left = p.k - int64_t{begin} * BK;
    const auto copy = [&](int stage) {
        const int depth = k_left < BK ? static_cast<int>(k_left) : BK;
        copy_a(depth, As + stage * ALayout::SIZE);
        copy_b(depth, Bs + stage * BLayout::SIZE);
        k_left -= BK;
    };
    // --- multiply tile: shared -> registers, where an a serves FN products and a b FM
    float acc[FM][FN] = {};
    const auto multiply = [&](int stage) {
        const SharedPtr<float> a_tile =
            As + stage * ALayout::SIZE + warp_row * ALayout::X_STEP + k_warp * WK * ALayout::K_STEP;
        const SharedPtr<float> b_tile =
            Bs + stage * BLayout::SIZE + warp_col * BLayout::X_STEP + k_warp * WK * BLayout::K_STEP;
        UNROLL_BY(kTile.unroll_k / TK)
        for (int k = 0; k < WK; k += TK) {
            float a[TK][FM], b[TK][FN];
            AFragment::load(a, a_tile + k * ALayout::K_STEP, lane_m);
            BFragment::load(b, b_tile + k * BLayout::K_STEP, lane_n);
            for (int kk = 0; kk < TK; ++kk)
                for (int j = 0; j < FN; ++j)
                    for (int n = 0; n < FM; ++n) {
                        const int i = j % 2 == 0 ? n : FM - 1 - n;
                        acc[i][j] = fma_(a[kk][i], b[kk][j], acc[i][j]);
                    }
        }
    };
    SHARED(Barrier, full, STAGES);
    SHARED(Barrier, empty, STAGES);
    if (SPECIALIZED && thread < STAGES) {
        mbarrier_init(full + thread, kTile.producers);
        mbarrier_init(empty + thread, THREADS);
    }
    if (SPECIALIZED) __syncthreads();
    wait_for_stream();
    if (places.lets_go_on) let_stream_go_on();
    const int tiles = scalars_of(p).alpha == 0.0f ? 0 : split.begin(part + 1) - begin;
    if constexpr (SPECIALIZED) {
        Stage<STAGES> stage;
        if (thread >= THREADS) {
            UNROLL_BY(1)
            for (int t = 0; t < tiles; ++t, stage.advance()) {
                mbarrier_wait(empty + stage.index, stage.phase ^ 1);
                copy(stage.index);
                cp_async_arrive(full + stage.index);
            }
        } else {
            UNROLL_BY(1)
            for (int t = 0; t < tiles; ++t, stage.advance()) {
                mbarrier_wait(full + stage.index, stage.phase);
                multiply(stage.index);
                mbarrier_arrive(empty + stage.index);
            }
        }
    } else {
        // Begin with as many as there are stages, but one, before the first is multiplied.
        constexpr int AHEAD = STAGES > 1 ? STAGES - 1 : 1;  // with one stage there is one k-tile
        Stage<STAGES> to, stage;
        UNROLL_BY(1)
        for (int t = -AHEAD; t < tiles; ++t) {
            if (t >= 0) {
                // Wait for k-tile t: each thread for its own copies, then all for each other.
                cp_async_wait<AHEAD - 1>();
                __syncthreads();
            }
            // Who has passed the barrier reads the stage before no more.
            if (t + AHEAD < tiles) {
                copy(to.index);
                to.advance();
            }
            cp_async_commit();  // a group, be it of none
            if (t < 0) continue;
            multiply(stage.index);
            stage.advance();
        }
    }
    // --- the sums of all warps
    __syncthreads();
    if (thread < THREADS) {
        UNROLL
        for (int i = 0; i < FM; ++i) {
            const SharedPtr<float> to =
                sums + (k_warp * BM + warp_row + AFragment::at(lane_m, i)) * SUM_PITCH + warp_col;
            UNROLL
            for (int j = 0; j < FN; j += 4) {
                if constexpr (BFragment::kAlongK)
                    for (int n = j; n < j + 4; ++n) to[BFragment::at(lane_n, n)] = acc[i][n];
                else
                    st(to + BFragment::at(lane_n, j), moved4(&acc[i][j]));
            }
        }
    }
    __syncthreads();
    // --- store tile, four neighbours at a time: slices of k in their order, then parts in theirs
    constexpr int ALL = THREADS + kTile.producers;
    constexpr int PER_ROW = BN / 4, STEP = ALL / PER_ROW;  // rows that all threads have at once
    static_assert(ALL % PER_ROW == 0, "threads take whole rows of C at a time");
    const int first_row = thread / PER_ROW, col = thread % PER_ROW * 4;
    const auto sum_of = [&](int row) {
        float4 sum{};
        UNROLL
        for (int w = 0; w < K_WARPS; ++w)
            add4(sum, ld<float4>(sums + (w * BM + row) * SUM_PITCH + col));
        return sum;
    };
    const int64_t tile =
        (batch * ceil_div(p.n, BN) + tile_col / BN) * ceil_div(p.m, BM) + tile_row / BM;
    const GlobalPtr<float> all = parts.sums + tile * split.parts * (BM * BN) + col;
    if (split.parts > 1) {
        UNROLL
        for (int row = first_row; row < BM; row += STEP)
            st(all + (part * BM + row) * BN, sum_of(row));
        if (split.parts > kMostThatMeet) return;  // add_parts() goes on
        if (!is_last(parts.arrived + tile, split.parts, vote)) return;
    }
    const Scalars scalars = scalars_of(p);
    const bool vectors = rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;
    GlobalPtr<float> C = p.C + batch * p.stride_c + (tile_row + first_row) * p.ldc + tile_col + col;
    const int exist = cols - col;
    for (int row = first_row; row < rows; row += STEP, C += STEP * p.ldc) {
        float4 sum{};
        if (split.parts == 1) sum = sum_of(row);
        if (split.parts > 1) {
            UNROLL_BY(4)
            for (int from = 0; from < split.parts; ++from)
                add4(sum, ld<float4>(all + (from * BM + row) * BN));
        }
        if (exist > 0) store4(scalars, C, exist, vectors, sum);
    }
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile, bool a_along_k, bool b_along_k) {
    const Tile block = tile.block;
    const int tiles = tile_words(block.m, block.k, way(tile, a_along_k)) +
                      tile_words(block.n, block.k, way(tile, b_along_k));
    return 4 * std::max(tile.stages * tiles, block.k / tile.warp.k * block.m * (block.n + 4));
}

/// Of the layout that needs the most.
constexpr int shared_bytes(const TileConfig& tile) {
    return std::max({shared_bytes(tile, false, false), shared_bytes(tile, false, true),
                     shared_bytes(tile, true, false), shared_bytes(tile, true, true)});
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
    return work_of(split_of(kTile, problem, execution), tiles_of(kTile, problem),
                   kTile.block.m * kTile.block.n, kTile.min_blocks);
}

/// Of more, all blocks would read the same tile of the smaller operand at the same time, which the
/// model does not know: 100000 x 32 x 32 takes 20.5 us where a batch of as many blocks takes 15.
constexpr int64_t kMostTilesOfOneStage = 64;

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
    if (kTile.stages == 1 && tiles > kMostTilesOfOneStage)
        return "one stage: matrices of 64 tiles at most";
    if (parts > 1 && tiles * problem.batch > kCounters) return "parts of k for 65536 tiles at most";
    return nullptr;
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0 && kTile.producers % 32 == 0,
                  "a block is whole warps: 32 divides its threads");
    static_assert(kTile.producers == 0 || kTile.stages > 1,
                  "warps that only copy need a stage to fill while another is read");
    static_assert(kTile.pad_a == kTilePad && kTile.pad_b == kTilePad,
                  "rows in shared memory are padded as tile_words() says");
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
    static_assert(shared_bytes(kTile) <= 99 * 1024,
                  "the least that a block of a GPU from sm_80 on can have");
    static_assert(kTile.thread.n == 4, "sums are stored as float4: TN is 4");
    static_assert(
        kTile.warp.k % kTile.unroll_k == 0 && kTile.unroll_k % kTile.thread.k == 0,
        "the inner loop takes TK rows of k at a time: they divide its unrolling, and that WK");
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
    const Tiling tiling = tiling_of(kTile.block.m, kTile.block.n, p.m, p.n, p.ldc, 1);
    const Places places{Divisor(tiling.tiles_m), Divisor(tiling.tiles_n),
                        Divisor(static_cast<unsigned>(split.parts)),
                        tiles * split.parts <= int64_t{2} * execution.multiprocessors};
    const auto launch = [&]<bool kAAlongK, bool kBAlongK>() {
        return launch_kernel(
            sgemm<kTile, way(kTile, kAAlongK), way(kTile, kBAlongK)>,
            Grid(static_cast<unsigned>(tiles * split.parts)), Grid(kTile.threads + kTile.producers),
            shared_bytes(kTile, kAAlongK, kBAlongK), execution, p, places, split, parts.parts());
    };
    const bool a = p.A.along_k, b = p.B.along_k;
    const Status status = a && b ? launch.template operator()<true, true>()
                          : a    ? launch.template operator()<true, false>()
                          : b    ? launch.template operator()<false, true>()
                                 : launch.template operator()<false, false>();
    if (!status.ok() || split.parts <= kMostThatMeet) return status;
    return launch_add_parts(p, tiling, tiles, parts.parts(), split.parts, execution);
}

/// `warp`: its m, n and k; `min_blocks` an SM.
constexpr TileConfig config(Tile block, Tile thread, Tile warp, int n_steps, int stages,
                            int min_blocks, int producers = 0) {
    return {.block = block,
            .thread = thread,
            .threads = 32 * (block.m / warp.m) * (block.n / warp.n) * (block.k / warp.k),
            .pad_a = kTilePad,
            .pad_b = kTilePad,
            .warp = warp,
            .warp_n_steps = n_steps,
            .unroll_k = thread.k > 1 ? thread.k : 8,
            .min_blocks = min_blocks,
            .stages = stages,
            .producers = producers};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name,        kTile,         run<kTile>, shared_bytes(kTile), workspace_bytes<kTile>,
            work<kTile>, refusal<kTile>};
}
constexpr Variant kVariants[] = {
    // of any k, with warps that copy
    variant<config({128, 64, 32}, {4, 4, 1}, {32, 64, 16}, 2, 3, 1, 128)>("128x64"),
    variant<config({64, 128, 32}, {4, 4, 1}, {32, 64, 16}, 2, 3, 1, 128)>("64x128"),
    variant<config({64, 64, 32}, {4, 4, 1}, {32, 64, 8}, 2, 5, 1, 256)>("64x64"),
    variant<config({128, 32, 32}, {4, 4, 1}, {64, 32, 8}, 2, 4, 1, 128)>("128x32"),
    variant<config({32, 128, 32}, {4, 4, 1}, {32, 64, 8}, 2, 4, 1, 128)>("32x128"),
    variant<config({64, 32, 32}, {4, 4, 1}, {64, 32, 8}, 2, 5, 2, 128)>("64x32"),
    variant<config({32, 64, 32}, {4, 4, 1}, {32, 64, 8}, 2, 5, 2, 128)>("32x64"),
    variant<config({32, 32, 64}, {4, 4, 1}, {32, 32, 8}, 1, 4, 2, 128)>("32x32"),
    variant<config({16, 32, 64}, {4, 4, 1}, {16, 32, 8}, 1, 4, 2, 128)>("16x32"),
    variant<config({16, 16, 64}, {2, 4, 1}, {16, 16, 8}, 1, 4, 2, 128)>("16x16"),
    variant<config({128, 16, 32}, {4, 4, 2}, {128, 16, 8}, 2, 4, 2, 128)>("128x16"),
    variant<config({16, 128, 32}, {4, 4, 2}, {16, 128, 8}, 2, 4, 2, 128)>("16x128"),
    // many blocks an SM, or all its registers for those that multiply
    variant<config({128, 128, 16}, {4, 4, 1}, {32, 64, 16}, 2, 4, 2)>("128x128"),
    variant<config({64, 64, 32}, {4, 4, 1}, {32, 64, 16}, 2, 3, 4)>("64x64x32"),
    variant<config({128, 32, 16}, {4, 4, 1}, {64, 32, 8}, 2, 4, 4)>("128x32x16"),
    variant<config({32, 128, 16}, {4, 4, 1}, {32, 64, 8}, 2, 4, 4)>("32x128x16"),
    variant<config({32, 32, 32}, {4, 4, 1}, {32, 32, 8}, 1, 2, 5)>("32x32x32"),
    variant<config({16, 16, 16}, {2, 4, 1}, {16, 16, 8}, 1, 2, 14)>("16x16x16"),
    // one k-tile
    variant<config({32, 32, 32}, {4, 4, 1}, {32, 32, 32}, 1, 1, 20)>("32x32x32-1"),
    variant<config({16, 16, 16}, {2, 4, 1}, {16, 16, 16}, 1, 1, 32)>("16x16x16-1")};

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
        "none: rows on 16-byte boundaries are copied as vectors where they run along m or n, or in "
        "the tiles of 16 rows or columns; all others word by word",
    .variants = kVariants,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tile
