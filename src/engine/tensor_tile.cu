// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// tensor_tile: FP32's accuracy from FP16 tensor cores
//
// For      Large problems on Hopper (9.0), as compute mode FP16X3: wgmma exists nowhere else. The
//          library does not choose it yet.
//
// Design   Each operand becomes two FP16 pieces and a power of two for each row (pieces.h), and a
//          product of two elements three of pieces: lo * hi + hi * lo + hi * hi, the small ones first.
//          lo * lo would be below an FP32 product's last bit. Tensor cores cut their sums instead of
//          rounding them, so a sum takes 32 or 64 elements along k and is then added to an FP32 total
//          in registers ("promoted"): the error of cutting does not grow with k.
//          Two warpgroups multiply, with rows of the tile each: while one adds up, the tensor cores
//          work for the other. One thread of a third warpgroup asks the TMA for lines of pieces.
//
// Picture  a line: 32 hi | 32 lo of a row, 128 bytes, swizzled; both tiles are lines, BM + BN a stage
//          warpgroup w: rows w * BM / 2 on, 64 x BN at a time
//          thread: two rows of 64 x BN, of each 16 columns four neighbours
//
// Cost     Three products of tensor cores for one of the result, and a pass over both operands.
//          Promotion is an addition for every 96 or 192 products of a sum.
//
//          The variants are named for their block tile and for how often they promote.
#if !defined(__CUDACC_RTC__)
#include <algorithm>
#endif

#include "engine/divisor.h"
#include "engine/pieces.h"
#include "engine/stage.h"
#include "engine/unfit.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile {

/// How the blocks of a grid share the work: along n first, then along m, then the batch.
struct Places {
    Divisor tiles_in_matrix, tiles_n;
};

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads + kTile.producers, 1)
    sgemm(Gemm p, const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
          Pieces a, Pieces b, unsigned rows_a, unsigned rows_b, Places places) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, STAGES = kTile.stages;
    constexpr int SUBTILES = BM / 128;  // of 64 rows, of a warpgroup
    constexpr int PROMOTED = kTile.unroll_k / kSlab;  // lines between two promotions
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, kSlab);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * kSlab, STAGES, BN, kSlab);
    SHARED(Barrier, full, STAGES);
    SHARED(Barrier, empty, STAGES);
    SHARED(Barrier, scaled, 1);
    SHARED(float, col_scales, 2, BN);
    SHARED(unsigned, col_unfit, BN);
    if (threadIdx.x < STAGES) {
        mbarrier_init(full + threadIdx.x, 1);
        mbarrier_init(empty + threadIdx.x, kTile.threads);
    }
    if (threadIdx.x == STAGES) mbarrier_init(scaled, kTile.threads);
    __syncthreads();
    unsigned rest = blockIdx.x;
    const unsigned in_matrix = places.tiles_in_matrix.take(rest);
    const unsigned batch = rest;
    unsigned row_tile = in_matrix;
    const unsigned col_tile = places.tiles_n.take(row_tile);
    const int64_t tile_row = int64_t{row_tile} * BM, tile_col = int64_t{col_tile} * BN;
    const int64_t line_a = int64_t{batch} * rows_a + tile_row;
    const int64_t line_b = int64_t{batch} * rows_b + tile_col;
    wait_for_stream();
    const int slabs = scalars_of(p).alpha == 0.0f ? 0 : static_cast<int>(a.slabs);
    if (threadIdx.x >= kTile.threads) {
        setmaxnreg_dec<40>();
        if (threadIdx.x > kTile.threads) return;
        Stage<STAGES> stage;
        for (int t = 0; t < slabs; ++t, stage.advance()) {
            mbarrier_wait(empty + stage.index, stage.phase ^ 1);
            const SharedPtr<Barrier> filled = full + stage.index;
            mbarrier_arrive_expect(filled, 4 * (BM + BN) * kSlab);
            cp_async_bulk_tensor(As + stage.index * (BM * kSlab), A, static_cast<int>(line_a),
                                 t * kSlab, filled);
            cp_async_bulk_tensor(Bs + stage.index * (BN * kSlab), B, static_cast<int>(line_b),
                                 t * kSlab, filled);
        }
        return;
    }
    setmaxnreg_inc<232>();
    const int group = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    // --- scales of columns, in the order of columns
    for (int col = threadIdx.x; col < BN; col += kTile.threads) {
        const bool exists = tile_col + col < p.n;
        const int64_t row = int64_t{batch} * rows_b + row_of_pieces(tile_col + col, true);
        col_scales[col] = exists ? b.scales[2 * row] : 0.0f;
        col_scales[BN + col] = exists ? b.scales[2 * row + 1] : 0.0f;
        const bool unfit = exists && is_unfit(b, row);
        col_unfit[col] = unfit;
        if (unfit) atomic_add(a.any_unfit, 1u);
    }
    mbarrier_arrive(scaled);
    // --- multiply
    float total[SUBTILES][BN / 2] = {}, acc[BN / 2];
    Stage<STAGES> stage;
    for (int t = 0; t < slabs; t += PROMOTED) {
        Stage<STAGES> last = stage;
        UNROLL
        for (int i = 0; i < PROMOTED; ++i, last.advance())
            mbarrier_wait(full + last.index, last.phase);
        UNROLL
        for (int sub = 0; sub < SUBTILES; ++sub) {
            Stage<STAGES> at = stage;
            wgmma_fence();
            UNROLL
            for (int i = 0; i < PROMOTED; ++i, at.advance()) {
                const SharedPtr<float> a_hi =
                    As + at.index * (BM * kSlab) + (group * SUBTILES + sub) * (64 * kSlab);
                const SharedPtr<float> b_hi = Bs + at.index * (BN * kSlab);
                const SharedPtr<float> a_lo = a_hi + kSlab / 2, b_lo = b_hi + kSlab / 2;
                UNROLL
                for (int k = 0; k < kSlab / 2; k += 8) {
                    wgmma_f16<BN>(acc, a_lo + k, b_hi + k, i == 0 && k == 0);
                    wgmma_f16<BN>(acc, a_hi + k, b_lo + k, false);
                }
                UNROLL
                for (int k = 0; k < kSlab / 2; k += 8)
                    wgmma_f16<BN>(acc, a_hi + k, b_hi + k, false);
            }
            wgmma_commit();
            wgmma_wait<0>(acc);
            // --- promote
            UNROLL
            for (int i = 0; i < BN / 2; ++i) total[sub][i] += acc[i];
        }
        UNROLL
        for (int i = 0; i < PROMOTED; ++i, stage.advance()) mbarrier_arrive(empty + stage.index);
    }
    // --- store tile: scaled back, and beta == 0 never reads C. What is unfit is left as it is.
    mbarrier_wait(scaled, 0);
    const Scalars scalars = scalars_of(p);
    const bool vectors = rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;
    const int cols = inside(p.n, tile_col, BN);
    UNROLL
    for (int i = 0; i < 2 * SUBTILES; ++i) {
        const int64_t row =
            tile_row + (group * SUBTILES + i / 2) * 64 + warp * 16 + lane / 4 + i % 2 * 8;
        if (row >= p.m) continue;
        const int64_t line = int64_t{batch} * rows_a + row;
        if (is_unfit(a, line)) {
            if (lane % 4 == 0) atomic_add(a.any_unfit, 1u);
            continue;
        }
        const float2 of_row = ld<float2>(a.scales + 2 * line);
        const GlobalPtr<float> C = p.C + batch * p.stride_c + row * p.ldc + tile_col;
        UNROLL
        for (int j = 0; j < BN; j += 16) {
            const int col = j + lane % 4 * 4;
            const float4 x = ld<float4>(col_scales + col), y = ld<float4>(col_scales + BN + col);
            const float* sums = &total[i / 2][j / 2 + i % 2 * 2];
            // First one factor of both, then the other: neither product is an FP32 number's end.
            const float4 sum{sums[0] * (of_row.x * x.x) * (of_row.y * y.x),
                             sums[1] * (of_row.x * x.y) * (of_row.y * y.y),
                             sums[4] * (of_row.x * x.z) * (of_row.y * y.z),
                             sums[5] * (of_row.x * x.w) * (of_row.y * y.w)};
            const bool unfit =
                col_unfit[col] | col_unfit[col + 1] | col_unfit[col + 2] | col_unfit[col + 3];
            if (!unfit) {
                store4(scalars, C + col, cols - col, vectors, sum);
                continue;
            }
            const float four[] = {sum.x, sum.y, sum.z, sum.w};
            for (int n = 0; n < 4; ++n)
                if (!col_unfit[col + n])
                    store4(scalars, C + col + n, cols - col - n < 1 ? 0 : 1, false,
                           float4{four[n]});
        }
    }
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * kSlab * (tile.block.m + tile.block.n);
}

