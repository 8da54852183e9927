// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A product in pieces by wgmma, for each compute mode but FP32: the kernel that
// tensor_tile.cu describes, and how it is launched.
#pragma once

#include "engine/compute_modes.h"
#include "engine/product_in_pieces.h"
#include "engine/stage.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile {

/// What the TMA copies.
struct Maps {
    TensorMap a, b, scales_b;
};

template <class Mode, TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads + kTile.producers, 1)
    sgemm(const __grid_constant__ Gemm p, const __grid_constant__ Maps maps, Pieces a, Pieces b,
          Order order_of_tiles, Divisor all_parts, Split split, Parts parts) {
    using Format = typename Mode::Format;
    using Slab = SlabLayout<Mode>;
    constexpr int BM = kTile.block.m, BN = kTile.block.n, STAGES = kTile.stages;
    constexpr int SLAB = Slab::kWords;
    constexpr int SUBTILES = BM / 128;  // of 64 rows, of a warpgroup
    constexpr int PROMOTED = kTile.unroll_k / kSlab;  // slabs between two promotions
    // Blocks of a cluster have the tile together, each one part of k, and then finish a part of its
    // columns.
    constexpr bool PAIR = kTile.cluster == 2;
    constexpr int COLS = BN / kTile.cluster;
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, SLAB);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * SLAB, STAGES, BN, SLAB);
    DYNAMIC_SHARED(float, scales, 4 * STAGES * (BM + BN) * SLAB, STAGES, BN);
    constexpr int CHECKING = kTile.producers - 32;  // threads that look for what is unfit
    constexpr int PITCH = BN + 16;  // two rows of sums meet all banks
    DYNAMIC_SHARED(float, sums, 0, 8, 16, PITCH);  // in the end, of each warp
    SHARED(float, row_scales, BM);
    SHARED(Barrier, full, STAGES);
    SHARED(Barrier, empty, STAGES);
    SHARED(Barrier, turns, 2);
    SHARED(Barrier, multiplied, 1);
    SHARED(Barrier, met, 1);  // those that multiply, who are not alone
    SHARED(Barrier, told, 1);  // likewise those that look for what is unfit
    SHARED(int, unfit_is, BM + BN);
    SHARED(int, order, BM + BN);
    SHARED(unsigned, vote, 1);
    SHARED(int, counts, Unfit::kCounts);
    const Unfit unfit{unfit_is, order, counts};
    if (threadIdx.x < STAGES) {
        mbarrier_init(full + threadIdx.x, 1);
        mbarrier_init(empty + threadIdx.x, kTile.threads);
    }
    if (threadIdx.x < 2) mbarrier_init(turns + threadIdx.x, 4);  // a lane of each warp
    if (threadIdx.x < Unfit::kCounts) counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(multiplied, kTile.threads + CHECKING);
        mbarrier_init(met, kTile.threads);
        mbarrier_init(told, CHECKING);
    }
    __syncthreads();
    unsigned tile_number = blockIdx.x;
    const int part = static_cast<int>(all_parts.take(tile_number));
    Place tile = order_of_tiles.place(tile_number);
    tile.row *= BM, tile.col *= BN;
    const Place finished{tile.batch, tile.row, tile.col + (PAIR ? part * COLS : 0)};
    const unsigned batch = tile.batch;
    wait_for_stream();
    const Scalars scalars = scalars_of(p);
    const bool multiplies = scalars.alpha != 0.0f;
    const int begin = multiplies ? 2 * split.begin(part) : 0;  // slabs
    const int end = multiplies ? 2 * split.begin(part + 1) : 0;
    const int rows = inside(p.m, tile.row, BM), cols = inside(p.n, finished.col, COLS);
    const auto meet_all = [] { __syncthreads(); };
    const auto meet_pair = [] { cluster_arrive(), cluster_wait(); };
    const auto end_copying = [&] {  // those that multiply meet twice, in barriers for all threads
        if (PAIR) {
            meet_pair(), meet_pair();
        } else if (split.parts > 1) {
            meet_all(), meet_all();
        }
    };
    if (threadIdx.x >= kTile.threads) {
        setmaxnreg_dec<40>();
        if (threadIdx.x >= kTile.threads + 32) {
            // --- which rows and columns are left to FP32
            const int thread = threadIdx.x - kTile.threads - 32;
            const auto k = static_cast<float>(p.k);
            const auto tell = [&](const Pieces& pieces, int64_t first, int of_b, int exist) {
                for (int x = thread; x < exist; x += CHECKING) {
                    Sizes all;
                    int64_t at =
                        int64_t{pieces.matrix(batch)} * pieces.scaled * pieces.rows + first + x;
                    const unsigned lines = multiplies ? pieces.scaled : 0;
                    UNROLL_BY(4)
                    for (unsigned line = 0; line < lines; ++line, at += pieces.rows)
                        all.add({pieces.scales[at], pieces.sums[at],
                                 Format::kMeets > 0.0f ? float{pieces.whole[at]} : 0.0f});
                    if (of_b == 0) row_scales[x] = all.scale;  // of the only line
                    unfit.tell<Format, BM>(of_b, x, all, k);
                }
            };
            const auto decide = [&](int of_b, int exist, int others) {
                for (int x = thread; x < exist; x += CHECKING)
                    unfit.decide<Format, BM>(of_b, x, exist, others, k);
            };
            tell(a, tile.row, 0, rows), tell(b, finished.col, 1, cols);
            mbarrier_arrive(told);
            mbarrier_wait(told, 0);
            decide(0, rows, cols), decide(1, cols, rows);
            mbarrier_arrive(multiplied);
        } else if (threadIdx.x == kTile.threads) {
            const int row = static_cast<int>(tile.row), col = static_cast<int>(tile.col);
            const int rows_a = static_cast<int>(a.rows), rows_b = static_cast<int>(b.rows);
            const int slab_a = static_cast<int>(a.matrix(batch) * a.slabs);
            const int slab_b = static_cast<int>(b.matrix(batch) * b.slabs);
            Stage<STAGES> stage;
            for (int t = begin; t < end; ++t, stage.advance()) {
                mbarrier_wait(empty + stage.index, stage.phase ^ 1);
                const SharedPtr<Barrier> filled = full + stage.index;
                mbarrier_arrive_expect(filled, 4 * ((BM + BN) * SLAB + BN));
                UNROLL
                for (int box = 0; box < Slab::kBoxes; ++box) {
                    constexpr int WIDTH = Slab::kWidth;
                    cp_async_bulk_tensor(As + stage.index * (BM * SLAB) + box * (BM * WIDTH),
                                         maps.a, (slab_a + t) * rows_a + row, box * WIDTH, filled);
                    cp_async_bulk_tensor(Bs + stage.index * (BN * SLAB) + box * (BN * WIDTH),
                                         maps.b, (slab_b + t) * rows_b + col, box * WIDTH, filled);
                }
                cp_async_bulk_tensor(scales + stage.index * BN, maps.scales_b, (slab_b + t) / 2,
                                     col, filled);
            }
        }
        end_copying();
        return;
    }
    setmaxnreg_inc<232>();
    const int group = warp_uniform(threadIdx.x / 128), lane = threadIdx.x % 32;
    // --- multiply
    const WgmmaOperand<Slab::kSwizzle> tiles_a(As + group * SUBTILES * (64 * Slab::kWidth));
    const WgmmaOperand<Slab::kSwizzle> tiles_b(Bs);
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
            for (int i = 0; i < Mode::kProducts; ++i) {
                const PieceProduct of = Mode::product(i);
                Stage<STAGES> at = stage;
                UNROLL
                for (int slab = 0; slab < PROMOTED; ++slab, at.advance()) {
                    const auto of_a = tiles_a + at.index * (BM * SLAB) +
                                      (sub * (64 * Slab::kWidth) + Slab::at(of.a, BM));
                    const auto of_b = tiles_b + at.index * (BN * SLAB) + Slab::at(of.b, BN);
                    UNROLL
                    for (int k = 0; k < kPieceWords; k += 8)
                        Mode::template wgmma<BN>(acc, of_a + k, of_b + k,
                                                 i == 0 && slab == 0 && k == 0);
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
    const SharedPtr<float> staged_here = staged + (PAIR ? part * COLS : 0);
    const auto scaled_sum = [&](int sub, int i, int col) {
        const float4 sum = ld<float4>(staged_here + i * PITCH + col);
        const int row = first_row_of(sub) + i;
        const float scale = row < rows ? row_scales[row] : 0.0f;
        return float4{sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale};
    };
    constexpr int LANES = PAIR ? COLS / 4 : 32;  // of a warp, in a row
    constexpr int ABREAST = 32 / LANES;  // rows
    const int lane_row = lane / LANES, lane_col = lane % LANES * 4;
    if (PAIR) {
        stage_sums(0);
        meet_pair();
        const SharedPtr<float> own = staged_here + lane_row * PITCH + lane_col;
        const ClusterPtr<float> other = map_shared_rank(own, part ^ 1);
        float4 others[16 / ABREAST];  // all on their way at a time
        UNROLL
        for (int i = 0; i < 16; i += ABREAST) others[i / ABREAST] = ld<float4>(other + i * PITCH);
        UNROLL
        for (int i = 0; i < 16; i += ABREAST) {
            const float4 a = ld<float4>(own + i * PITCH), b = others[i / ABREAST];
            st(own + i * PITCH, float4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w});
        }
        __syncwarp();
        cluster_arrive_relaxed();  // the other block's columns are no longer read
    }
    const bool in_parts = !PAIR && split.parts > 1;
    const GlobalPtr<float> all = parts.sums + int64_t{tile_number} * split.parts * (BM * BN);
    if (in_parts) {
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
    const bool simple = vectors && rows == BM && cols == COLS && !unfit.any();
    UNROLL
    for (int sub = 0; sub < SUBTILES; ++sub) {
        if (!PAIR) stage_sums(sub);
        const int first_row = first_row_of(sub);
        const GlobalPtr<float> C =
            p.C + batch * p.stride_c + (tile.row + first_row) * p.ldc + finished.col;
        const auto sum_rows = [&]<int kRows>(float4(&sum)[kRows], int first, int col) {
            UNROLL
            for (int i = 0; i < kRows; ++i) sum[i] = scaled_sum(sub, first + i * ABREAST, col);
            if (!in_parts) return;
            float4 own[kRows];
            UNROLL
            for (int i = 0; i < kRows; ++i) own[i] = sum[i];
            add_parts(sum, split.parts, [&](int other, int i) {
                const int row = first_row + first + i * ABREAST;
                return other == part ? own[i] : ld<float4>(all + (other * BM + row) * BN + col);
            });
        };
        if (simple) {
            constexpr int ROWS = 8;  // on their way at a time
            for (int i = 0; i < 16 * ceil_div(COLS, 128); i += ROWS * ABREAST) {
                const int col = i / 16 * 128 + lane_col, first = i % 16 + lane_row;
                if (col >= COLS) break;
                float4 sum[ROWS];
                sum_rows(sum, first, col);
                store_rows(scalars, C + first * p.ldc + col, ABREAST * p.ldc, sum);
            }
            continue;
        }
        UNROLL_BY(1)
        for (int i = lane_row; i < 16; i += ABREAST) {
            if (first_row + i >= rows || unfit.is[first_row + i]) continue;
            for (int col = lane_col; col < cols; col += 128) {
                float4 sum[1];
                sum_rows(sum, i, col);
                store_fit<BM>(scalars, C + i * p.ldc + col, sum[0], unfit, col, cols, vectors);
            }
        }
    }
    if (PAIR) cluster_wait();
    if (unfit.any()) multiply_unfit<BM>(p, finished, unfit, rows, cols, As, meet);
}

#if !defined(__CUDACC_RTC__)
template <class Mode, TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n;
    static_assert(BM % 128 == 0 && kTile.threads == 256 && kTile.producers == 128,
                  "two warpgroups have rows of 64 each, a third copies");
    static_assert(kTile.unroll_k % kSlab == 0 && kLine % kTile.unroll_k == 0,
                  "what is added has one scale");
    static_assert(kTile.stages > kTile.unroll_k / kSlab, "the next slab comes meanwhile");
    static_assert(kTile.stages * SlabLayout<Mode>::kWords * (BM + BN) >= 8 * 16 * (BN + 16),
                  "each warp stores through shared memory");
    static_assert(kTile.cluster == 1 || (kTile.cluster == 2 && BM == 128 && BN == 128),
                  "two blocks finish 64 columns each, in one round of staging");
    static_assert(shared_bytes<Mode>(kTile) <= 227 * 1024 - 8192,
                  "what a block can have on Hopper");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    if (workspace_bytes<typename Mode::Format, kTile>(problem, execution) >
        execution.workspace_bytes)
        return run_halves<kTile>(problem, execution, run<Mode, kTile>);
    const Operands operands(problem);
    const Gemm& p = operands.gemm;
    const Storage<typename Mode::Format, kTile> storage(execution.workspace, operands, problem,
                                                        execution);
    const auto &a = storage.a, &b = storage.b;
    const int parts = storage.split.parts;
    if (Status status = storage.parts.clear(execution); !status.ok()) return status;
    Maps maps{};
    if (Status status = a.map_words(maps.a, BM, SlabLayout<Mode>::kSwizzle); !status.ok())
        return status;
    if (Status status = b.map_words(maps.b, BN, SlabLayout<Mode>::kSwizzle); !status.ok())
        return status;
    if (Status status = b.map_scales(maps.scales_b, BN); !status.ok()) return status;
    if (Status status = storage.make_pieces(p, execution); !status.ok()) return status;
    const auto tiles_m = static_cast<uint32_t>(ceil_div(p.m, BM));
    const auto tiles_n = static_cast<uint32_t>(ceil_div(p.n, BN));
    return launch_clusters(kTile.cluster, sgemm<Mode, kTile>,
                           Grid(static_cast<unsigned>(tiles_of<kTile>(problem) * parts)),
                           Grid(kTile.threads + kTile.producers), shared_bytes<Mode>(kTile),
                           execution, p, maps, a.pieces(), b.pieces(), Order(tiles_m, tiles_n),
                           Divisor(static_cast<uint32_t>(parts)), storage.split,
                           storage.parts.parts());
}

constexpr TileConfig config(int block_m, int block_n, int promoted, int stages, int cluster = 1) {
    return {.block = {block_m, block_n, kSlab},
            .threads = 256,
            .unroll_k = promoted,
            .min_blocks = 1,
            .stages = stages,
            .producers = 128,
            .cluster = cluster};
}
template <class Mode, TileConfig kTile>
constexpr Variant variant(const char* name) {
    return variant_of<typename Mode::Format, kTile>(name, run<Mode, kTile>,
                                                    shared_bytes<Mode>(kTile));
}
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile
