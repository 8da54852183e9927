// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// bf16x9_tile: FP32's accuracy and range from BF16 tensor cores
//
// For      Large problems on Hopper (9.0) whose elements spread over more than FP16's 2^18 and whose results
//          few products decide, where bf16x6_tile's error is greater than FP32's, as compute mode BF16X9.
//
// Design   tensor_tile's (tensor_tile.cu), with three BF16 pieces that hold all 24 bits of an element,
//          whatever its size beside its row's largest, and nine products of them, small ones first.
//          Nothing is left out: a product of pieces is an FP32 product, exact.
//
// Picture  a slab: of each row 32 hi, 32 mid, 32 lo, each 64 bytes in a tile of its own, swizzled
//
// Cost     Nine products of tensor cores for one of the result, and a pass over both operands.
#include "engine/tensor_tile.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::bf16x9_tile {

#if !defined(__CUDACC_RTC__)
using tensor_tile::config, tensor_tile::variant;

constexpr Variant kVariants[] = {variant<Bf16<9>, config(256, 128, 32, 3)>("256x128-32"),
                                 variant<Bf16<9>, config(128, 192, 32, 3)>("128x192-32"),
                                 variant<Bf16<9>, config(128, 128, 32, 4)>("128x128-32"),
                                 variant<Bf16<9>, config(128, 128, 32, 4, 2)>("128x128-32x2")};

extern const KernelDefinition definition;
const KernelDefinition definition{
    .file = __FILE__,
    .id = "bf16x9_tile",
    .parent = "tensor_tile",
    .kind = Kind::engine,
    .title = "FP32 from nine products of BF16 tensor cores",
    .idea =
        "Three BF16 pieces hold an FP32 number whole; nine products of pieces, added to FP32 "
        "totals "
        "every 32 elements, have an FP32 product's accuracy.",
    .requirements =
        "K of 64 or more and alpha other than 0; Inf, NaN and the ends of the range are computed "
        "in "
        "FP32",
    .variants = kVariants,
    .arithmetic = Arithmetic::bf16x9,
    .preparation = &PreparedPieces<Bf16Pieces>::kPreparation,
    .compute_capability = 90,
    .last_compute_capability = 90,
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::bf16x9_tile