/// What both operands become, and where in a workspace. Outlives the launch.
class Split {
  public:
    Split(Workspace& workspace, int64_t x, int64_t k, int64_t batch)
        : rows_(ceil_div(x, 16) * 16),
          slabs_(ceil_div(k, 2 * kSlab) * 2),
          chunks_(ceil_div(slabs_ * kSlab, kChunk)),
          batch_(batch),
          words_(workspace.take<float>(batch * rows_ * slabs_ * kSlab)),
          scales_(workspace.take<float>(batch * rows_ * 2)),
          counts_(workspace.take<unsigned>(batch * rows_ * 4)),
          any_unfit_(workspace.take<unsigned>(1)),
          most_(workspace.take<float>(batch * chunks_ * rows_)),
          word_bounds_(words_, 1, batch * rows_ * slabs_ * kSlab, 0, "pieces"),
          scale_bounds_(scales_, 1, batch * rows_ * 2, 0, "scales"),
          count_bounds_(counts_, 1, batch * rows_ * 4, 0, "counts"),
          any_bounds_(any_unfit_, 1, 1, 0, "any_unfit"),
          most_bounds_(most_, 1, batch * chunks_ * rows_, 0, "most") {}

    Pieces pieces() const {
        return {global_ptr(words_, word_bounds_), global_ptr(scales_, scale_bounds_),
                global_ptr(counts_, count_bounds_), global_ptr(any_unfit_, any_bounds_), slabs_};
    }
    unsigned rows() const { return static_cast<unsigned>(rows_); }

    Status launch(const Gemm& p, const Operand& X, int64_t size, bool permuted,
                  const Execution& execution) const {
        const auto batch = static_cast<unsigned>(batch_), chunks = static_cast<unsigned>(chunks_);
        if (X.along_k)
            return launch_kernel(split_rows<kThreads>, Grid(batch * rows()), Grid(kThreads), 0,
                                 execution, p, X, size, rows(), permuted, pieces());
        const auto tiles = [&](int cols) {
            return batch * chunks * static_cast<unsigned>(ceil_div(rows_, cols));
        };
        const GlobalPtr<float> most = global_ptr(most_, most_bounds_);
        const Status status =
            launch_kernel(largest_in_columns<kThreads, kChunk>, Grid(tiles(128)), Grid(kThreads), 0,
                          execution, p, X, size, rows(), chunks, pieces(), most);
        if (!status.ok()) return status;
        return launch_kernel(split_columns<kThreads, kChunk>, Grid(tiles(32)), Grid(kThreads), 0,
                             execution, p, X, size, rows(), permuted, chunks, pieces(),
                             GlobalPtr<const float>(most));
    }

    /// Boxes are tiles of `lines`.
    Status map(TensorMap& map, int lines) const {
        return make_tensor_map(map, global_ptr(static_cast<const float*>(words_), word_bounds_),
                               batch_ * rows_, slabs_ * kSlab, slabs_ * kSlab, lines, kSlab,
                               Swizzle::bytes128);
    }

  private:
    static constexpr int kThreads = 256, kChunk = 256;
    int64_t rows_, slabs_, chunks_, batch_;
    float *words_, *scales_;
    unsigned *counts_, *any_unfit_;
    float* most_;
    Bounds word_bounds_, scale_bounds_, count_bounds_, any_bounds_, most_bounds_;
};

template <TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution&) {
    Workspace workspace(nullptr);
    const Split a(workspace, problem.m, reads(problem), problem.batch);
    const Split b(workspace, problem.n, reads(problem), problem.batch);
    return workspace.bytes();
}

template <TileConfig kTile>
Work work(const Problem& problem, const Execution&) {
    const int64_t tiles =
        ceil_div(problem.m, kTile.block.m) * ceil_div(problem.n, kTile.block.n) * problem.batch;
    return {.tiles = tiles,
            .blocks = tiles,
            .steps = static_cast<double>(ceil_div(reads(problem), kSlab))};
}

template <TileConfig kTile>
const char* refusal(const Problem& p, const Execution&) {
    constexpr int64_t kMost = 0x7fffffff - 256;  // the TMA counts in 32 bits
    if (p.m > kMost / p.batch || p.n > kMost / p.batch || p.k > kMost)
        return "M or N of all matrices, or K, is above 2147483391";
    if (ceil_div(p.m, kTile.block.m) > kMost / ceil_div(p.n, kTile.block.n) / p.batch)
        return "C has more than 2147483391 block tiles";
    if (reads(p) == 0) return "nothing is multiplied";
    return nullptr;
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    static_assert(kTile.block.m % 128 == 0 && kTile.threads == 256 && kTile.producers == 128,
                  "two warpgroups have rows of 64 each, a third copies");
    static_assert(kTile.unroll_k % kSlab == 0 && 2 * kSlab % kTile.unroll_k == 0,
                  "sums end with a line; pieces are padded to two of them");
    static_assert(kTile.stages > kTile.unroll_k / kSlab, "the next line comes meanwhile");
    static_assert(shared_bytes(kTile) <= 227 * 1024 - 8192, "what a block can have on Hopper");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    const Operands operands(problem);
    const Gemm& p = operands.gemm;
    Workspace workspace(execution.workspace);
    const Split a(workspace, p.m, p.k, problem.batch), b(workspace, p.n, p.k, problem.batch);
    TensorMap A{}, B{};
    if (Status status = a.launch(p, p.A, p.m, false, execution); !status.ok()) return status;
    if (Status status = b.launch(p, p.B, p.n, true, execution); !status.ok()) return status;
    if (Status status = a.map(A, kTile.block.m); !status.ok()) return status;
    if (Status status = b.map(B, kTile.block.n); !status.ok()) return status;
    const auto tiles_m = static_cast<uint32_t>(ceil_div(p.m, kTile.block.m));
    const auto tiles_n = static_cast<uint32_t>(ceil_div(p.n, kTile.block.n));
    const Places places{Divisor(tiles_m * tiles_n), Divisor(tiles_n)};
    const auto batch = static_cast<unsigned>(problem.batch);
    if (Status status =
            launch_kernel(sgemm<kTile>, Grid(tiles_m * tiles_n * batch),
                          Grid(kTile.threads + kTile.producers), shared_bytes(kTile), execution, p,
                          A, B, a.pieces(), b.pieces(), a.rows(), b.rows(), places);
        !status.ok())
        return status;
    constexpr int kUnfitTile = 64;
    const auto unfit_m = static_cast<unsigned>(ceil_div(p.m, kUnfitTile));
    const auto unfit_n = static_cast<unsigned>(ceil_div(p.n, kUnfitTile));
    return launch_kernel(multiply_unfit<kUnfitTile, 16>,
                         Grid(static_cast<unsigned>(execution.multiprocessors)), Grid(256), 0,
                         execution, p, a.pieces(), b.pieces(), a.rows(), b.rows(),
                         GlobalPtr<const unsigned>(a.pieces().any_unfit), Divisor(unfit_m),
                         Divisor(unfit_n), unfit_m * unfit_n * batch);
}

constexpr TileConfig config(int block_m, int block_n, int promoted, int stages) {
    return {.block = {block_m, block_n, kSlab},
            .threads = 256,
            .unroll_k = promoted,
            .min_blocks = 1,
            .stages = stages,
            .producers = 128};
}
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name,        kTile,         run<kTile>, shared_bytes(kTile), workspace_bytes<kTile>,
            work<kTile>, refusal<kTile>};
}
constexpr Variant kVariants[] = {
    variant<config(256, 128, 32, 4)>("256x128-32"), variant<config(256, 128, 64, 4)>("256x128-64"),
    variant<config(128, 192, 32, 5)>("128x192-32"), variant<config(128, 192, 64, 5)>("128x192-64"),
    variant<config(128, 128, 32, 6)>("128x128-32")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tensor_tile",
    .parent = "tf32_producer",
    .kind = Kind::engine,
    .title = "FP32 from three products of FP16 tensor cores",
    .idea =
        "Two FP16 pieces and a power of two hold an FP32 number; three products of pieces, added "
        "to FP32 totals every 32 or 64 elements, have an FP32 product's accuracy.",
    .requirements =
        "K and alpha other than 0; rows and columns that pieces do not suit are left to FP32. The "
        "library does not choose it yet",
    .variants = kVariants,
    .arithmetic = Arithmetic::fp16x3,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile
