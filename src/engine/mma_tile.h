// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A product in pieces by mma.sync, for each compute mode but FP32: the kernel that mma_tile.cu describes,
// and how it is launched.
#pragma once

#include "engine/compute_modes.h"
#include "engine/product_in_pieces.h"
#include "engine/stage.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::mma_tile {

/// Of find_unfit() and multiply_unfit().
inline constexpr int kScratchWords = 3072;

template <class Mode, TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks)
    sgemm(const __grid_constant__ Gemm p, Pieces a, Pieces b, Order order_of_tiles,
          Divisor all_parts, Split split, Parts parts) {
    using Slab = SlabLayout<Mode>;
    constexpr int BM = kTile.block.m, BN = kTile.block.n, STAGES = kTile.stages;
    constexpr int PIECES = Mode::Format::kPieces, SLAB = Slab::kWords, WIDTH = Slab::kWidth;
    constexpr int WM = kTile.warp.m, WN = kTile.warp.n;
    constexpr int ROWS = kTile.thread.m, COLS = kTile.thread.n;  // that have sums under way
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, SLAB);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * SLAB, STAGES, BN, SLAB);
    DYNAMIC_SHARED(float, scales, 4 * STAGES * (BM + BN) * SLAB, STAGES, BN);
    // In the end, where slabs were.
    DYNAMIC_SHARED(float, sums, 0, BM, BN);
    DYNAMIC_SHARED(float, scratch, 4 * BM * BN, kScratchWords);
    DYNAMIC_SHARED(int, unfit_is, 4 * (BM * BN + kScratchWords), BM + BN);
    DYNAMIC_SHARED(int, order, 4 * (BM * BN + kScratchWords + BM + BN), BM + BN);
    SHARED(int, counts, Unfit::kCounts);
    SHARED(unsigned, vote, 1);
    SHARED(unsigned, number, 1);
    if (threadIdx.x < Unfit::kCounts) counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) number[0] = blockIdx.x;
    // --- place: the block tile, the warp's part of it, and the lane's
    unsigned tile_number = 0;
    int part = 0;
    Place tile{};
    const auto locate = [&](unsigned block) {
        tile_number = block;
        part = static_cast<int>(all_parts.take(tile_number));
        tile = order_of_tiles.place(tile_number);
        tile.row *= BM, tile.col *= BN;
    };
    locate(blockIdx.x);
    const int warp = warp_uniform(threadIdx.x / 32), lane = threadIdx.x % 32;
    const int warp_row = warp / (BN / WN) * WM, warp_col = warp % (BN / WN) * WN;
    const int group = lane / 4, in_group = lane % 4;
    wait_for_stream();
    const bool multiplies = scalars_of(p).alpha != 0.0f;
    const int begin = multiplies ? 2 * split.begin(part) : 0;  // slabs
    const int end = multiplies ? 2 * split.begin(part + 1) : 0;
    // --- copy slab: 16 bytes a thread
    constexpr int COPIED = kTile.threads / (WIDTH / 4);  // rows at a time
    const int copied = threadIdx.x / (WIDTH / 4), place = threadIdx.x % (WIDTH / 4);
    const int to = copied * WIDTH + Slab::swizzled(copied, place) * 4;
    const auto row_of = [&](const Pieces& of, int64_t first) {
        const int64_t slab = int64_t{of.matrix(tile.batch)} * of.slabs + begin;
        return of.words + (slab * of.rows + first + copied) * SLAB + place * 4;
    };
    GlobalPtr<const float> from_a = row_of(a, tile.row), from_b = row_of(b, tile.col);
    const int64_t first_line = int64_t{b.matrix(tile.batch)} * b.scaled + begin / 2;
    GlobalPtr<const float> from_scales =
        b.scales + first_line * b.rows + tile.col + threadIdx.x * 4;
    const int exist_a = inside(a.rows, tile.row, BM), exist_b = inside(b.rows, tile.col, BN);
    const auto copy = [&](int slab, int stage) {
        UNROLL
        for (int box = 0; box < Slab::kBoxes; ++box) {
            UNROLL
            for (int i = 0; i < BM; i += COPIED)
                cp_async<16>(As + stage * (BM * SLAB) + (box * BM + i) * WIDTH + to,
                             from_a + box * WIDTH + i * SLAB, copied + i < exist_a ? 16 : 0);
            UNROLL
            for (int i = 0; i < BN; i += COPIED)
                cp_async<16>(Bs + stage * (BN * SLAB) + (box * BN + i) * WIDTH + to,
                             from_b + box * WIDTH + i * SLAB, copied + i < exist_b ? 16 : 0);
        }
        if (const int col = threadIdx.x * 4; col < BN)
            cp_async<16>(scales + stage * BN + col, from_scales, col < exist_b ? 16 : 0);
        if (slab % 2 == 1) from_scales += b.rows;
        from_a += int64_t{a.rows} * SLAB;
        from_b += int64_t{b.rows} * SLAB;
    };
    // --- multiply slab: shared -> registers -> totals
    float total[WM / 16][WN / 8][4] = {};
    const auto multiply = [&](int stage) {
        const SharedPtr<float> a_slab = As + (stage * (BM * Slab::kBoxes) + warp_row) * WIDTH;
        const SharedPtr<float> b_slab = Bs + (stage * (BN * Slab::kBoxes) + warp_col) * WIDTH;
        const SharedPtr<float> of_cols = scales + stage * BN + warp_col + in_group * 4;
        UNROLL
        for (int col = 0; col < WN; col += COLS) {
            float of_b[COLS / 8][PIECES][4];  // of all elements along k
            UNROLL
            for (int j = 0; j < COLS / 8; ++j) {
                UNROLL
                for (int piece = 0; piece < PIECES; ++piece)
                    ldmatrix(of_b[j][piece], lane, [&](int i, int row) {
                        return b_slab + (Slab::box(piece) * BN + col + j * 8 + row) * WIDTH +
                               (Slab::swizzled(row, i) ^ Slab::place(piece)) * 4;
                    });
            }
            UNROLL
            for (int first = 0; first < WM; first += ROWS) {
                // Small products first: what a sum cuts is the smaller for it.
                float acc[ROWS / 16][COLS / 8][4] = {};
                float of_a[ROWS / 16][2][4];  // a piece of 16 elements along k, then of 16 more
                UNROLL
                for (int product = 0; product < Mode::kProducts; ++product) {
                    const PieceProduct of = Mode::product(product);
                    const bool is_there = product > 0 && Mode::product(product - 1).a == of.a;
                    UNROLL
                    for (int m = 0; m < ROWS / 16 && !is_there; ++m) {
                        UNROLL
                        for (int k = 0; k < 2; ++k)
                            ldmatrix(of_a[m][k], lane, [&](int i, int row) {
                                const int of_slab =
                                    Slab::box(of.a) * BM + first + m * 16 + i % 2 * 8 + row;
                                return a_slab + of_slab * WIDTH +
                                       (Slab::swizzled(row, i / 2) ^ (Slab::place(of.a) + k * 2)) *
                                           4;
                            });
                    }
                    UNROLL
                    for (int k = 0; k < 2; ++k) {
                        UNROLL
                        for (int m = 0; m < ROWS / 16; ++m) {
                            UNROLL
                            for (int j = 0; j < COLS / 8; ++j) {
                                const float* b = of_b[j][of.b] + 2 * k;
                                Mode::mma(acc[m][j], of_a[m][k], {b[0], b[1]});
                            }
                        }
                    }
                }
                // --- promote
                UNROLL
                for (int j = 0; j < COLS / 8; j += 2) {
                    const float4 of_col = ld<float4>(of_cols + col + j * 8);
                    UNROLL
                    for (int m = 0; m < ROWS / 16; ++m) {
                        UNROLL
                        for (int half = 0; half < 4; half += 2) {
                            const float* left = acc[m][j] + half;
                            const float* right = acc[m][j + 1] + half;
                            float* to_left = total[first / 16 + m][col / 8 + j] + half;
                            float* to_right = total[first / 16 + m][col / 8 + j + 1] + half;
                            to_left[0] = fma_(left[0], of_col.x, to_left[0]);
                            to_left[1] = fma_(left[1], of_col.y, to_left[1]);
                            to_right[0] = fma_(right[0], of_col.z, to_right[0]);
                            to_right[1] = fma_(right[1], of_col.w, to_right[1]);
                        }
                    }
                }
            }
        }
    };
    // Begin with as many slabs as there are stages, but one, before the first is multiplied.
    constexpr int AHEAD = STAGES - 1;
    Stage<STAGES> filled, stage;
    UNROLL_BY(1)
    for (int t = begin - AHEAD; t < end; ++t) {
        if (t >= begin) {
            // Wait for slab t: each thread for its own copies, then all for each other.
            cp_async_wait<AHEAD - 1>();
            __syncthreads();
        }
        // Who has passed the barrier reads the stage before no more.
        if (t + AHEAD < end) {
            copy(t + AHEAD, filled.index);
            filled.advance();
        }
        cp_async_commit();  // a group, be it of none
        if (t < begin) continue;
        multiply(stage.index);
        stage.advance();
    }
    let_stream_go_on();
    __syncthreads();
    // --- the sums of all warps, times the scale of each row
    locate(number[0]);  // anew: in registers it would have been in the way of the products
    const Scalars scalars = scalars_of(p);
    const int rows = inside(p.m, tile.row, BM), cols = inside(p.n, tile.col, BN);
    // Of two rows that eight lanes store, or more that they load, the banks are others.
    const auto sum_at = [&](int row, int col) { return sums + row * BN + (col ^ row % 2 * 16); };
    const int64_t scales_of_rows = int64_t{a.matrix(tile.batch)} * a.rows + tile.row;
    UNROLL
    for (int i = 0; i < WM; i += 8) {
        const int row = warp_row + i + group;
        const float scale =
            scalars.alpha != 0.0f && row < rows ? a.scales[scales_of_rows + row] : 0.0f;
        UNROLL
        for (int j = 0; j < WN; j += 16) {
            const float* left = total[i / 16][j / 8] + i / 8 % 2 * 2;
            const float* right = total[i / 16][j / 8 + 1] + i / 8 % 2 * 2;
            st(sum_at(row, warp_col + j + in_group * 4),
               float4{left[0] * scale, left[1] * scale, right[0] * scale, right[1] * scale});
        }
    }
    __syncthreads();
    // --- store tile, four neighbours at a time; parts of k in their order, whoever adds them up
    constexpr int PER_ROW = BN / 4, STEP = kTile.threads / PER_ROW;  // rows that all have at once
    const int first_row = threadIdx.x / PER_ROW, col = threadIdx.x % PER_ROW * 4;
    const GlobalPtr<float> all = parts.sums + int64_t{tile_number} * split.parts * (BM * BN) + col;
    if (split.parts > 1) {
        UNROLL_BY(4)
        for (int row = first_row; row < BM; row += STEP)
            st(all + (part * BM + row) * BN, ld<float4>(sum_at(row, col)));
        if (!is_last(parts.arrived + tile_number, split.parts, vote)) return;
    }
    const Unfit unfit{unfit_is, order, counts};
    if (scalars.alpha != 0.0f)
        find_unfit<typename Mode::Format, BM, BN>(a, b, tile, rows, cols, p.k, unfit, scratch);
    __syncthreads();
    const bool vectors = rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;
    const auto sum_rows = [&]<int kRows>(float4(&sum)[kRows], int row) {
        if (split.parts > 1)
            add_parts(sum, split.parts, [&](int from, int i) {
                return ld<float4>(all + (from * BM + row + i * STEP) * BN);
            });
        else
            for (int i = 0; i < kRows; ++i) sum[i] = ld<float4>(sum_at(row + i * STEP, col));
    };
    GlobalPtr<float> C =
        p.C + tile.batch * p.stride_c + (tile.row + first_row) * p.ldc + tile.col + col;
    if (vectors && rows == BM && cols == BN && !unfit.any()) {
        constexpr int AT_ONCE = 4;  // rows on their way at a time
        UNROLL_BY(1)
        for (int row = first_row; row < BM; row += AT_ONCE * STEP, C += AT_ONCE * STEP * p.ldc) {
            float4 sum[AT_ONCE];
            sum_rows(sum, row);
            store_rows(scalars, C, STEP * p.ldc, sum);
        }
        return;
    }
    UNROLL_BY(1)
    for (int row = first_row; row < rows; row += STEP, C += STEP * p.ldc) {
        if (unfit.any() && unfit.is[row]) continue;
        float4 sum[1];
        sum_rows(sum, row);
        store_fit<BM>(scalars, C, sum[0], unfit, col, cols, vectors);
    }
    if (!unfit.any()) return;
    multiply_unfit<BM>(p, tile, unfit, rows, cols, scratch, [] { __syncthreads(); });
}

#if !defined(__CUDACC_RTC__)
template <class Mode, TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    using Format = typename Mode::Format;
    constexpr int BM = kTile.block.m, BN = kTile.block.n;
    constexpr int COPIED = 4 * kTile.threads / SlabLayout<Mode>::kWidth;
    static_assert(kTile.threads == 256, "so many compute what is left to FP32");
    static_assert(kTile.threads / 32 * kTile.warp.m * kTile.warp.n == BM * BN &&
                      BM % kTile.warp.m == 0 && BN % kTile.warp.n == 0,
                  "warp tiles fill the block tile: WM divides BM, WN divides BN, and the areas of "
                  "threads / 32 warp tiles add up");
    static_assert(kTile.warp.m % kTile.thread.m == 0 && kTile.warp.n % kTile.thread.n == 0,
                  "sums of so many rows and columns at a time fill the warp tile");
    static_assert(kTile.thread.m % 16 == 0 && kTile.thread.n % 16 == 0,
                  "an mma has 16 rows, and two beside each other 16 columns");
    static_assert(
        BM % COPIED == 0 && BN % COPIED == 0 && COPIED % 8 == 0,
        "all threads copy whole rows of 16 bytes a thread, swizzled alike: COPIED, the rows "
        "at a time, divides BM and BN, and 8 divides it");
    static_assert(kTile.threads % (BN / 4) == 0 && BM % (16 * kTile.threads / BN) == 0,
                  "threads take whole rows of C, four times at once");
    static_assert(shared_bytes<Mode>(kTile) + 1024 <= 163 * 1024, "what a block of 8.0 can have");
    static_assert(kTile.stages > 1, "a slab is multiplied while others arrive");
    static_assert(4 * (BM * BN + kScratchWords + 2 * (BM + BN)) <= shared_bytes<Mode>(kTile),
                  "sums, and what is known of rows and columns, take the place of slabs");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    if (workspace_bytes<Format, kTile>(problem, execution) > execution.workspace_bytes)
        return run_halves<kTile>(problem, execution, run<Mode, kTile>);
    const Operands operands(problem);
    const Gemm& p = operands.gemm;
    const Storage<Format, kTile> storage(execution.workspace, operands, problem, execution);
    const auto &a = storage.a, &b = storage.b;
    const int parts = storage.split.parts;
    if (Status status = storage.parts.clear(execution); !status.ok()) return status;
    if (Status status = storage.make_pieces(p, execution); !status.ok()) return status;
    const auto tiles_m = static_cast<uint32_t>(ceil_div(p.m, BM));
    const auto tiles_n = static_cast<uint32_t>(ceil_div(p.n, BN));
    return launch_kernel(sgemm<Mode, kTile>,
                         Grid(static_cast<unsigned>(tiles_of<kTile>(problem) * parts)),
                         Grid(kTile.threads), shared_bytes<Mode>(kTile), execution, p, a.pieces(),
                         b.pieces(), Order(tiles_m, tiles_n), Divisor(static_cast<uint32_t>(parts)),
                         storage.split, storage.parts.parts());
}

/// `sums`: rows and columns of a warp tile whose sums are under way at a time.
constexpr TileConfig config(int block_m, int block_n, Tile warp, Tile sums, int stages,
                            int min_blocks) {
    return {.block = {block_m, block_n, kSlab},
            .thread = sums,
            .threads = 32 * (block_m / warp.m) * (block_n / warp.n),
            .warp = warp,
            .unroll_k = kSlab,
            .min_blocks = min_blocks,
            .stages = stages};
}
template <class Mode, TileConfig kTile>
constexpr Variant variant(const char* name) {
    return variant_of<typename Mode::Format, kTile>(name, run<Mode, kTile>,
                                                    shared_bytes<Mode>(kTile));
}
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::mma_tile
