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
#include "engine/product_in_pieces.h"
#include "engine/stage.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile {

/// What the TMA copies.
struct Maps {
    TensorMap a, b, scales_b;
};

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads + kTile.producers, 1)
    sgemm(const __grid_constant__ Gemm p, const __grid_constant__ Maps maps, Pieces a, Pieces b,
          Order order_of_tiles, Divisor all_parts, Split split, Parts parts) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, STAGES = kTile.stages;
    constexpr int SUBTILES = BM / 128;  // of 64 rows, of a warpgroup
    constexpr int PROMOTED = kTile.unroll_k / kSlab;  // slabs between two promotions
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, kSlab);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * kSlab, STAGES, BN, kSlab);
    DYNAMIC_SHARED(float, scales, 4 * STAGES * (BM + BN) * kSlab, STAGES, BN);
    constexpr int CHECKING = kTile.producers - 32;  // threads that look for what is unfit
    constexpr int PITCH = BN + 16;  // two rows of sums meet all banks
    DYNAMIC_SHARED(float, sums, 0, 8, 16, PITCH);  // in the end, of each warp
    SHARED(float, row_scales, BM);
    SHARED(Barrier, full, STAGES);
    SHARED(Barrier, empty, STAGES);
    SHARED(Barrier, turns, 2);
    SHARED(Barrier, multiplied, 1);
    SHARED(Barrier, met, 1);  // those that multiply, who are not alone
    SHARED(int, unfit, BM + BN);
    SHARED(int, order, BM + BN);
    SHARED(unsigned, vote, 1);
    SHARED(int, counts, 4);  // of unfit rows and columns, and of the others
    if (threadIdx.x < STAGES) {
        mbarrier_init(full + threadIdx.x, 1);
        mbarrier_init(empty + threadIdx.x, kTile.threads);
    }
    if (threadIdx.x < 2) mbarrier_init(turns + threadIdx.x, 4);  // a lane of each warp
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(multiplied, kTile.threads + CHECKING);
        mbarrier_init(met, kTile.threads);
    }
    __syncthreads();
    unsigned tile_number = blockIdx.x;
    const int part = static_cast<int>(all_parts.take(tile_number));
    Place tile = order_of_tiles.place(tile_number);
    tile.row *= BM, tile.col *= BN;
    const unsigned batch = tile.batch;
    wait_for_stream();
    const Scalars scalars = scalars_of(p);
    const bool multiplies = scalars.alpha != 0.0f;
    const int begin = multiplies ? 2 * split.begin(part) : 0;  // slabs
    const int end = multiplies ? 2 * split.begin(part + 1) : 0;
    const int rows = inside(p.m, tile.row, BM), cols = inside(p.n, tile.col, BN);
    const auto meet_all = [] { __syncthreads(); };
    const auto end_copying = [&] {  // is_last() is for all threads of a block
        if (split.parts == 1) return;
        meet_all();
        meet_all();
    };
    if (threadIdx.x >= kTile.threads + 32) {
        setmaxnreg_dec<40>();
        // --- which rows and columns are left to FP32
        const int thread = threadIdx.x - kTile.threads - 32;
        const auto note = [&](int of_b, int exist, int x, bool is) {
            const int first = of_b ? BM : 0;
            unfit[first + x] = is;
            const int before = atomic_add(counts + of_b + (is ? 0 : 2), 1);
            order[first + (is ? before : exist - 1 - before)] = x;
        };
        const auto check = [&](const Pieces& pieces, int64_t first, int of_b, int exist) {
            for (int x = thread; x < exist; x += CHECKING) {
                float most = 0.0f, nan = 0.0f, sum = 0.0f;
                const int64_t at =
                    int64_t{pieces.matrix(batch)} * pieces.scaled * pieces.rows + first + x;
                UNROLL_BY(4)
                for (unsigned line = 0; line < (multiplies ? pieces.scaled : 0); ++line) {
                    const float scale = pieces.scales[at + int64_t{line} * pieces.rows];
                    sum += pieces.sums[at + int64_t{line} * pieces.rows];
                    most = scale > most ? scale : most;
                    nan += scale;
                }
                if (of_b == 0) row_scales[x] = nan;  // of the only line
                note(of_b, exist, x, nan != nan || is_dominated<Fp16Pieces>(sum, most));
            }
        };
        check(a, tile.row, 0, rows);
        check(b, tile.col, 1, cols);
        mbarrier_arrive(multiplied);
        end_copying();
        return;
    }
    if (threadIdx.x >= kTile.threads) {
        setmaxnreg_dec<40>();
        const int row = static_cast<int>(tile.row), col = static_cast<int>(tile.col);
        const int rows_a = static_cast<int>(a.rows), rows_b = static_cast<int>(b.rows);
        const int slab_a = static_cast<int>(a.matrix(batch) * a.slabs);
        const int slab_b = static_cast<int>(b.matrix(batch) * b.slabs);
        Stage<STAGES> stage;
        for (int t = threadIdx.x == kTile.threads ? begin : end; t < end; ++t, stage.advance()) {
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
        end_copying();
        return;
    }
    setmaxnreg_inc<232>();
    const int group = warp_uniform(threadIdx.x / 128), lane = threadIdx.x % 32;
    // --- multiply
    const WgmmaOperand<Swizzle::bytes128> tiles_a(As + group * SUBTILES * (64 * kSlab));
    const WgmmaOperand<Swizzle::bytes128> tiles_b(Bs);
    float total[SUBTILES][BN / 2] = {}, acc[BN / 2];
    Stage<STAGES> stage;
    unsigned turn = group ^ 1;  // the first is group 0's
    for (int t = begin; t < end; t += PROMOTED) {
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
        UNROLL
        for (int i = 0; i < PROMOTED; ++i, stage.advance()) mbarrier_arrive(empty + stage.index);
    }
    let_stream_go_on();
    mbarrier_arrive(multiplied);
    mbarrier_wait(multiplied, 0);
    // --- store tile, through shared memory: a warp's rows one after the other, whole
    unsigned meetings = 0;
    const auto meet = [&] {
        mbarrier_arrive(met);
        mbarrier_wait(met, meetings++ & 1);
    };
    const int warp = threadIdx.x / 32;
    const SharedPtr<float> staged = sums + warp * (16 * PITCH);
    const auto first_row_of = [&](int sub) {
        return (group * SUBTILES + sub) * 64 + warp % 4 * 16;
    };
    const auto stage_sums = [&](int sub) {
        __syncwarp();
        UNROLL
        for (int j = 0; j < BN; j += 8) {
            const float* from = &total[sub][j / 16 * 8 + j / 8 % 2 * 2];
            st(staged + (lane / 4 + j / 8 % 2 * 8) * PITCH + j / 16 * 16 + lane % 4 * 4,
               float4{from[0], from[1], from[4], from[5]});
        }
        __syncwarp();
    };
    const auto scaled_sum = [&](int sub, int i, int col) {
        const float4 sum = ld<float4>(staged + i * PITCH + col);
        const int row = first_row_of(sub) + i;
        const float scale = row < rows ? row_scales[row] : 0.0f;
        return float4{sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale};
    };
    const GlobalPtr<float> all = parts.sums + int64_t{tile_number} * split.parts * (BM * BN);
    if (split.parts > 1) {
        UNROLL
        for (int sub = 0; sub < SUBTILES; ++sub) {
            stage_sums(sub);
            for (int col = lane * 4; col < BN; col += 128) {
                UNROLL_BY(8)
                for (int i = 0; i < 16; ++i)
                    st(all + (part * BM + first_row_of(sub) + i) * BN + col,
                       scaled_sum(sub, i, col));
            }
        }
        if (!is_last(parts.arrived + tile_number, split.parts, vote, meet_all)) return;
    }
    const bool vectors = rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;
    const bool simple = vectors && rows == BM && cols == BN && counts[0] + counts[1] == 0;
    UNROLL
    for (int sub = 0; sub < SUBTILES; ++sub) {
        stage_sums(sub);
        const int first_row = first_row_of(sub);
        const GlobalPtr<float> C =
            p.C + batch * p.stride_c + (tile.row + first_row) * p.ldc + tile.col;
        // Of rows that follow each other; parts in their order, whoever adds them up.
        const auto sum_rows = [&]<int kRows>(float4(&sum)[kRows], int first, int col) {
            float4 own[kRows];
            UNROLL
            for (int i = 0; i < kRows; ++i) {
                own[i] = scaled_sum(sub, first + i, col);
                sum[i] = split.parts == 1 ? own[i] : float4{};
            }
            for (int other = 0; split.parts > 1 && other < split.parts; ++other) {
                UNROLL
                for (int i = 0; i < kRows; ++i) {
                    const int row = first_row + first + i;
                    const float4 more =
                        other == part ? own[i] : ld<float4>(all + (other * BM + row) * BN + col);
                    sum[i].x += more.x, sum[i].y += more.y;
                    sum[i].z += more.z, sum[i].w += more.w;
                }
            }
        };
        if (simple && scalars.beta == 0.0f) {
            constexpr int ROWS = 8;  // on their way at a time
            for (int i = 0; i < 16 * ceil_div(BN, 128); i += ROWS) {
                const int col = i / 16 * 128 + lane * 4;
                if (col >= BN) break;
                float4 sum[ROWS];
                sum_rows(sum, i % 16, col);
                UNROLL
                for (int row = 0; row < ROWS; ++row)
                    st_streaming(C + (i % 16 + row) * p.ldc + col,
                                 float4{scalars.alpha * sum[row].x, scalars.alpha * sum[row].y,
                                        scalars.alpha * sum[row].z, scalars.alpha * sum[row].w});
            }
            continue;
        }
        UNROLL_BY(1)
        for (int i = 0; i < 16; ++i) {
            if (first_row + i >= rows || unfit[first_row + i]) continue;
            for (int col = lane * 4; col < cols; col += 128) {
                float4 sum[1];
                sum_rows(sum, i, col);
                if (counts[1] == 0) {
                    store4(scalars, C + i * p.ldc + col, cols - col, vectors, sum[0]);
                    continue;
                }
                const float four[] = {sum[0].x, sum[0].y, sum[0].z, sum[0].w};
                for (int n = 0; n < 4; ++n)
                    if (col + n < cols && !unfit[BM + col + n])
                        store4(scalars, C + i * p.ldc + col + n, 1, false, float4{four[n]});
            }
        }
    }
    if (counts[0] + counts[1] == 0) return;
    multiply_unfit<BM>(p, tile, order, rows, counts[0], cols, counts[1], As, meet);
}

