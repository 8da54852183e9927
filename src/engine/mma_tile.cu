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
//          and 128 in FP32: there dispatch takes FP32's kernels. A100 1024, A6000 and L40S 512.
//
//          The variants are named for their block tile. The largest is for GPUs whose blocks can have
//          more than 99 KiB of shared memory: of 8.x and 12.x those of 8.0 alone.
#include "engine/mma_tile.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::mma_tile {

#if !defined(__CUDACC_RTC__)
constexpr Variant kVariants[] = {
    variant<Fp16x3, config(128, 128, {64, 32}, {32, 32}, 3, 1)>("128x128"),
    variant<Fp16x3, config(64, 128, {32, 32}, {16, 32}, 3, 2)>("64x128"),
    variant<Fp16x3, config(192, 128, {96, 32}, {32, 32}, 3, 1)>("192x128")};

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
