// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// tensor_tile: FP32's accuracy from FP16 tensor cores
//
// For      Large problems on Hopper (9.0), as compute mode FP16X3: wgmma exists nowhere else.
//
// Design   Each operand becomes two FP16 pieces and a power of two for 64 elements along k (pieces.h),
//          and a product of two elements three of pieces, the small ones first: lo * hi + hi * lo +
//          hi * hi. lo * lo would be below an FP32 product's last bit. Tensor cores cut their sums
//          instead of rounding them, so a sum takes 32 or 64 elements along k and is then scaled and
//          added to an FP32 total in registers ("promoted"): the error of cutting does not grow with k.
//          Two warpgroups multiply, with rows of the tile each: while one adds up, the tensor cores
//          work for the other. One thread of a third warpgroup asks the TMA for slabs of pieces.
//
// Picture  a slab: of each row 32 hi | 32 lo, 128 bytes, swizzled; BM + BN rows a stage, and the
//          scale of each
//          warpgroup w: rows w * BM / 2 on, 64 x BN at a time
//          thread: two rows of 64 x BN, of each 16 columns four neighbours
//
// Cost     Three products of tensor cores for one of the result, and a pass over both operands.
//          Promotion is a multiplication and an FFMA for every 96 or 192 products of a sum.
//
//          The variants are named for their block tile and for how often they promote.
#if !defined(__CUDACC_RTC__)
#include <algorithm>
#endif

#include "engine/stage.h"
#include "engine/unfit.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile {

/// What the TMA copies.
struct Maps {
    TensorMap a, b, scales_b;
};

/// In which order block tiles come: groups of rows of tiles, in each down its columns, so that the tiles
/// that run at a time form a square and read little.
class Order {
  public:
    static constexpr unsigned kGroup = 8;

#if !defined(__CUDACC_RTC__)
    Order(uint32_t tiles_m, uint32_t tiles_n)
        : tiles_in_matrix_(tiles_m * tiles_n),
          tiles_in_group_(kGroup * tiles_n),
          last_rows_(tiles_m % kGroup == 0 ? kGroup : tiles_m % kGroup),
          last_group_((tiles_m - 1) / kGroup) {}
#endif
    /// Row and column count tiles.
    __device__ Place place(unsigned tile) const {
        unsigned batch = tile;
        unsigned group = tiles_in_matrix_.take(batch);
        unsigned col = tiles_in_group_.take(group);
        unsigned row = col % kGroup;
        if (group == last_group_)
            row = last_rows_.take(col);
        else
            col /= kGroup;
        return {batch, group * kGroup + row, col};
    }

