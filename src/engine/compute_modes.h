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
    __device__ __forceinline__ static void mma(float (&acc)[4], const float (&a)[4],
                                               const float (&b)[2]) {
        mma_f16(acc, a, b);
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
    __device__ __forceinline__ static void mma(float (&acc)[4], const float (&a)[4],
                                               const float (&b)[2]) {
        mma_bf16(acc, a, b);
    }
};

/// A slab of a tile in shared memory: of each row the words of as many pieces as are 128 bytes, or else 64,
/// swizzled; what other pieces there are lies in boxes behind all rows. 16 bytes at the same place of 8
/// rows lie in all banks.
template <class Mode>
struct SlabLayout {
    static constexpr int kWords = Mode::Format::kPieces * kPieceWords;  // of a row, in all
    static constexpr Swizzle kSwizzle = kWords % 32 == 0 ? Swizzle::bytes128 : Swizzle::bytes64;
    static constexpr int kWidth = static_cast<int>(kSwizzle) / 4;  // of a row in a box
    static constexpr int kBoxes = kWords / kWidth;
    static constexpr int kBeside = kWidth / kPieceWords;  // pieces in a box
    HOST_DEVICE static int box(int piece) { return piece / kBeside; }
    /// Of a row's places of 16 bytes the piece's first, and where place i is found.
    HOST_DEVICE static int place(int piece) { return piece % kBeside * (kPieceWords / 4); }
    /// The piece's first word, where boxes are of so many rows.
    HOST_DEVICE static int at(int piece, int rows) {
        return box(piece) * rows * kWidth + place(piece) * 4;
    }
    HOST_DEVICE static int swizzled(int row, int i) {
        return i ^ (kSwizzle == Swizzle::bytes128 ? row % 8 : row / 2 % 4);
    }
};

#if !defined(__CUDACC_RTC__)
/// Slabs of both operands in every stage, and the scales of B's columns.
template <class Mode>
constexpr int shared_bytes(const TileConfig& tile) {
    return 4 * tile.stages *
           (SlabLayout<Mode>::kWords * (tile.block.m + tile.block.n) + tile.block.n);
}
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
