// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// large_tile: warps that copy and warps that multiply, blocks that stay, stream-K
//
// For      Large problems on Hopper (9.0): 8 warps with 232 registers need what only its
//          setmaxnreg and its tensor memory accelerator (TMA) give.
//
// Design   Rung 33's, without its pre-pass. Four warps copy k-tiles, as far ahead as there are
//          stages; eight multiply. An operand whose rows of k lie on 16-byte boundaries comes by
//          the TMA, one instruction a tile. Any other one is gathered by the copying warps, word
//          by word, and where memory runs along k it is transposed on the way (gather.h): their
//          issue slots would otherwise be idle. So no layout needs a pass of its own, nor a
//          workspace for one.
//
//          Blocks stay, one an SM. Where tiles do not come out even, the k-tiles of the tiles left
//          over are one line, cut into equal runs, one a block (stream-K, rung 30). Whoever begins
//          a tile adds up what others have of it, in their order, and waits only for blocks of a
//          lower number: those were launched before it, so that also a block that shares the GPU
//          with other kernels gets its turn. Where k is long and C small, each block has a part of
//          k of one tile instead, and a second kernel adds them up (split.h).
//
// Picture  warps 0..7    multiply, a thread 8 x 16, 8 x 8 or 4 x 8 elements of C
//                8..11   copy: wait empty[s], fill stage s, arrive at full[s]
//
// Cost     A step along k is 128 FFMA for six vector loads a thread; gathering A of 128 rows adds
//          256 copies of a warp to the 65536 FFMA of a k-tile of 64.
#include "engine/gather.h"
#include "engine/split.h"
#include "engine/stage.h"
#include "engine/stream_k.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::large_tile {

/// full[i] completes when stage i is filled, empty[i] when all warps have read it.
struct Stages {
    SharedPtr<float> As, Bs;
    SharedPtr<Barrier> full, empty;
};

/// Where a block tile lies.
struct Place {
    int batch, row, col;  ///< 32 bits are what the TMA counts in.
};

template <TileConfig kTile>
__device__ Place place_of_tile(const Gemm& p, int tile) {
    const auto tiles_m = static_cast<unsigned>(ceil_div(p.m, kTile.block.m));
    const auto tiles_n = static_cast<unsigned>(ceil_div(p.n, kTile.block.n));
    const unsigned rest = static_cast<unsigned>(tile) / tiles_m, row = tile - rest * tiles_m;
    return {static_cast<int>(rest / tiles_n), static_cast<int>(row) * kTile.block.m,
            static_cast<int>(rest % tiles_n) * kTile.block.n};
}

/// The warps that copy: stage after stage, through all pieces, as far ahead as there is room.
template <TileConfig kTile>
__device__ void produce(const Gemm& p, const TensorMap& A, const TensorMap& B, const Schedule& s,
                        int place, const Stages& stages) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_PITCH = BM + kTile.pad_a, B_PITCH = BN + kTile.pad_b;
    const int thread = threadIdx.x - kTile.threads;
    const bool a_bulk = kTile.pad_a == 0 && p.A.vectors, b_bulk = kTile.pad_b == 0 && p.B.vectors;
    const bool gathers = !a_bulk || !b_bulk;
    const unsigned bulk_bytes = 4 * BK * ((a_bulk ? BM : 0) + (b_bulk ? BN : 0));
    if (!gathers && thread > 0) return;
    Stage<kTile.stages> stage;
    for (int i = 0; i < s.pieces(place); ++i) {
        const Piece piece = s.piece(place, i);
        if (piece.tile < 0) continue;
        const Place at = place_of_tile<kTile>(p, piece.tile);
        const int rows = inside(p.m, at.row, BM), cols = inside(p.n, at.col, BN);
        for (int t = piece.begin; t < piece.end; ++t, stage.advance()) {
            mbarrier_wait(stages.empty + stage.index, stage.phase ^ 1);
            const SharedPtr<Barrier> full = stages.full + stage.index;
            if (thread == 0 && bulk_bytes > 0) mbarrier_arrive_expect(full, bulk_bytes);
            const int64_t k = int64_t{t} * BK;
            const int depth = inside(p.k, k, BK);
            fill<BM, BK, A_PITCH, kTile.producers>(p.A, A, at.batch, at.row, k, rows, depth,
                                                   stages.As + stage.index * (BK * A_PITCH), full,
                                                   thread);
            fill<BN, BK, B_PITCH, kTile.producers>(p.B, B, at.batch, at.col, k, cols, depth,
                                                   stages.Bs + stage.index * (BK * B_PITCH), full,
                                                   thread);
            if (gathers) cp_async_arrive(full);
        }
    }
}

/// Which elements of the block tile a thread computes: FM x FN of them, in steps of the warp.
template <TileConfig kTile>
struct Fragments {
    static constexpr int TM = kTile.thread.m, TN = kTile.thread.n, WM = kTile.warp.m,
                         WN = kTile.warp.n, N_STEPS = kTile.warp_n_steps,
                         M_STEPS = WM * WN / (32 * TM * TN * N_STEPS);
    static constexpr int STEP_M = WM / M_STEPS, STEP_N = WN / N_STEPS;  // of the warp
    static constexpr int FM = M_STEPS * TM, FN = N_STEPS * TN;
    static constexpr int LANES_N = STEP_N / TN, WARPS_N = kTile.block.n / WN;

    // Lanes lie in squares of 2 x 2.
    __device__ static int first_row(int thread) {
        const int lane = thread % 32;
        return thread / 32 / WARPS_N * WM + (lane / (2 * LANES_N) * 2 + lane / 2 % 2) * TM;
    }
    __device__ static int first_col(int thread) {
        const int lane = thread % 32;
        return thread / 32 % WARPS_N * WN + (lane / 4 % (LANES_N / 2) * 2 + lane % 2) * TN;
    }

    // The layout of what is handed over: a thread's elements lie kTile.threads apart.
    __device__ static int row(const Tiling&, int e) {
        const int i = e / kTile.threads / FN;
        return first_row(e % kTile.threads) + i / TM * STEP_M + i % TM;
    }
    __device__ static int col(const Tiling&, int e) {
        const int j = e / kTile.threads % FN;
        return first_col(e % kTile.threads) + j / TN * STEP_N + j % TN;
    }
};

template <TileConfig kTile>
__device__ void compute(const Gemm& p, const Schedule& s, int place, const Piece& piece, int end,
                        const Handover& handover, const Stages& stages,
                        Stage<kTile.stages>& stage) {
    using F = Fragments<kTile>;
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k;
    constexpr int A_PITCH = BM + kTile.pad_a, B_PITCH = BN + kTile.pad_b;
    constexpr int TM = F::TM, TN = F::TN, WM = F::WM, WN = F::WN, FM = F::FM, FN = F::FN;
    constexpr int STEP_M = F::STEP_M, STEP_N = F::STEP_N;
    // --- place: the warp's part of the block tile, and this thread's first element
    const int warp = threadIdx.x / 32;
    const int thread_row = F::first_row(threadIdx.x);
    const int thread_col = F::first_col(threadIdx.x);
    const Place at = place_of_tile<kTile>(p, piece.tile);
    const int rows = inside(p.m, at.row, BM), cols = inside(p.n, at.col, BN);
    // At the edges of C some warps have nothing to do, and leave the others their issue slots.
    const bool useful = warp / (BN / WN) * WM < rows && warp % (BN / WN) * WN < cols;
    float acc[FM][FN] = {};
    for (int t = piece.begin; t < end; ++t, stage.advance()) {
        mbarrier_wait(stages.full + stage.index, stage.phase);
        // --- multiply tile: shared -> registers, where an a serves FN products and a b FM
        const SharedPtr<float> As = stages.As + stage.index * (BK * A_PITCH) + thread_row;
        const SharedPtr<float> Bs = stages.Bs + stage.index * (BK * B_PITCH) + thread_col;
        // b first, and the first column backwards: of the orders that are all the same to a reader,
        // ptxas makes the one with the fewest stalls and bank conflicts of this (docs/log.md).
        if (useful) {
            UNROLL_BY(kTile.unroll_k)
            for (int k = 0; k < BK; ++k) {
                float a[FM], b[FN];
                for (int j = 0; j < FN; j += 4)
                    ld4(&b[j], Bs + k * B_PITCH + j / TN * STEP_N + j % TN);
                for (int i = 0; i < FM; i += 4)
                    ld4(&a[i], As + k * A_PITCH + i / TM * STEP_M + i % TM);
                // Column by column, every other one backwards: at the turn a stays in the reuse
                // cache.
                for (int j = 0; j < FN; ++j)
                    for (int n = 0; n < FM; ++n) {
                        const int i = j % 2 == 1 ? n : FM - 1 - n;
                        acc[i][j] = fma_(a[i], b[j], acc[i][j]);
                    }
            }
        }
        mbarrier_arrive(stages.empty + stage.index);
    }
    // --- hand over a part, or the end of a tile, to whoever adds them up: for the latter each thread
    // of the block that begins it, which waits
    if (s.is_split_k || piece.begin > 0) {
        GlobalPtr<float> to = handover.sums + int64_t{place} * (BM * BN) + threadIdx.x;
        UNROLL
        for (int i = 0; i < FM * FN; ++i) to[i * kTile.threads] = acc[i / FN][i % FN];
        if (!s.is_split_k) st_release(handover.ready + (place * kTile.threads + threadIdx.x), 1u);
        return;
    }
    // --- fix up the beginning of one: always in the same order
    for (int peer = place + 1; piece.end < s.tiles_k && s.run(peer) < (piece.tile + 1) * s.tiles_k;
         ++peer) {
        const GlobalPtr<unsigned> ready = handover.ready + (peer * kTile.threads + threadIdx.x);
        while (ld_acquire(ready) == 0) {
        }
        GlobalPtr<const float> from = handover.sums + int64_t{peer} * (BM * BN) + threadIdx.x;
        UNROLL
        for (int i = 0; i < FM * FN; ++i) acc[i / FN][i % FN] += from[i * kTile.threads];
        st_release(ready, 0u);
    }
    // --- store tile: beta == 0 never reads C
    const Scalars scalars = scalars_of(p);
    const bool vectors = rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;
    const GlobalPtr<float> tile = p.C + at.batch * p.stride_c + at.row * p.ldc + at.col;
    UNROLL
    for (int i = 0; i < FM; ++i) {
        const int row = thread_row + i / TM * STEP_M + i % TM;
        if (row >= rows) continue;
        GlobalPtr<float> C = tile + row * p.ldc;
        UNROLL
        for (int j = 0; j < FN; j += 4) {
            const int col = thread_col + j / TN * STEP_N + j % TN;
            store4(scalars, C + col, cols - col, vectors, moved4(&acc[i][j]));
        }
    }
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads + kTile.producers, kTile.min_blocks)
    sgemm(Gemm p, const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
          Schedule s, Handover handover) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, STAGES = kTile.stages;
    constexpr int A_PITCH = BM + kTile.pad_a, B_PITCH = BN + kTile.pad_b;
    DYNAMIC_SHARED(float, As, 0, STAGES, BK, A_PITCH);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BK * A_PITCH, STAGES, BK, B_PITCH);
    SHARED(Barrier, full, STAGES);
    SHARED(Barrier, empty, STAGES);
    if (threadIdx.x < STAGES) {
        const bool a_bulk = p.A.rows_of_k(), b_bulk = p.B.rows_of_k();
        mbarrier_init(full + threadIdx.x,
                      (a_bulk && b_bulk ? 0 : kTile.producers) + (a_bulk || b_bulk ? 1 : 0));
        mbarrier_init(empty + threadIdx.x, kTile.threads);
    }
    __syncthreads();
    const Stages stages{As, Bs, full, empty};
    wait_for_stream();
    let_stream_go_on();  // blocks of other launches find no room on this SM before this one ends
    const bool reads = scalars_of(p).alpha != 0.0f;
    // Runs go backwards, so that who begins a tile waits for blocks that were launched before.
    const int place = gridDim.x - 1 - blockIdx.x;
    // Registers go round in groups of four warps: those that copy leave theirs to the others.
    if (threadIdx.x >= kTile.threads) {
        setmaxnreg_dec<40>();
        if (reads) produce<kTile>(p, A, B, s, place, stages);
        return;
    }
    setmaxnreg_inc<232>();
    Stage<STAGES> stage;
    for (int i = 0; i < s.pieces(place); ++i) {
        const Piece piece = s.piece(place, i);
        const int end = reads ? piece.end : piece.begin;
        if (piece.tile >= 0) compute<kTile>(p, s, place, piece, end, handover, stages, stage);
    }
}

#if !defined(__CUDACC_RTC__)
/// The tiles of an operand that is transposed on the way are padded; the TMA cannot pad.
constexpr TileConfig padded(TileConfig tile, bool a, bool b) {
    tile.pad_a = a ? 4 : 0;
    tile.pad_b = b ? 4 : 0;
    return tile;
}

constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * tile.block.k * (tile.block.m + tile.pad_a + tile.block.n + tile.pad_b);
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution& execution) {
    Workspace workspace(nullptr);
    const HandoverStorage handover(workspace, kTile, schedule(kTile, problem, execution),
                                   execution.counters);
    return workspace.bytes();
}

template <TileConfig kTile>
Work work(const Problem& problem, const Execution& execution) {
    const int blocks = execution.multiprocessors;
    const Schedule s = schedule(kTile, problem, execution);
    if (s.is_split_k)
        return {.tiles = s.tiles,
                .blocks = s.blocks,
                .steps = static_cast<double>(s.share + (s.rest > 0)),
                .exchanged = int64_t{s.blocks} * kTile.block.m * kTile.block.n * 4,
                .parts = s.runs,
                .sharing = s.runs,
                .meet = false};
    const int64_t whole = ceil_div(s.tiles - s.streamed, blocks);
    const int64_t line = int64_t{s.streamed} * s.tiles_k;
    // Two share where a run ends within a tile; more where a tile takes several runs.
    const int64_t sharing = line == 0 ? 1 : 1 + ceil_div(int64_t{s.tiles_k} * blocks, line);
    return {.tiles = s.tiles,
            .blocks = blocks,
            .steps = static_cast<double>(whole * s.tiles_k + ceil_div(line, blocks)),
            .exchanged = line == 0 ? 0 : int64_t{blocks} * kTile.block.m * kTile.block.n * 4,
            .sharing = static_cast<int>(sharing)};
}

template <TileConfig kTile>
const char* refusal(const Problem& p, const Execution& execution) {
    constexpr int64_t kMost = 0x7fffffff - 256;  // the TMA counts in 32 bits
    if (p.m > kMost || p.n > kMost || p.k > kMost) return "M, N or K is above 2147483391";
    const int64_t tiles = ceil_div(p.m, kTile.block.m) * ceil_div(p.n, kTile.block.n);
    if (tiles > kMost / p.batch / (execution.splits < 1 ? 1 : execution.splits))
        return "C has more than 2147483391 block tiles";
    if (execution.multiprocessors > kCounters / kTile.threads)
        return "flags for 256 multiprocessors at most";
    return refusal_of_maps(p);
}

template <TileConfig kTile>
Status launch(const Problem& problem, const Operands& operands, const Schedule& s,
              const Handover& handover, const Execution& execution) {
    TensorMap A{}, B{};
    if (Status status =
            make_map(A, operands.gemm.A, stored_a(problem), problem, kTile.block.m, kTile.block.k);
        !status.ok())
        return status;
    if (Status status =
            make_map(B, operands.gemm.B, stored_b(problem), problem, kTile.block.n, kTile.block.k);
        !status.ok())
        return status;
    return launch_kernel(sgemm<kTile>, Grid(static_cast<unsigned>(s.blocks)),
                         Grid(kTile.threads + kTile.producers), shared_bytes(kTile), execution,
                         operands.gemm, A, B, s, handover);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n == kTile.block.m * kTile.block.n,
                  "warp tiles fill the block tile: the areas of threads / 32 warp tiles add up");
    static_assert(kTile.block.m % kTile.warp.m == 0 && kTile.block.n % kTile.warp.n == 0,
                  "warp tiles fill the block tile: WM divides BM, and WN divides BN");
    static_assert(
        kTile.warp.m * kTile.warp.n % (32 * kTile.thread.m * kTile.thread.n * kTile.warp_n_steps) ==
            0,
        "a warp covers its tile in whole steps: 32 * TM * TN * steps divides WM * WN");
    static_assert(kTile.warp.n % (kTile.warp_n_steps * kTile.thread.n * 2) == 0 &&
                      32 % (kTile.warp.n / kTile.warp_n_steps / kTile.thread.n * 2) == 0,
                  "the lanes of a step form a grid of squares of 2 x 2: 2 * TN divides its width "
                  "WN / steps, and twice the lanes along it divide 32");
    static_assert(kTile.thread.m % 4 == 0 && kTile.thread.n % 4 == 0,
                  "fragments are read as float4: 4 divides TM and TN");
    static_assert(kTile.block.m <= 256 && kTile.block.n <= 256 && kTile.block.k <= 256,
                  "the TMA copies boxes of 256 x 256 at most: so BM, BN and BK");
    static_assert(kTile.producers == 128 && kTile.threads == 256,
                  "registers: 256 threads that compute have 232 each, 128 that copy have 40");
    static_assert(kTile.stages >= 2, "one stage is read while others are filled: two at least");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    const Operands operands(problem);
    const Schedule s = schedule(kTile, problem, execution);
    Workspace workspace(execution.workspace);
    const HandoverStorage storage(workspace, kTile, s, execution.counters);
    if (Status status = storage.clear(execution); !status.ok()) return status;
    const bool a = operands.gemm.A.along_k, b = operands.gemm.B.along_k;
    const auto with = a ? b ? launch<padded(kTile, true, true)> : launch<padded(kTile, true, false)>
                      : b ? launch<padded(kTile, false, true)>
                          : launch<padded(kTile, false, false)>;
    const Status status = with(problem, operands, s, storage.handover(), execution);
    if (!status.ok() || !s.is_split_k) return status;
    const Tiling tiling =
        tiling_of(kTile.block.m, kTile.block.n, problem.m, problem.n, problem.ldc, 1);
    return launch_add_parts<Fragments<kTile>>(operands.gemm, tiling, s.tiles,
                                              {storage.handover().sums, {}}, s.runs, execution);
}

constexpr TileConfig config(Tile block, Tile warp, int stages) {
    return {.block = block,
            .thread = {4, 4},
            .threads = 256,
            .warp = warp,
            .warp_n_steps = warp.n / 16,
            .unroll_k = 8,
            .min_blocks = 1,
            .stages = stages,
            .producers = 128};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name,
            kTile,
            run<kTile>,
            shared_bytes(padded(kTile, true, true)),
            workspace_bytes<kTile>,
            work<kTile>,
            refusal<kTile>};
}
constexpr Variant kVariants[] = {variant<config({128, 256, 64}, {64, 64}, 2)>("128x256"),
                                 variant<config({128, 128, 64}, {64, 32}, 3)>("128x128"),
                                 variant<config({64, 256, 64}, {64, 32}, 2)>("64x256"),
                                 variant<config({256, 64, 64}, {64, 32}, 2)>("256x64"),
                                 variant<config({32, 256, 64}, {32, 32}, 2)>("32x256"),
                                 variant<config({256, 32, 64}, {32, 32}, 2)>("256x32")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "large_tile",
    .parent = "copy_engine",
    .kind = Kind::engine,
    .title = "copying warps, stream-K, any layout",
    .idea =
        "Warps of their own bring tiles from any layout, by the TMA or word by word, to warps that "
        "only multiply; blocks stay and share what is left over.",
    .requirements =
        "compute capability 9.0. M, N and K up to 2147483391. Operands that run along m or n on "
        "16-byte boundaries come by the TMA, all others word by word",
    .variants = kVariants,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::large_tile
