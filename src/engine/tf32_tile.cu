// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// tf32_tile: TF32's accuracy from FP16 tensor cores
//
// For      Products on Hopper (9.0) that need no more than TF32's 11 bits of each factor, as compute mode
//          TF32. Not FP32's accuracy: factors are off by up to 2^-11 of themselves.
//
// Design   tensor_tile's (tensor_tile.cu), with one FP16 piece. FP16 rounds to 11 bits as TF32 does,
//          takes half the memory, and wgmma multiplies it twice as fast, from either order in memory,
//          where for TF32 both factors must lie along k. What it lacks is range: that a power of two
//          for each row of A, and for each 64 elements of a column of B, gives it. Elements below 2^-28
//          of a line's largest lose bits, and those below 2^-39 are lost, where TF32 keeps them.
//
// Picture  a slab: of each row 32 elements, 64 bytes, swizzled
//
// Cost     One product of tensor cores for one of the result, and a pass over both operands. Promotion
//          is an FFMA for every 64 products.
#include "engine/tensor_tile.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tf32_tile {

#if !defined(__CUDACC_RTC__)
using tensor_tile::config, tensor_tile::variant;

constexpr Variant kVariants[] = {variant<Tf32, config(256, 128, 64, 8)>("256x128-64"),
                                 variant<Tf32, config(128, 192, 64, 8)>("128x192-64"),
                                 variant<Tf32, config(128, 128, 64, 8)>("128x128-64")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "tf32_tile",
    .parent = "tensor_tile",
    .kind = Kind::engine,
    .title = "TF32 from FP16 tensor cores",
    .idea = "FP16 has as many bits as TF32 and twice its speed; powers of two give it the range.",
    .requirements =
        "K of 64 or more and alpha other than 0; Inf, NaN and the ends of the range are computed "
        "in "
        "FP32",
    .variants = kVariants,
    .arithmetic = Arithmetic::tf32,
    .preparation = &PreparedPieces<Fp16Piece>::kPreparation,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tf32_tile