#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * (kSlab * (tile.block.m + tile.block.n) + tile.block.n);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n;
    static_assert(BM % 128 == 0 && kTile.threads == 256 && kTile.producers == 128,
                  "two warpgroups have rows of 64 each, a third copies");
    static_assert(kTile.unroll_k % kSlab == 0 && kLine % kTile.unroll_k == 0,
                  "what is added has one scale");
    static_assert(kTile.stages > kTile.unroll_k / kSlab, "the next slab comes meanwhile");
    static_assert(kTile.stages * kSlab * (BM + BN) >= 8 * 16 * (BN + 16),
                  "each warp stores through shared memory");
    static_assert(shared_bytes(kTile) <= 227 * 1024 - 8192, "what a block can have on Hopper");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    if (workspace_bytes<kTile>(problem, execution) > execution.workspace_bytes)
        return run_halves<kTile>(problem, execution, run<kTile>);
    const Operands operands(problem);
    const Gemm& p = operands.gemm;
    const Storage<kTile> storage(execution.workspace, operands, problem, execution);
    const PiecesStorage &a = storage.a, &b = storage.b;
    const int parts = storage.split.parts;
    if (Status status = storage.parts.clear(execution); !status.ok()) return status;
    Maps maps{};
    if (Status status = a.map_words(maps.a, BM); !status.ok()) return status;
    if (Status status = b.map_words(maps.b, BN); !status.ok()) return status;
    if (Status status = b.map_scales(maps.scales_b, BN); !status.ok()) return status;
    if (Status status =
            launch_kernel(split<Fp16Pieces>, Grid(a.blocks() + b.blocks()), Grid(kSplitThreads), 0,
                          execution, p, a.splitting(), b.splitting(), a.blocks());
        !status.ok())
        return status;
    const auto tiles_m = static_cast<uint32_t>(ceil_div(p.m, BM));
    const auto tiles_n = static_cast<uint32_t>(ceil_div(p.n, BN));
    return launch_kernel(
        sgemm<kTile>, Grid(static_cast<unsigned>(tiles_of<kTile>(problem) * parts)),
        Grid(kTile.threads + kTile.producers), shared_bytes(kTile), execution, p, maps, a.pieces(),
        b.pieces(), Order(tiles_m, tiles_n), Divisor(static_cast<uint32_t>(parts)), storage.split,
        storage.parts.parts());
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
    return {name,
            kTile,
            run<kTile>,
            shared_bytes(kTile),
            workspace_bytes<kTile>,
            work<kTile>,
            refusal<kTile>,
            least_workspace_bytes<kTile>};
}
constexpr Variant kVariants[] = {
    variant<config(256, 128, 64, 4)>("256x128-64"), variant<config(128, 192, 64, 5)>("128x192-64"),
    variant<config(128, 128, 64, 6)>("128x128-64"), variant<config(256, 128, 32, 4)>("256x128-32"),
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
        "K and alpha other than 0; rows and columns that pieces do not suit are computed in FP32",
    .variants = kVariants,
    .arithmetic = Arithmetic::fp16x3,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile
