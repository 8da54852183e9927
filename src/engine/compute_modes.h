// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Compute modes as kernels see them: the pieces of an element, the products of pieces that make one of
// elements, and the instructions for those.
#pragma once

#include "engine/pieces.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// Which piece of A's element, and which of B's.
struct PieceProduct {
    int a, b;
};

/// FP16's tensor cores.
template <class Format_, int kProducts_>
struct Fp16Mode {
    using Format = Format_;
    static constexpr int kProducts = kProducts_;
    template <int N, class Operand>
    __device__ __forceinline__ static void wgmma(float (&acc)[N / 2], const Operand& a,
                                                 const Operand& b, bool begins) {
        wgmma_f16<N>(acc, a, b, begins);
    }
};

/// The small products first. lo * lo is left out.
struct Fp16x3 : Fp16Mode<Fp16Pieces, 3> {
    HOST_DEVICE static PieceProduct product(int i) { return {i == 0 ? 1 : 0, i == 1 ? 1 : 0}; }
};

/// TF32 has FP16's 11 bits, and half its speed; its range comes with the scales.
struct Tf32 : Fp16Mode<Fp16Piece, 1> {
    HOST_DEVICE static PieceProduct product(int) { return {0, 0}; }
};

/// Of nine products of three pieces the kProducts_ largest, the small ones first.
template <int kProducts_>
struct Bf16 {
    using Format = Bf16Pieces;
    static constexpr int kProducts = kProducts_;
    HOST_DEVICE static PieceProduct product(int i) {
        constexpr PieceProduct ALL[] = {{2, 2}, {2, 1}, {1, 2}, {2, 0}, {0, 2},
                                        {1, 1}, {1, 0}, {0, 1}, {0, 0}};
        return ALL[9 - kProducts + i];
    }
    template <int N, class Operand>
    __device__ __forceinline__ static void wgmma(float (&acc)[N / 2], const Operand& a,
                                                 const Operand& b, bool begins) {
        wgmma_bf16<N>(acc, a, b, begins);
    }
};

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
