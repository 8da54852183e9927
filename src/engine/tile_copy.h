// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How `tile` gets the tiles of an operand into shared memory, by asynchronous copies whose addresses
// are computed once, and from there into registers.
#pragma once

#include "engine/operands.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// How the memory of an operand runs, and its tiles in shared memory.
enum class Way {
    x,  ///< Both along X: rows of k.
    k,  ///< Both along k: rows of X.
    k_to_x,  ///< Memory along k, tiles along X: transposed on the way.
};

/// Memory along k is transposed on the way, word by word (TK = 1), but for thin tiles, whose time is
/// their copies: they keep vectors along k. Their FFMAs take longer, as ptxas puts a vector's words,
/// which are of one row each, into registers of one bank.
constexpr Way way(const TileConfig& tile, bool along_k) {
    return !along_k ? Way::x : tile.thread.k == 1 ? Way::k_to_x : Way::k;
}

/// Rows of a tile in shared memory are 4 words longer than they need be: neighbouring rows then begin
/// in different banks.
constexpr int kTilePad = 4;

constexpr int tile_words(int x, int depth, Way way) {
    return way == Way::k ? x * (depth + kTilePad) : depth * (x + kTilePad);
}

/// The place of a tile of kX by kDepth elements in shared memory.
template <int kX, int kDepth, Way kWay>
struct TileLayout {
    static constexpr int SIZE = tile_words(kX, kDepth, kWay);
    static constexpr int ROWS = kWay == Way::k ? kX : kDepth, PITCH = SIZE / ROWS;
    static constexpr int X_STEP = kWay == Way::k ? PITCH : 1;  // from an element to the next
    static constexpr int K_STEP = kWay == Way::k ? 1 : PITCH;
};

/// A thread's part of copying the k-tiles of an operand, one after another. All kThreads take part:
/// with 16 bytes each where rows of memory lie on 16-byte boundaries, else word by word; what is
/// transposed always word by word.
template <int kX, int kDepth, int kThreads, Way kWay>
class TileCopy {
    using Layout = TileLayout<kX, kDepth, kWay>;
    static constexpr bool kAlongK = kWay != Way::x;  // memory runs
    static constexpr int LENGTH = kAlongK ? kDepth : kX, ROWS = kAlongK ? kX : kDepth;
    static constexpr int ROW_STEP = kAlongK ? Layout::X_STEP : Layout::K_STEP;
    static constexpr int COL_STEP = kAlongK ? Layout::K_STEP : Layout::X_STEP;
    // Threads beside each other along a row of memory. Eight words of k are a sector, and four rows
    // of them a warp's copy: with a pitch of an odd multiple of 4 the words of a transposed tile
    // then go to 32 different banks.
    static constexpr int VECTORS = LENGTH / 4, WORDS = kWay == Way::k_to_x ? 8 : LENGTH;

  public:
    /// `width` of the tile's kX exist. `k`: where the first k-tile begins.
    __device__ TileCopy(const Operand& operand, int64_t batch, int64_t x, int64_t k, int width,
                        int thread)
        : vectors_(operand.vectors && kWay != Way::k_to_x), width_(width) {
        const int per_row = vectors_ ? VECTORS : WORDS;
        row_ = thread / per_row;
        col_ = thread % per_row * (vectors_ ? 4 : 1);
        from_ = operand.at(batch, x, k) + row_ * operand.ld + col_;
        step_ = kThreads / per_row * operand.ld;
        advance_ = kAlongK ? kDepth : kDepth * operand.ld;
    }

    /// Begins to copy the next k-tile, of which `depth` elements along k exist; zeros for the rest.
    __device__ void operator()(int depth, SharedPtr<float> tile) {
        const SharedPtr<float> to = tile + row_ * ROW_STEP + col_ * COL_STEP;
        const bool whole = width_ == kX && depth == kDepth;
        if (!vectors_) {
            if (whole)
                copy<1, WORDS, true>(to, depth);
            else
                copy<1, WORDS, false>(to, depth);
        } else if constexpr (kWay != Way::k_to_x) {
            if (whole)
                copy<4, VECTORS, true>(to, depth);
            else
                copy<4, VECTORS, false>(to, depth);
        }
        from_ += advance_;
    }

  private:
    /// Short code, most of all where a tile is cut: at a kernel's beginning each line of code comes from
    /// memory, which takes longer than what it does.
    template <int kWords, int kPerRow, bool kWhole>
    __device__ void copy(SharedPtr<float> to, int depth) const {
        constexpr int STEP = kThreads / kPerRow, COLS = kPerRow * kWords;
        static_assert(kThreads % kPerRow == 0 && ROWS % STEP == 0 && LENGTH % COLS == 0,
                      "threads copy whole rows of a tile, and all its rows in whole steps");
        const int cols = (kAlongK ? depth : width_) - col_,
                  rows = (kAlongK ? width_ : depth) - row_;
        GlobalPtr<const float> from = from_;
        UNROLL_BY(kWhole ? 8 : kWords == 1 ? 4 : 1)
        for (int row = 0; row < ROWS; row += STEP, from += step_) {
            UNROLL
            for (int col = 0; col < LENGTH; col += COLS) {
                const int left = row < rows ? cols - col : 0;
                const int words = kWhole ? kWords : left < 0 ? 0 : left < kWords ? left : kWords;
                cp_async<4 * kWords>(to + row * ROW_STEP + col * COL_STEP, from + col, 4 * words);
            }
        }
    }

    GlobalPtr<const float> from_;
    int64_t step_, advance_;  ///< From one copy to the next, and from one k-tile to the next.
    bool vectors_;
    int width_, row_, col_;
};

/// The elements along one side of a warp's tile that are a thread's: kCount of them, among kLanes
/// lanes. Where tiles run along X they are kVector neighbours at a time; where tiles run along k
/// they are kLanes apart, so that neighbouring lanes read neighbouring rows: different banks.
template <int kCount, int kVector, int kLanes, class Layout>
struct Fragment {
    static constexpr bool kAlongK = Layout::K_STEP == 1;

    __device__ static constexpr int at(int lane, int i) {
        return kAlongK ? lane + i * kLanes
                       : i / kVector * (kVector * kLanes) + lane * kVector + i % kVector;
    }

    /// kDepth rows of k: to[k][i]. `warp_tile`: at the first element of the warp.
    template <int kDepth>
    __device__ static void load(float (&to)[kDepth][kCount], SharedPtr<float> warp_tile, int lane) {
        if constexpr (kAlongK) {
            for (int i = 0; i < kCount; ++i) {
                float along_k[kDepth];
                load_fragment<kDepth>(along_k, warp_tile + at(lane, i) * Layout::X_STEP);
                for (int k = 0; k < kDepth; ++k) to[k][i] = along_k[k];
            }
        } else {
            for (int k = 0; k < kDepth; ++k)
                for (int i = 0; i < kCount; i += kVector)
                    load_fragment<kVector>(&to[k][i], warp_tile + k * Layout::K_STEP + at(lane, i));
        }
    }
};

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
