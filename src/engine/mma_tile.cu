// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// mma_tile: FP32's accuracy from FP16 tensor cores, by warps
//
// For      Compute mode FP16X3 wherever there is no wgmma: 8.0 and newer but 9.0, where this runs too
//          and tensor_tile is faster.
//
// Design   Pieces, products, and what is left to FP32 are tensor_tile's: lo * hi + hi * lo + hi * hi of
//          two FP16 pieces each, small ones first. A sum takes 32 elements along k, a slab, and is then
//          scaled and added to an FP32 total in registers ("promoted").
//          Here a warp multiplies by itself, mma.sync, and needs its factors in registers. Sums of a
//          slab are begun and ended for a few rows at a time, so that they take few registers and most
//          hold totals; the tensor cores work for other rows, or for the SM's other warps, while some
//          are promoted. All warps copy slabs by cp.async, as far ahead as there are stages.
//
// Picture  a slab's row r: 8 pieces of 16 bytes, piece i at place i ^ r % 8, so that a column of them
//          lies in all banks
//
//              row 0   hi 0  hi 1  hi 2  hi 3 | lo 0  lo 1  lo 2  lo 3
//              row 1   hi 1  hi 0  hi 3  hi 2 | lo 1  lo 0  lo 3  lo 2
//              row 2   hi 2  hi 3  hi 0  hi 1 | ...
//
//          BM + BN rows a stage, and the scale of each column. A warp has WM x WN of the tile; of 16
//          columns, which pieces.h has put in that order, a thread has four neighbours.
//
// Cost     Three products of tensor cores for one of the result, and a pass over both operands. A
//          promotion is an FFMA for 96 products of a sum. For 64 x 32 sums a warp loads 96 rows of a
//          slab: shared memory is half as busy as an A100's tensor cores.
//          An SM of a GeForce chip makes 256 products of FP16 with FP32 sums in a clock, 85 of FP16X3,
//          and 128 in FP32: there this mode is right, and no gain. A100 1024, A6000 and L40S 512.
//
//          The variants are named for their block tile. The largest is for GPUs whose blocks can have
//          more than 99 KiB of shared memory: of 8.x and 12.x those of 8.0 alone.
#include "engine/product_in_pieces.h"
#include "engine/stage.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::mma_tile {

/// Of find_unfit() and multiply_unfit().
inline constexpr int kScratchWords = 2304;

