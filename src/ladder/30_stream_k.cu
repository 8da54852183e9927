// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Rung 30: stream-K (29 + the last wave's tiles are cut along k)
//
// Before   Tiles are whole, so that the last wave takes as long as a full one, however few are
//          left. At 3072 there are 288 tiles: two waves on 132 multiprocessors, and a third one for
//          24 tiles.
//
// Idea     Of the tiles that are left over, lay all k-tiles in one line and cut it into equal runs,
//          one a block (Osama et al., "Stream-K", PPoPP 2023). A run may begin in the middle of a
//          tile: that end is computed first, and its sums go to the workspace. Whole tiles come
//          next. Last comes the beginning of a tile, whose block adds what the blocks behind it
//          have left there.
//
// Picture  4 blocks, 10 tiles of 6 k-tiles: 0 and 1 cut into runs of 3, 8 whole ones
//
//          block   0          1         2          3
//          first              end of 0             end of 1    to the workspace
//          whole   2, 6       3, 7      4, 8       5, 9
//          last    begin of 0           begin of 1             + the end, to C
//
// Cost     A block tile of sums written and read for each cut. The order of adding follows from the
//          sizes alone, so results are the same bits in each run; on another number of
//          multiprocessors they may not be.
//
//          With fewer tiles than multiprocessors there are no whole ones: the block that has the
//          beginning of a tile waits for all that have the rest, and adds their sums one after
//          another. The smallest problems are slower for it. Where nearly all blocks would get one
//          more whole tile, nothing is cut.
//
//          The variant "wide" is rung 25's: 128 x 256.
//
// Look at  Nothing within a k-tile changes. With more tiles than multiprocessors nobody need wait:
//          runs begin early and end late, and whole tiles are computed between the storing of a sum
//          and its reading.
//
// Next     All threads still copy, and all meet at a barrier for each k-tile: rung 31 moves the
//          code so that rung 32 can change that.
#include "device/pack.h"
#include "device/partials.h"

namespace tilewright::ladder::inline TILEWRIGHT_TARGET::stream_k {

/// k-tiles begin to end - 1 of a block tile; tile -1 is none.
struct Piece {
    int tile, begin, end;
};

/// Who computes what. The k-tiles of the first `streamed` block tiles, one tile after another, are
/// cut into equal runs, one a block; the other tiles are whole pieces, one a block in turn.
struct Schedule {
    int blocks, tiles, tiles_k, streamed = 0, share = 0, rest = 0;

    __device__ int pieces(int block) const { return whole(block) + 2; }
    __device__ int whole(int block) const { return ceil_div(tiles - streamed - block, blocks); }
    /// Where a block's run begins. Shorter than a tile, it touches two at most.
    __device__ int run(int block) const { return block * share + (block < rest ? block : rest); }
    /// First the end of a tile that blocks before this one begin, so that they need not wait; last
    /// the beginning of one that blocks behind it go on with.
    __device__ Piece piece(int block, int i) const {
        if (0 < i && i <= whole(block)) return {streamed + block + (i - 1) * blocks, 0, tiles_k};
        if (streamed == 0) return {-1, 0, 0};
        const int tile = ceil_div(run(block), tiles_k);  // the first that begins in the run
        const int begin = run(block) - tile * tiles_k;  // seen from there: up to 0
        const int end = run(block + 1) - tile * tiles_k;
        if (i > 0) return {end > 0 ? tile : -1, 0, end};
        return {begin < 0 ? tile - 1 : -1, tiles_k + begin, tiles_k + (end < 0 ? end : 0)};
    }
};

/// Begins to copy a tile global -> shared, zero outside the matrix: depth x width elements exist.
template <TileConfig kTile, int kWidth>
__device__ void copy_tile(GlobalPtr<const float> X, int64_t ld, int depth, int width,
                          SharedPtr<float> Xs) {
    constexpr int ROWS = kTile.threads / (kWidth / 4);
    const int row = threadIdx.x / (kWidth / 4), col = threadIdx.x % (kWidth / 4) * 4;
    const int bytes = width >= col + 4 ? 16 : width > col ? (width - col) * 4 : 0;
    X += row * ld + col;
    UNROLL
    for (int r = 0; r < kTile.block.k; r += ROWS) {
        cp_async<16>(Xs + (row + r) * kWidth + col, X, row + r < depth ? bytes : 0);
        X += ROWS * ld;
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
__device__ void compute(const Gemm& p, const Schedule& s, const Piece& piece,
                        const Partials& partials) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, BK = kTile.block.k, TM = kTile.thread.m,
                  TN = kTile.thread.n, WM = kTile.warp.m, WN = kTile.warp.n;
    constexpr int N_STEPS = kTile.warp_n_steps, M_STEPS = WM * WN / (32 * TM * TN * N_STEPS);
    constexpr int STEP_M = WM / M_STEPS, STEP_N = WN / N_STEPS;  // what the warp covers in one step
    constexpr int FM = M_STEPS * TM, FN = N_STEPS * TN;  // the fragments of all steps
    constexpr int STAGES = kTile.stages;
    DYNAMIC_SHARED(float, As, 0, STAGES, BK, BM);  // (BK, BM)
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BK * BM, STAGES, BK, BN);  // (BK, BN)
    // --- place: the block tile of C, the warp's part of it, and this thread's first element
    const unsigned tiles_m = ceil_div(p.m, BM);
    const int64_t block_row = int64_t{piece.tile % tiles_m} * BM;
    const int64_t block_col = int64_t{piece.tile / tiles_m} * BN;
    const int rows = inside(p.m, block_row, BM), cols = inside(p.n, block_col, BN);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr int LANES_N = STEP_N / TN;  // in squares of 2 x 2
    const int lane_row = lane / (2 * LANES_N) * 2 + lane / 2 % 2;
    const int lane_col = lane / 4 % (LANES_N / 2) * 2 + lane % 2;
    const int thread_row = warp / (BN / WN) * WM + lane_row * TM;
    const int thread_col = warp % (BN / WN) * WN + lane_col * TN;
    const int64_t first_k = int64_t{piece.begin} * BK;
    GlobalPtr<const float> A = p.A + first_k * p.lda + block_row;  // (k, m): transposed
    GlobalPtr<const float> B = p.B + first_k * p.ldb + block_col;
    float acc[FM][FN] = {};
    // --- load tile: begins to copy k-tile t into its stage
    const auto copy = [&](int t) {
        const int depth = t < piece.end ? inside(p.k, int64_t{t} * BK, BK) : 0;
        copy_tile<kTile, BM>(A, p.lda, depth, rows, As + t % STAGES * (BK * BM));
        copy_tile<kTile, BN>(B, p.ldb, depth, cols, Bs + t % STAGES * (BK * BN));
        cp_async_commit();
        A += BK * p.lda;
        B += BK * p.ldb;
    };
    // --- shared -> registers: the fragments of k, from the rows that As_k and Bs_k point to
    SharedPtr<float> As_k = As + piece.begin % STAGES * (BK * BM) + thread_row;
    SharedPtr<float> Bs_k = Bs + piece.begin % STAGES * (BK * BN) + thread_col;
    float a[2][FM], b[2][FN];
    const auto load_fragments = [&](int k) {
        for (int i = 0; i < FM; i += 4) ld4(&a[k % 2][i], As_k + i / TM * STEP_M + i % TM);
        for (int j = 0; j < FN; j += 4) ld4(&b[k % 2][j], Bs_k + j / TN * STEP_N + j % TN);
    };
    for (int t = piece.begin; t < piece.begin + STAGES - 1 && piece.begin < piece.end; ++t) copy(t);
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    if (piece.begin < piece.end) load_fragments(0);
    for (int t = piece.begin; t < piece.end; ++t) {
        copy(t + STAGES - 1);  // behind the last k-tile there are zeros
        // --- multiply tile: an a serves FN products and a b FM
        UNROLL_BY(kTile.unroll_k)
        for (int k = 0; k < BK; ++k) {
            As_k += BM, Bs_k += BN;
            if (k + 1 == BK) {
                cp_async_wait<STAGES - 2>();
                __syncthreads();
                As_k = As + (t + 1) % STAGES * (BK * BM) + thread_row;
                Bs_k = Bs + (t + 1) % STAGES * (BK * BN) + thread_col;
            }
            load_fragments(k + 1);
            // Column by column, every other one backwards: at the turn a stays in the reuse cache.
            for (int j = 0; j < FN; ++j)
                for (int n = 0; n < FM; ++n) {
                    const int i = j % 2 == 0 ? n : FM - 1 - n;
                    acc[i][j] = fma_(a[k % 2][i], b[k % 2][j], acc[i][j]);
                }
        }
    }
    cp_async_wait<0>();
    __syncthreads();  // the next piece may overwrite the stages
    // --- hand over the end of a tile. Each thread needs what its like in another block has summed
    if (piece.begin > 0) {
        GlobalPtr<float> to = partials.sums + int64_t{blockIdx.x} * (BM * BN) + threadIdx.x;
        UNROLL
        for (int i = 0; i < FM * FN; ++i) to[i * kTile.threads] = acc[i / FN][i % FN];
        st_release(partials.ready + (blockIdx.x * kTile.threads + threadIdx.x), 1);
        return;
    }
    // --- fix up the beginning of one: always in block order. It waits, so all must be resident
    for (int peer = blockIdx.x + 1;
         piece.end < s.tiles_k && s.run(peer) < (piece.tile + 1) * s.tiles_k; ++peer) {
        while (ld_acquire(partials.ready + (peer * kTile.threads + threadIdx.x)) == 0) {
        }
        GlobalPtr<const float> from = partials.sums + int64_t{peer} * (BM * BN) + threadIdx.x;
        UNROLL
        for (int i = 0; i < FM * FN; ++i) acc[i / FN][i % FN] += from[i * kTile.threads];
    }
    // --- store tile: beta == 0 never reads C
    const bool vector = cols == BN && rows_aligned(p.C, p.ldc);
    UNROLL
    for (int i = 0; i < FM; ++i) {
        const int row = thread_row + i / TM * STEP_M + i % TM;
        if (row >= rows) continue;
        GlobalPtr<float> C = p.C + (block_row + row) * p.ldc + block_col;
        UNROLL
        for (int j = 0; j < FN; j += 4) {
            const int col = thread_col + j / TN * STEP_N + j % TN;
            store4(p, C + col, cols - col, vector, &acc[i][j]);
        }
    }
}

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks)
    sgemm(Gemm p, Schedule s, Partials partials) {
    for (int i = 0; i < s.pieces(blockIdx.x); ++i) {
        const Piece piece = s.piece(blockIdx.x, i);
        if (piece.tile >= 0) compute<kTile>(p, s, piece, partials);
    }
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * tile.block.k * (tile.block.m + tile.block.n);
}

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution& execution) {
    Workspace workspace(nullptr);
    const PackedOperands operands(problem, workspace);
    const PartialsStorage partials(workspace, kTile, execution.multiprocessors);
    return workspace.bytes();
}

/// Cuts up what is left when all blocks have equally many tiles, unless nearly all get one more.
Schedule schedule(int blocks, int tiles, int tiles_k) {
    const int left = tiles_k > 0 ? tiles % blocks : 0;
    if (left < blocks * 9 / 10 && int64_t{left} * tiles_k <= 0x7fffffff)
        return {blocks, tiles, tiles_k, left, left * tiles_k / blocks, left * tiles_k % blocks};
    return {blocks, tiles, tiles_k};
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.threads % 32 == 0, "a block is whole warps: 32 divides its threads");
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
    static_assert(4 * kTile.threads % kTile.block.m == 0 && 4 * kTile.threads % kTile.block.n == 0,
                  "a step copies whole rows as float4: BM and BN divide 4 * threads");
    static_assert(kTile.block.m * kTile.block.k % (4 * kTile.threads) == 0 &&
                      kTile.block.k * kTile.block.n % (4 * kTile.threads) == 0,
                  "threads copy equally many float4: 4 * threads divides BM * BK and BK * BN");
    static_assert(kTile.stages >= 2, "one stage is read while others are filled: two at least");
    if (problem.m == 0 || problem.n == 0) return {};
    if (Status status = check_tile_counts(kTile, problem); !status.ok()) return status;
    Workspace workspace(execution.workspace);
    PackedOperands operands(problem, workspace);
    if (Status status = operands.pack(execution); !status.ok()) return status;
    const int blocks = execution.multiprocessors;  // one each, to the end: all are resident at once
    const int tiles = ceil_div(problem.m, kTile.block.m) * ceil_div(problem.n, kTile.block.n);
    const Schedule s = schedule(blocks, tiles, ceil_div(operands.gemm.k, kTile.block.k));
    const PartialsStorage storage(workspace, kTile, blocks);
    if (Status status = storage.clear(execution); !status.ok()) return status;
    return launch_kernel(sgemm<kTile>, blocks, kTile.threads, shared_bytes(kTile), execution,
                         operands.gemm, s, storage.partials());
}

constexpr TileConfig tile(Tile block, int stages, int n_steps = 4) {
    return {.block = block,
            .thread = {8, 4},
            .threads = 256,
            .warp = {64, 64},
            .warp_n_steps = n_steps,
            .unroll_k = 8,
            .min_blocks = 1,
            .stages = stages};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name, kTile, run<kTile>, shared_bytes(kTile), workspace_bytes<kTile>};
}
constexpr Variant kVariants[] = {variant<tile({256, 128, 16}, 4)>("default"),
                                 variant<tile({128, 256, 16}, 4)>("wide")};
constexpr Claim kClaims[] = {
    {"sectors/load of At", 16},   {"sectors/load of B", 16},     {"wavefronts/load of As", 2},
    {"wavefronts/load of Bs", 2}, {"wavefronts/store of As", 4}, {"wavefronts/store of Bs", 4},
};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "stream_k",
    .parent = "persistent",
    .kind = Kind::rung,
    .title = "stream-K",
    .idea =
        "The tiles of the last, incomplete wave are cut along k into equal runs, one a block, and "
        "the parts added in a fixed order.",
    .requirements =
        "C: 16-byte aligned rows (base, and ld % 4 == 0); else, and at edges, element by element. "
        "B is packed where its rows lie off 16-byte boundaries",
    .variants = kVariants,
    .claims = kClaims,
};
#endif

}  // namespace tilewright::ladder::inline TILEWRIGHT_TARGET::stream_k
