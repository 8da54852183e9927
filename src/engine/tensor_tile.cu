// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// tensor_tile: FP32's accuracy from FP16 tensor cores
//
// For      Large problems on Hopper (9.0), as compute mode FP16X3: wgmma exists nowhere else.
//
// Design   Each operand becomes two FP16 pieces and powers of two, one for a row of A and one for 64
//          elements of a column of B (pieces.h), and a product of two elements three of pieces, the
//          small ones first: lo * hi + hi * lo + hi * hi. lo * lo would be below an FP32 product's
//          last bit. Tensor cores cut their sums instead of rounding them, so a sum takes 32 or 64
//          elements along k and is then added to an FP32 total in registers ("promoted"), with B's
//          scale: the error of cutting does not grow with k.
//          Two warpgroups multiply, with rows of the tile each: while one adds up, the tensor cores
//          work for the other. One thread of a third warpgroup asks the TMA for slabs of pieces.
//
// Picture  a slab: of each row 32 hi | 32 lo, 128 bytes, swizzled; BM + BN rows a stage, and the
//          scale of each
//          warpgroup w: rows w * BM / 2 on, 64 x BN at a time
//          thread: two rows of 64 x BN, of each 16 columns four neighbours
//
// Cost     Three products of tensor cores for one of the result, and a pass over both operands.
//          Promotion is an FFMA for every 96 or 192 products of a sum.
//
//          The variants are named for their block tile and for how often they promote. x2: two blocks
//          have the tile together, for problems of few tiles. Each takes half of k, and through
//          distributed shared memory adds the other's sums to its own in half of the columns.
#include "engine/tensor_tile.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile {

#if !defined(__CUDACC_RTC__)
constexpr Variant kVariants[] = {variant<Fp16x3, config(256, 128, 64, 4)>("256x128-64"),
                                 variant<Fp16x3, config(128, 192, 64, 5)>("128x192-64"),
                                 variant<Fp16x3, config(128, 128, 64, 6)>("128x128-64"),
                                 variant<Fp16x3, config(128, 128, 64, 6, 2)>("128x128-64x2"),
                                 variant<Fp16x3, config(256, 128, 32, 4)>("256x128-32"),
                                 variant<Fp16x3, config(128, 128, 32, 6)>("128x128-32")};

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
        "K of 64 or more, alpha other than 0; rows and columns that pieces do not suit are "
        "computed in FP32",
    .variants = kVariants,
    .arithmetic = Arithmetic::fp16x3,
    .preparation = &PreparedPieces<Fp16Pieces>::kPreparation,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile
