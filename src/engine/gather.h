// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How `large_tile` gets a tile of any layout into shared memory: by the TMA, or with few registers by
// warps that only copy.
//
// All tiles lie there alike: by rows of k, so that a fragment of neighbours along m or n is one vector
// load, and one inner loop serves all four transposes. An operand whose memory runs along k is
// transposed on the way, by asynchronous copies of single words.
#pragma once

#include "engine/operands.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// Copies a tile of kX by kDepth elements whose first lies at X, of which `width` by `depth` exist,
/// to rows of k that are kPitch apart; zeros for the rest. All kThreads take part. kWhole: all of it
/// exists. Hardly unrolled, and not TileCopy, which keeps its addresses: the copying warps have 40
/// registers, and when they spill, ptxas allocates the whole kernel another way, after which half of
/// the main loop's FFMAs read two registers of one bank.
template <int kX, int kDepth, int kPitch, int kThreads, bool kAlongK, bool kWhole>
__device__ void gather(GlobalPtr<const float> X, int64_t ld, int width, int depth,
                       SharedPtr<float> to, int thread) {
    if constexpr (kAlongK) {
        // Eight words of k are a sector, and four rows of them a warp's copy: with a pitch of 4
        // modulo 32 the words then go to 32 different banks.
        constexpr int ROWS = kThreads / 8 < kX ? kThreads / 8 : kX;  // of X, in one step
        constexpr int STEP_K = kThreads / ROWS;
        static_assert(kThreads % (8 * ROWS) == 0 && kX % ROWS == 0 && STEP_K <= kDepth);
        const int row = thread / 8 % ROWS, col = thread % 8 + thread / 8 / ROWS * 8;
        X += row * ld + col;
        to += col * kPitch + row;
        UNROLL_BY(1)
        for (int x = 0; x < kX; x += ROWS) {
            UNROLL
            for (int k = 0; k < kDepth; k += STEP_K) {
                const bool exists = kWhole || (row + x < width && col + k < depth);
                cp_async<4>(to + k * kPitch + x, X + k, exists ? 4 : 0);
            }
            X += ROWS * ld;
        }
    } else {
        constexpr int COLS = kX < kThreads ? kX : kThreads;  // of X, in one step
        constexpr int ROWS = kThreads / COLS;  // of k, likewise
        static_assert(kThreads % COLS == 0 && kX % COLS == 0 && ROWS <= kDepth);
        const int row = thread / COLS, col = thread % COLS;
        X += row * ld + col;
        to += row * kPitch + col;
        UNROLL_BY(2)
        for (int k = 0; k < kDepth; k += ROWS) {
            UNROLL
            for (int x = 0; x < kX; x += COLS) {
                const bool exists = kWhole || (row + k < depth && col + x < width);
                cp_async<4>(to + k * kPitch + x, X + x, exists ? 4 : 0);
            }
            X += ROWS * ld;
        }
    }
}

/// The same, with what is known when the kernel runs.
template <int kX, int kDepth, int kPitch, int kThreads, bool kAlongK>
__device__ void gather(const Operand& operand, GlobalPtr<const float> X, int width, int depth,
                       SharedPtr<float> to, int thread) {
    if (width == kX && depth == kDepth)
        gather<kX, kDepth, kPitch, kThreads, kAlongK, true>(X, operand.ld, width, depth, to,
                                                            thread);
    else
        gather<kX, kDepth, kPitch, kThreads, kAlongK, false>(X, operand.ld, width, depth, to,
                                                             thread);
}

/// One operand's tile of a stage: by the TMA, which one thread asks, or by all that copy.
template <int kX, int kDepth, int kPitch, int kThreads>
__device__ void fill(const Operand& operand, const TensorMap& map, int64_t batch, int x, int64_t k,
                     int width, int depth, SharedPtr<float> to, SharedPtr<Barrier> full,
                     int thread) {
    constexpr bool kAlongK = kPitch > kX;  // what is transposed is padded, which the TMA cannot
    if (kAlongK || !operand.vectors) {
        gather<kX, kDepth, kPitch, kThreads, kAlongK>(operand, operand.at(batch, x, k), width,
                                                      depth, to, thread);
    } else if (thread == 0) {
        const int slice = operand.stride == 0 ? 0 : static_cast<int>(batch);
        cp_async_bulk_tensor(to, map, slice, static_cast<int>(k), x, full);
    }
}

#if !defined(__CUDACC_RTC__)
/// Why A or B can have no map, whichever way it would come; null where both can.
inline const char* refusal_of_maps(const Problem& p) {
    if (p.A == nullptr || p.B == nullptr) return "a tensor map of a null pointer";
    if (p.batch > 1 && (p.stride_a < 0 || p.stride_b < 0))
        return "a tensor map has no negative strides";
    constexpr int64_t kFarthest = int64_t{1} << 38;  // elements of 4 bytes
    if (p.lda >= kFarthest || p.ldb >= kFarthest ||
        (p.batch > 1 && (p.stride_a >= kFarthest || p.stride_b >= kFarthest)))
        return "a tensor map's strides are below 2^40 bytes";
    return nullptr;
}

/// A map of the operand for the TMA, whose boxes are tiles of x by depth elements; nothing where it is
/// gathered.
inline Status make_map(TensorMap& map, const Operand& operand, const Stored& stored,
                       const Problem& p, int x, int depth) {
    if (!operand.rows_of_k() || reads(p) == 0) return {};
    // Matrices that are all the same one have no stride that the TMA would take.
    const bool one = operand.stride == 0;
    const Slices slices{one ? 1 : p.batch, one ? stored.rows * stored.ld : operand.stride};
    return make_tensor_map(map, operand.data, stored.rows, stored.cols, stored.ld, depth, x,
                           Swizzle::none, &slices);
}
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
