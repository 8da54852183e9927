// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What each compute mode that has more than one piece multiplies by wgmma, and how that lies in shared
// memory.
#pragma once

#include "engine/pieces.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile {

/// The products of pieces that make one of factors, the small ones first.
struct Product {
    int a, b;  ///< Pieces.
};

struct Fp16x3 {
    using Format = Fp16Pieces;
    static constexpr int kProducts = 3;
    static constexpr Swizzle kSwizzle = Swizzle::bytes128;
    HOST_DEVICE static Product product(int i) { return {i == 0 ? 1 : 0, i == 1 ? 1 : 0}; }
    template <int N, class Operand>
    __device__ __forceinline__ static void multiply(float (&acc)[N / 2], const Operand& a,
                                                    const Operand& b, bool begins) {
        wgmma_f16<N>(acc, a, b, begins);
    }
};

/// Of nine products of three pieces the kProducts_ largest.
template <int kProducts_>
struct Bf16 {
    using Format = Bf16Pieces;
    static constexpr int kProducts = kProducts_;
    static constexpr Swizzle kSwizzle = Swizzle::bytes64;
    HOST_DEVICE static Product product(int i) {
        constexpr Product ALL[] = {{2, 2}, {2, 1}, {1, 2}, {2, 0}, {0, 2},
                                   {1, 1}, {1, 0}, {0, 1}, {0, 0}};
        return ALL[9 - kProducts + i];
    }
    template <int N, class Operand>
    __device__ __forceinline__ static void multiply(float (&acc)[N / 2], const Operand& a,
                                                    const Operand& b, bool begins) {
        wgmma_bf16<N>(acc, a, b, begins);
    }
};

/// A slab of an operand's tile in shared memory: rows as wide as the swizzle, of as many pieces as fit;
/// what other pieces there are lies behind all rows.
template <class Mode>
struct SlabLayout {
    static constexpr int kWidth = static_cast<int>(Mode::kSwizzle) / 4;  // words
    static constexpr int kWords = Mode::Format::kPieces * kPieceWords;  // of a row, in all
    static constexpr int kBoxes = kWords / kWidth;
    HOST_DEVICE static int at(int piece, int rows) {
        constexpr int BESIDE = kWidth / kPieceWords;
        return piece / BESIDE * rows * kWidth + piece % BESIDE * kPieceWords;
    }
};

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET::tensor_tile
