// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// bf16x9_mma_tile: FP32's accuracy and range from BF16 tensor cores, by warps
//
// For      Compute mode BF16X9, for results that few products decide, wherever there is no wgmma: 8.0 and
//          newer but 9.0, where this runs too and bf16x9_tile is faster.
//
// Design   mma_tile's (mma_tile.cu), with bf16x9_tile's three BF16 pieces and nine products of them.
//          All three pieces of B are held in registers for all elements along k of a slab.
//
// Picture  a slab: each piece of all rows in a box of its own, a row in it four pieces of 16 bytes, piece i
//          at place i ^ r / 2 % 4, so that a column of eight rows lies in all banks
//
//              rows 0, 1    0 1 2 3 | 0 1 2 3
//              rows 2, 3    1 0 3 2 | 1 0 3 2
//              rows 4, 5    2 3 0 1 | 2 3 0 1
//              rows 6, 7    3 2 1 0 | 3 2 1 0
//
// Cost     Nine products of tensor cores for one of the result, and a pass over both operands. A piece
//          of A is loaded when the product before had another: six times in a slab. That keeps shared
//          memory less than half as busy as an A100's tensor cores.
//          GPUs of 8.6, 8.9 and 12.0 make four such products in the time of one in FP32, GeForce two:
//          there FP32's kernels are faster, and dispatch takes them.
//
//          The variants are named for their block tile. Two stages are enough: one is multiplied for far
//          longer than a copy takes. Three of 128 x 128 would not fit into 99 KiB.
#include "engine/mma_tile.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::bf16x9_mma_tile {

#if !defined(__CUDACC_RTC__)
using mma_tile::config, mma_tile::variant;

constexpr Variant kVariants[] = {
    variant<Bf16<9>, config(128, 128, {64, 32}, {32, 32}, 2, 1)>("128x128"),
    variant<Bf16<9>, config(64, 128, {32, 32}, {32, 32}, 2, 1)>("64x128")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "bf16x9_mma_tile",
    .parent = "mma_tile",
    .kind = Kind::engine,
    .title = "FP32 from nine products of BF16 tensor cores, by warps",
    .idea =
        "Three BF16 pieces hold an FP32 number whole; warps multiply pieces by mma.sync, which "
        "GPUs before and after Hopper have too.",
    .requirements =
        "K of 64 or more and alpha other than 0; Inf, NaN and the ends of the range are computed "
        "in FP32",
    .variants = kVariants,
    .arithmetic = Arithmetic::bf16x9,
    .preparation = &PreparedPieces<Bf16Pieces>::kPreparation,
    .compute_capability = 80,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::bf16x9_mma_tile