  private:
    Divisor tiles_in_matrix_, tiles_in_group_, last_rows_;
    unsigned last_group_;
};

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads + kTile.producers, 1)
    sgemm(const __grid_constant__ Gemm p, const __grid_constant__ Maps maps, Pieces a, Pieces b,
          Order order_of_tiles) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, STAGES = kTile.stages;
    constexpr int SUBTILES = BM / 128;  // of 64 rows, of a warpgroup
    constexpr int PROMOTED = kTile.unroll_k / kSlab;  // slabs between two promotions
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, kSlab);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * kSlab, STAGES, BN, kSlab);
    DYNAMIC_SHARED(float, scales, 4 * STAGES * (BM + BN) * kSlab, STAGES, BN);
    constexpr int PITCH = BN + 16;  // two rows of sums meet all banks
    DYNAMIC_SHARED(float, sums, 0, 8, 16, PITCH);  // in the end, of each warp
    SHARED(float, row_scales, BM);
    SHARED(Barrier, full, STAGES);
    SHARED(Barrier, empty, STAGES);
    SHARED(Barrier, turns, 2);
    SHARED(Barrier, multiplied, 1);
    SHARED(int, unfit, BM + BN);
    SHARED(int, order, BM + BN);
    SHARED(int, counts, 4);  // of unfit rows and columns, and of the others
    if (threadIdx.x < STAGES) {
        mbarrier_init(full + threadIdx.x, 1);
        mbarrier_init(empty + threadIdx.x, kTile.threads);
    }
    if (threadIdx.x < 2) mbarrier_init(turns + threadIdx.x, 4);  // a lane of each warp
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) mbarrier_init(multiplied, kTile.threads);
    __syncthreads();
    Place tile = order_of_tiles.place(blockIdx.x);
    tile.row *= BM, tile.col *= BN;
    const unsigned batch = tile.batch;
    wait_for_stream();
    const Scalars scalars = scalars_of(p);
    const int slabs = scalars.alpha == 0.0f ? 0 : static_cast<int>(a.slabs);
    if (threadIdx.x >= kTile.threads) {
        setmaxnreg_dec<40>();
        if (threadIdx.x > kTile.threads) return;
        const int row = static_cast<int>(tile.row), col = static_cast<int>(tile.col);
        const int rows_a = static_cast<int>(a.rows), rows_b = static_cast<int>(b.rows);
        const int slab_a = static_cast<int>(a.matrix(batch)) * slabs;
        const int slab_b = static_cast<int>(b.matrix(batch)) * slabs;
        Stage<STAGES> stage;
        for (int t = 0; t < slabs; ++t, stage.advance()) {
            mbarrier_wait(empty + stage.index, stage.phase ^ 1);
            const SharedPtr<Barrier> filled = full + stage.index;
            mbarrier_arrive_expect(filled, 4 * ((BM + BN) * kSlab + BN));
            cp_async_bulk_tensor(As + stage.index * (BM * kSlab), maps.a,
                                 (slab_a + t) * rows_a + row, 0, filled);
            cp_async_bulk_tensor(Bs + stage.index * (BN * kSlab), maps.b,
                                 (slab_b + t) * rows_b + col, 0, filled);
            cp_async_bulk_tensor(scales + stage.index * BN, maps.scales_b, (slab_b + t) / 2, col,
                                 filled);
        }
        return;
    }
    setmaxnreg_inc<232>();
    const int group = warp_uniform(threadIdx.x / 128), lane = threadIdx.x % 32;
    // --- multiply
    const WgmmaOperand<Swizzle::bytes128> tiles_a(As + group * SUBTILES * (64 * kSlab));
    const WgmmaOperand<Swizzle::bytes128> tiles_b(Bs);
    float total[SUBTILES][BN / 2] = {}, acc[BN / 2];
    float scale_sum = 0.0f;  // of a column: NaN where one of its lines is unfit
    Stage<STAGES> stage;
    unsigned turn = group ^ 1;  // the first is group 0's
    for (int t = 0; t < slabs; t += PROMOTED) {
        Stage<STAGES> last = stage;
        UNROLL
        for (int i = 0; i < PROMOTED; ++i, last.advance())
            mbarrier_wait(full + last.index, last.phase);
        const SharedPtr<float> of_cols = scales + stage.index * BN;
        UNROLL
        for (int sub = 0; sub < SUBTILES; ++sub) {
            // The groups take turns: were they in step, both would promote while no products are made.
            mbarrier_wait(turns + group, turn);
            turn ^= 1;
            wgmma_fence();
            // Small products first: what a sum cuts is the smaller for it.
            UNROLL
            for (int product = 0; product < 3; ++product) {
                Stage<STAGES> at = stage;
                UNROLL
                for (int i = 0; i < PROMOTED; ++i, at.advance()) {
                    const auto of_a = tiles_a + at.index * (BM * kSlab) + sub * (64 * kSlab) +
                                      (product == 0 ? kPieceWords : 0);
                    const auto of_b =
                        tiles_b + at.index * (BN * kSlab) + (product == 1 ? kPieceWords : 0);
                    UNROLL
                    for (int k = 0; k < kPieceWords; k += 8)
                        wgmma_f16<BN>(acc, of_a + k, of_b + k, product == 0 && i == 0 && k == 0);
                }
            }
            wgmma_commit();
            if (lane == 0) mbarrier_arrive(turns + (group ^ 1));
            wgmma_wait<0>(acc);
            // --- promote
            UNROLL
            for (int j = 0; j < BN; j += 16) {
                const float4 of_col = ld<float4>(of_cols + j + lane % 4 * 4);
                UNROLL
                for (int half = 0; half < 4; half += 2) {
                    float* to = &total[sub][j / 2 + half];
                    const float* from = acc + j / 2 + half;
                    to[0] = fma_(from[0], of_col.x, to[0]);
                    to[1] = fma_(from[1], of_col.y, to[1]);
                    to[4] = fma_(from[4], of_col.z, to[4]);
                    to[5] = fma_(from[5], of_col.w, to[5]);
                }
            }
        }
        scale_sum += of_cols[threadIdx.x % BN];
        UNROLL
        for (int i = 0; i < PROMOTED; ++i, stage.advance()) mbarrier_arrive(empty + stage.index);
    }
    // --- which rows and columns are left to FP32
    const int rows = inside(p.m, tile.row, BM), cols = inside(p.n, tile.col, BN);
    const int x = threadIdx.x;
    const auto note = [&](int first, int of_b, int exist, bool is) {
        unfit[first + x] = is;
        const int before = atomic_add(counts + of_b + (is ? 0 : 2), 1);
        order[first + (is ? before : exist - 1 - before)] = x;
    };
    if (x < rows) {
        const float scale =
            slabs > 0 ? a.scales[int64_t{a.matrix(batch)} * a.rows + tile.row + x] : 0.0f;
        row_scales[x] = scale;
        note(0, 0, rows, scale != scale);
    }
    if (x < cols) note(BM, 1, cols, scale_sum != scale_sum);
    mbarrier_arrive(multiplied);
    mbarrier_wait(multiplied, 0);
    // --- store tile, through shared memory: a warp's rows one after the other, whole
    const int warp = threadIdx.x / 32;
    const SharedPtr<float> staged = sums + warp * (16 * PITCH);
    const bool vectors = rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;
    const bool simple = vectors && rows == BM && cols == BN && counts[0] + counts[1] == 0;
    UNROLL
    for (int sub = 0; sub < SUBTILES; ++sub) {
        __syncwarp();
        UNROLL
        for (int j = 0; j < BN; j += 8) {
            const float* from = &total[sub][j / 16 * 8 + j / 8 % 2 * 2];
            st(staged + (lane / 4 + j / 8 % 2 * 8) * PITCH + j / 16 * 16 + lane % 4 * 4,
               float4{from[0], from[1], from[4], from[5]});
        }
        __syncwarp();
        const int first_row = (group * SUBTILES + sub) * 64 + warp % 4 * 16;
        const GlobalPtr<float> C =
            p.C + batch * p.stride_c + (tile.row + first_row) * p.ldc + tile.col;
        const auto sums_of = [&](int i, int col) {
            const float4 sum = ld<float4>(staged + i * PITCH + col);
            const float scale = row_scales[first_row + i];
            return float4{sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale};
        };
        if (simple && scalars.beta == 0.0f) {
            for (int col = lane * 4; col < BN; col += 128) {
                UNROLL_BY(8)
                for (int i = 0; i < 16; ++i) {
                    const float4 sum = sums_of(i, col);
                    st_streaming(C + i * p.ldc + col,
                                 float4{scalars.alpha * sum.x, scalars.alpha * sum.y,
                                        scalars.alpha * sum.z, scalars.alpha * sum.w});
                }
            }
            continue;
        }
        UNROLL_BY(1)
        for (int i = 0; i < 16; ++i) {
            if (first_row + i >= rows || unfit[first_row + i]) continue;
            for (int col = lane * 4; col < cols; col += 128) {
                const float4 sum = sums_of(i, col);
                if (counts[1] == 0) {
                    store4(scalars, C + i * p.ldc + col, cols - col, vectors, sum);
                    continue;
                }
                const float four[] = {sum.x, sum.y, sum.z, sum.w};
                for (int n = 0; n < 4; ++n)
                    if (col + n < cols && !unfit[BM + col + n])
                        store4(scalars, C + i * p.ldc + col + n, 1, false, float4{four[n]});
            }
        }
    }
    if (counts[0] + counts[1] == 0) return;
    mbarrier_arrive(multiplied);
    mbarrier_wait(multiplied, 1);
    multiply_unfit<BM>(p, tile, order, rows, counts[0], cols, counts[1], As, multiplied, 2);
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * (kSlab * (tile.block.m + tile.block.n) + tile.block.n);
}