template <TileConfig kTile>
__global__ void __launch_bounds__(kTile.threads, kTile.min_blocks)
    sgemm(const __grid_constant__ Gemm p, Pieces a, Pieces b, Order order_of_tiles,
          Divisor all_parts, Split split, Parts parts) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n, STAGES = kTile.stages;
    constexpr int WM = kTile.warp.m, WN = kTile.warp.n;
    constexpr int ROWS = kTile.thread.m, COLS = kTile.thread.n;  // that have sums under way
    DYNAMIC_SHARED(float, As, 0, STAGES, BM, kSlab);
    DYNAMIC_SHARED(float, Bs, 4 * STAGES * BM * kSlab, STAGES, BN, kSlab);
    DYNAMIC_SHARED(float, scales, 4 * STAGES * (BM + BN) * kSlab, STAGES, BN);
    // In the end, where slabs were.
    DYNAMIC_SHARED(float, sums, 0, BM, BN);
    DYNAMIC_SHARED(float, scratch, 4 * BM * BN, kScratchWords);
    DYNAMIC_SHARED(int, unfit_is, 4 * (BM * BN + kScratchWords), BM + BN);
    DYNAMIC_SHARED(int, order, 4 * (BM * BN + kScratchWords + BM + BN), BM + BN);
    SHARED(int, counts, 4);
    SHARED(unsigned, vote, 1);
    SHARED(unsigned, number, 1);
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
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
    // --- copy slab: eight threads a row
    constexpr int COPIED = kTile.threads / 8;  // rows at a time
    const int copied = threadIdx.x / 8, place = threadIdx.x % 8;
    const int to = copied * kSlab + (place ^ copied % 8) * 4;
    const auto row_of = [&](const Pieces& of, int64_t first) {
        const int64_t slab = int64_t{of.matrix(tile.batch)} * of.slabs + begin;
        return of.words + (slab * of.rows + first + copied) * kSlab + place * 4;
    };
    GlobalPtr<const float> from_a = row_of(a, tile.row), from_b = row_of(b, tile.col);
    const int64_t first_line = int64_t{b.matrix(tile.batch)} * b.scaled + begin / 2;
    GlobalPtr<const float> from_scales =
        b.scales + first_line * b.rows + tile.col + threadIdx.x * 4;
    const int exist_a = inside(a.rows, tile.row, BM), exist_b = inside(b.rows, tile.col, BN);
    const auto copy = [&](int slab, int stage) {
        UNROLL
        for (int i = 0; i < BM; i += COPIED)
            cp_async<16>(As + stage * (BM * kSlab) + i * kSlab + to, from_a + i * kSlab,
                         copied + i < exist_a ? 16 : 0);
        UNROLL
        for (int i = 0; i < BN; i += COPIED)
            cp_async<16>(Bs + stage * (BN * kSlab) + i * kSlab + to, from_b + i * kSlab,
                         copied + i < exist_b ? 16 : 0);
        if (const int col = threadIdx.x * 4; col < BN)
            cp_async<16>(scales + stage * BN + col, from_scales, col < exist_b ? 16 : 0);
        if (slab % 2 == 1) from_scales += b.rows;
        from_a += int64_t{a.rows} * kSlab;
        from_b += int64_t{b.rows} * kSlab;
    };
    // --- multiply slab: shared -> registers -> totals
    float total[WM / 16][WN / 8][4] = {};
    const auto multiply = [&](int stage) {
        const SharedPtr<float> a_slab = As + (stage * BM + warp_row) * kSlab;
        const SharedPtr<float> b_slab = Bs + (stage * BN + warp_col) * kSlab;
        const SharedPtr<float> of_cols = scales + stage * BN + warp_col + in_group * 4;
        UNROLL
        for (int col = 0; col < WN; col += COLS) {
            float of_b[COLS / 8][2][4];  // hi and lo of all elements along k
            UNROLL
            for (int j = 0; j < COLS / 8; ++j) {
                UNROLL
                for (int piece = 0; piece < 2; ++piece)
                    ldmatrix(of_b[j][piece], lane, [&](int i, int row) {
                        return b_slab + (col + j * 8 + row) * kSlab + (i ^ row ^ piece * 4) * 4;
                    });
            }
            UNROLL
            for (int first = 0; first < WM; first += ROWS) {
                // Small products first: what a sum cuts is the smaller for it.
                float acc[ROWS / 16][COLS / 8][4] = {};
                float of_a[ROWS / 16][2][4];  // a piece of 16 elements along k, then of 16 more
                UNROLL
                for (int product = 0; product < 3; ++product) {
                    UNROLL
                    for (int m = 0; m < ROWS / 16 && product < 2; ++m) {
                        UNROLL
                        for (int k = 0; k < 2; ++k)
                            ldmatrix(of_a[m][k], lane, [&](int i, int row) {
                                const int piece = (product == 0 ? 4 : 0) + k * 2;
                                return a_slab + (first + m * 16 + i % 2 * 8 + row) * kSlab +
                                       (i / 2 ^ row ^ piece) * 4;
                            });
                    }
                    UNROLL
                    for (int k = 0; k < 2; ++k) {
                        UNROLL
                        for (int m = 0; m < ROWS / 16; ++m) {
                            UNROLL
                            for (int j = 0; j < COLS / 8; ++j) {
                                const float* b = of_b[j][product == 1] + 2 * k;
                                mma_f16(acc[m][j], of_a[m][k], {b[0], b[1]});
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
        find_unfit<Fp16Pieces, BM, BN>(a, b, tile, rows, cols, unfit, scratch);
    __syncthreads();
    const bool simple = !unfit.any();
    const bool vectors = rows_aligned(p.C, p.ldc) && p.stride_c % 4 == 0;
    const auto sum_of = [&](int row) {
        float4 sum{};
        if (split.parts == 1) sum = ld<float4>(sum_at(row, col));
        for (int from = 0; split.parts > 1 && from < split.parts; ++from)
            add4(sum, ld<float4>(all + (from * BM + row) * BN));
        return sum;
    };
    GlobalPtr<float> C =
        p.C + tile.batch * p.stride_c + (tile.row + first_row) * p.ldc + tile.col + col;
    constexpr int AT_ONCE = 4;  // rows on their way at a time
    if (simple && vectors && rows == BM && cols == BN) {
        UNROLL_BY(1)
        for (int row = first_row; row < BM; row += AT_ONCE * STEP, C += AT_ONCE * STEP * p.ldc) {
            float4 sum[AT_ONCE], c[AT_ONCE];
            UNROLL
            for (int i = 0; i < AT_ONCE; ++i) {
                sum[i] = sum_of(row + i * STEP);
                c[i] = scalars.beta == 0.0f ? float4{} : ld<float4>(C + i * STEP * p.ldc);
            }
            UNROLL
            for (int i = 0; i < AT_ONCE; ++i)
                st_streaming(C + i * STEP * p.ldc,
                             float4{scalars.alpha * sum[i].x + scalars.beta * c[i].x,
                                    scalars.alpha * sum[i].y + scalars.beta * c[i].y,
                                    scalars.alpha * sum[i].z + scalars.beta * c[i].z,
                                    scalars.alpha * sum[i].w + scalars.beta * c[i].w});
        }
        return;
    }
    UNROLL_BY(1)
    for (int row = first_row; row < rows; row += STEP, C += STEP * p.ldc) {
        if (!simple && unfit.is[row]) continue;
        const float4 sum = sum_of(row);
        if (simple) {
            if (col < cols) store4(scalars, C, cols - col, vectors, sum);
            continue;
        }
        const float four[] = {sum.x, sum.y, sum.z, sum.w};
        for (int n = 0; n < 4; ++n)
            if (col + n < cols && !unfit.is[BM + col + n])
                store4(scalars, C + n, 1, false, float4{four[n]});
    }
    if (simple) return;
    multiply_unfit<BM>(p, tile, order, rows, counts[0], cols, counts[1], scratch,
                       [] { __syncthreads(); });
}
#if !defined(__CUDACC_RTC__)
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages * (kSlab * (tile.block.m + tile.block.n) + tile.block.n);
}

template <TileConfig kTile>
Status run(const Problem& problem, const Execution& execution) {
    constexpr int BM = kTile.block.m, BN = kTile.block.n;
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
        BM % (kTile.threads / 8) == 0 && BN % (kTile.threads / 8) == 0,
        "all threads copy whole rows of 16 bytes a thread: threads / 8 divides BM and BN");
    static_assert(kTile.threads % (BN / 4) == 0 && BM % (16 * kTile.threads / BN) == 0,
                  "threads take whole rows of C, four times at once");
    static_assert(shared_bytes(kTile) + 1024 <= 163 * 1024, "what a block of 8.0 can have");
    static_assert(kTile.stages > 1, "a slab is multiplied while others arrive");
    static_assert(4 * (BM * BN + kScratchWords + 2 * (BM + BN)) <= shared_bytes(kTile),
                  "sums, and what is known of rows and columns, take the place of slabs");
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    if (const char* why = refusal<kTile>(problem, execution))
        return {StatusCode::not_supported, why};
    if (workspace_bytes<Fp16Pieces, kTile>(problem, execution) > execution.workspace_bytes)
        return run_halves<kTile>(problem, execution, run<kTile>);
    const Operands operands(problem);
    const Gemm& p = operands.gemm;
    const Storage<Fp16Pieces, kTile> storage(execution.workspace, operands, problem, execution);
    const PiecesStorage &a = storage.a, &b = storage.b;
    const int parts = storage.split.parts;
    if (Status status = storage.parts.clear(execution); !status.ok()) return status;
    if (Status status = storage.make_pieces(p, execution); !status.ok()) return status;
    const auto tiles_m = static_cast<uint32_t>(ceil_div(p.m, BM));
    const auto tiles_n = static_cast<uint32_t>(ceil_div(p.n, BN));
    return launch_kernel(sgemm<kTile>,
                         Grid(static_cast<unsigned>(tiles_of<kTile>(problem) * parts)),
                         Grid(kTile.threads), shared_bytes(kTile), execution, p, a.pieces(),
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
template <TileConfig kTile>
constexpr Variant variant(const char* name) {
    return {name,
            kTile,
            run<kTile>,
            shared_bytes(kTile),
            workspace_bytes<Fp16Pieces, kTile>,
            work<kTile>,
            refusal<kTile>,
            least_workspace_bytes<Fp16Pieces, kTile>};
}
constexpr Variant kVariants[] = {variant<config(128, 128, {64, 32}, {32, 32}, 3, 1)>("128x128"),
                                 variant<config(64, 128, {32, 32}, {16, 32}, 3, 2)>("64x128"),
                                 variant<config(192, 128, {96, 32}, {32, 32}, 3, 1)>("192x128")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "mma_tile",
    .parent = "tensor_tile",
    .kind = Kind::engine,
    .title = "FP32 from three products of FP16 tensor cores, by warps",
    .idea =
        "Two FP16 pieces and a power of two hold an FP32 number; warps multiply pieces by "
        "mma.sync, "
        "which GPUs before and after Hopper have too.",
    .requirements =
        "K of 64 or more, alpha other than 0; rows and columns that pieces do not suit are "
        "computed in FP32",
    .variants = kVariants,
    .arithmetic = Arithmetic::fp16x3,
    .preparation = &PreparedPieces<Fp16Pieces>::kPreparation,
    .compute_capability = 80,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::mma_tile
