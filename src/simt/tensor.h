// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Tensor cores in CPU mode: which lane holds what, and what is rounded where.
//
// NVIDIA documents the layouts of the fragments (PTX ISA, the sections on mma.m16n8k8, mma.m16n8k16
// and wgmma.mma_async) and not the arithmetic. Here the products of an instruction are exact, they and
// the accumulator are added in FP64, and the sum is cut to FP32, toward zero: tensor cores were
// found to cut too, some of them bits of the single terms [Fasi, Higham, Mikaitis, Pranesh:
// Numerical behavior of NVIDIA tensor cores, PeerJ CS, 2021]. So bits need not be a GPU's;
// reference/bound.h allows for the difference.
#pragma once

#include <array>
#include <cstdint>

#include "simt/account.h"
#include "simt/words.h"

namespace tilewright::simt {

/// Factors in one instruction's k: 32 bytes of them.
constexpr int depth(Factor factor) {
    return factor == Factor::tf32 ? 8 : 16;
}

/// What a lane gives to and takes from an mma.m16n8k8, or k16.
struct MmaFragments {
    float* d = nullptr;  ///< 4: its part of the 16 x 8 result.
    std::array<float, 4> a;  ///< Words: of one factor, or of two.
    std::array<float, 2> b;
    Factor factor = Factor::tf32;
};

/// d += a b for the lanes of a warp; one without d gives nothing and gets nothing.
void multiply(const std::array<MmaFragments, kWarpSize>& lanes);

/// d += a b for thread `number` of 128.
void multiply(const Wgmma& wgmma, int number);

/// Where a swizzle puts what would lie at this address. The address's own bits say so: as many as
/// number a row's pieces of 16 bytes, those from bit 4 on, are XORed with those from bit 7 on.
constexpr uintptr_t swizzled(uintptr_t address, int row_bytes) {
    return address ^ (address >> 3 & (row_bytes - 16));
}
/// Word `word` of an operand's row.
inline uintptr_t swizzled(const Place& operand, int row, int word, int row_bytes) {
    return swizzled(reinterpret_cast<uintptr_t>(operand.address) + row * row_bytes + word * 4,
                    row_bytes);
}

}  // namespace tilewright::simt