/// What an operand becomes, and where in a workspace. Outlives the launch.
class Split {
  public:
    Split(Workspace& workspace, const Operand& X, int64_t size, int64_t k, int64_t batch,
          bool lines)
        : X_(X),
          size_(size),
          rows_(ceil_div(size, 16) * 16),
          slabs_(ceil_div(k, kLine) * 2),
          matrices_(X.stride == 0 ? 1 : batch),
          scaled_(lines ? slabs_ / 2 : 1),
          words_(workspace.take<float>(matrices_ * slabs_ * rows_ * kSlab)),
          scales_(workspace.take<float>(matrices_ * scaled_ * rows_)),
          word_bounds_(words_, matrices_ * slabs_ * rows_, kSlab, kSlab, "pieces"),
          scale_bounds_(scales_, matrices_ * scaled_, rows_, rows_, "scales") {}

    Pieces pieces() const {
        return {.words = global_ptr(words_, word_bounds_),
                .scales = global_ptr(scales_, scale_bounds_),
                .rows = static_cast<unsigned>(rows_),
                .slabs = static_cast<unsigned>(slabs_),
                .scaled = static_cast<unsigned>(scaled_),
                .shared = matrices_ == 1};
    }
    /// Of split(), which has rows with one scale, or 64 lines.
    unsigned blocks() const {
        return static_cast<unsigned>(matrices_ * scaled_ * ceil_div(rows_, rows_of_block()));
    }
    Splitting splitting() const {
        return {.X = X_,
                .size = size_,
                .pieces = pieces(),
                .threads = static_cast<unsigned>(threads()),
                .tiles = Divisor(static_cast<uint32_t>(ceil_div(rows_, rows_of_block()))),
                .lines = Divisor(static_cast<uint32_t>(scaled_))};
    }
    Status map_words(TensorMap& map, int tile) const {
        return make_tensor_map(map, global_ptr(static_cast<const float*>(words_), word_bounds_),
                               matrices_ * slabs_ * rows_, kSlab, kSlab, tile, kSlab,
                               Swizzle::bytes128);
    }
    Status map_scales(TensorMap& map, int tile) const {
        return make_tensor_map(map, global_ptr(static_cast<const float*>(scales_), scale_bounds_),
                               matrices_ * scaled_, rows_, rows_, 1, tile);
    }

  private:
    /// Rows across memory are read in pieces of 64 bytes.
    int threads() const {
        int threads = 16;
        while (X_.along_k && threads < kSplitThreads && threads * 16 < slabs_ * kSlab) threads *= 2;
        return threads;
    }
    int rows_of_block() const { return scaled_ > 1 ? 64 : kSplitThreads / threads(); }

    Operand X_;
    int64_t size_, rows_, slabs_, matrices_, scaled_;
    float *words_, *scales_;
    Bounds word_bounds_, scale_bounds_;
};

/// Both operands of a problem.
struct Splits {
    Splits(void* memory, const Operands& operands, int64_t batch)
        : workspace(memory),
          a(workspace, operands.gemm.A, operands.gemm.m, operands.gemm.k, batch, false),
          b(workspace, operands.gemm.B, operands.gemm.n, operands.gemm.k, batch, true) {}

    Workspace workspace;
    Split a, b;
};

int64_t workspace_bytes(const Problem& problem, const Execution&) {
    return Splits(nullptr, Operands(problem), problem.batch).workspace.bytes();
}

template <TileConfig kTile>
int64_t tiles_of(const Problem& p) {
    return ceil_div(p.m, kTile.block.m) * ceil_div(p.n, kTile.block.n) * p.batch;
}

template <TileConfig kTile>
Work work(const Problem& problem, const Execution&) {
    const int64_t tiles = tiles_of<kTile>(problem);
    return {.tiles = tiles,
            .blocks = tiles,
            .steps = static_cast<double>(ceil_div(reads(problem), kSlab))};
}

template <TileConfig kTile>
const char* refusal(const Problem& p, const Execution&) {
    constexpr int64_t kMost = 0x7fffffff - 256;  // the TMA counts in 32 bits
    const int64_t slabs = ceil_div(p.k, kLine) * 2;
    if (p.m > kMost / p.batch / slabs || p.n > kMost / p.batch / slabs)
        return "M or N, times K / 32, times the batch, is above 2147483391";
    if (ceil_div(p.m, kTile.block.m) > kMost / ceil_div(p.n, kTile.block.n) / p.batch)
        return "C has more than 2147483391 block tiles";
    if (reads(p) == 0) return "nothing is multiplied";
    return nullptr;
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n;
    static_assert(BM % 128 == 0 && kTile.threads == 256 && kTile.producers == 128,
                  "two warpgroups have rows of 64 each, a third copies");
    static_assert(BM <= kTile.threads && BN <= kTile.threads,
                  "a thread looks at the scales of a row and a column");
    static_assert(kTile.unroll_k % kSlab == 0 && kLine % kTile.unroll_k == 0,
                  "what is added has one scale");
    static_assert(kTile.stages > kTile.unroll_k / kSlab, "the next slab comes meanwhile");
    static_assert(kTile.stages * kSlab * (BM + BN) >= 8 * 16 * (BN + 16),
                  "each warp stores through shared memory");
    static_assert(shared_bytes(kTile) <= 227 * 1024 - 8192, "what a block can have on Hopper");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    const Operands operands(problem);
    const Gemm& p = operands.gemm;
    const Splits splits(execution.workspace, operands, problem.batch);
    const Split &a = splits.a, &b = splits.b;
    Maps maps{};
    if (Status status = a.map_words(maps.a, BM); !status.ok()) return status;
    if (Status status = b.map_words(maps.b, BN); !status.ok()) return status;
    if (Status status = b.map_scales(maps.scales_b, BN); !status.ok()) return status;
    if (Status status =
            launch_kernel(split<Fp16Pieces>, Grid(a.blocks() + b.blocks()), Grid(kSplitThreads), 0,
                          execution, p, Splittings{{a.splitting(), b.splitting()}, a.blocks()});
        !status.ok())
        return status;
    const auto tiles_m = static_cast<uint32_t>(ceil_div(p.m, BM));
    const auto tiles_n = static_cast<uint32_t>(ceil_div(p.n, BN));
    return launch_kernel(sgemm<kTile>, Grid(static_cast<unsigned>(tiles_of<kTile>(problem))),
                         Grid(kTile.threads + kTile.producers), shared_bytes(kTile), execution, p,
                         maps, a.pieces(), b.pieces(), Order(tiles_m, tiles_n));
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
    return {name,        kTile,         run<kTile>, shared_bytes(kTile), workspace_bytes,
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
