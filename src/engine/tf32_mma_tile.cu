// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// tf32_mma_tile: TF32's accuracy from FP16 tensor cores, by warps
//
// For      Compute mode TF32 wherever there is no wgmma: 8.0 and newer but 9.0, where this runs too and
//          tf32_tile is faster.
//
// Design   mma_tile's (mma_tile.cu), with tf32_tile's one FP16 piece, which mma.sync as well multiplies
//          twice as fast as TF32.
//
// Picture  a slab: of each row four pieces of 16 bytes, piece i at place i ^ r / 2 % 4, so that a column of
//          eight rows lies in all banks
//
//              rows 0, 1    0 1 2 3 | 0 1 2 3
//              rows 2, 3    1 0 3 2 | 1 0 3 2
//              rows 4, 5    2 3 0 1 | 2 3 0 1
//              rows 6, 7    3 2 1 0 | 3 2 1 0
//
// Cost     One product of tensor cores for one of the result, and a pass over both operands. A promotion
//          is an FFMA for 32 products of a sum. With so few products what a warp loads counts: for 96 x 32
//          sums 128 rows of a slab, which takes shared memory two thirds of an A100's tensor cores' time;
//          for 64 x 32 three quarters.
//
//          The variants are named for their block tile. The largest is for GPUs whose blocks can have
//          more than 99 KiB of shared memory.
#include "engine/mma_tile.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tf32_mma_tile {

#if !defined(__CUDACC_RTC__)
using mma_tile::config, mma_tile::variant;

constexpr Variant kVariants[] = {
    variant<Tf32, config(128, 128, {64, 32}, {32, 32}, 5, 1)>("128x128"),
    variant<Tf32, config(64, 128, {32, 32}, {32, 32}, 4, 2)>("64x128"),
    variant<Tf32, config(192, 128, {96, 32}, {32, 32}, 6, 1)>("192x128")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tf32_mma_tile",
    .parent = "mma_tile",
    .kind = Kind::engine,
    .title = "TF32 from FP16 tensor cores, by warps",
    .idea =
        "FP16 has as many bits as TF32 and twice its speed; warps multiply it by mma.sync, which "
        "GPUs before and after Hopper have too.",
    .requirements =
        "K of 64 or more and alpha other than 0; Inf, NaN and the ends of the range are computed "
        "in FP32",
    .variants = kVariants,
    .arithmetic = Arithmetic::tf32,
    .preparation = &PreparedPieces<Fp16Piece>::kPreparation,
    .compute_capability = 80,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tf32_mma_tile
