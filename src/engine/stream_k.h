// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Stream-K: who computes which k-tiles of which block tiles, and where sums are handed over [Osama,
// Merrill, Cecka, Garland, Owens: Stream-K, PPoPP 2023]. Split-K is a case of it.
#pragma once

#include "engine/split.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// k-tiles begin to end - 1 of a block tile; tile -1 is none.
struct Piece {
    int tile, begin, end;
};

/// Who computes what. The k-tiles of the first `streamed` block tiles, one tile after another, are
/// cut into equal runs, one a block; the other tiles are whole pieces, one a block in turn. For split-K
/// each tile is a line by itself, cut into as many runs as there are parts.
struct Schedule {
    int blocks, tiles, tiles_k, streamed = 0;
    int runs = 1, line = 0, share = 0, rest = 0;  ///< Runs of a line, and its k-tiles.
    bool is_split_k = false;

    HOST_DEVICE int whole(int place) const { return ceil_div(tiles - streamed - place, blocks); }
    HOST_DEVICE int pieces(int place) const { return whole(place) + 2; }
    /// Where a run begins. Shorter than a tile, it touches two at most.
    HOST_DEVICE int run(int place) const {
        const int number = place % runs;
        return place / runs * line + number * share + (number < rest ? number : rest);
    }
    /// First the end of a tile that others begin, so that they need not wait; last the beginning of
    /// one that others go on with.
    HOST_DEVICE Piece piece(int place, int i) const {
        if (0 < i && i <= whole(place)) return {streamed + place + (i - 1) * blocks, 0, tiles_k};
        if (streamed == 0) return {-1, 0, 0};
        const int tile = ceil_div(run(place), tiles_k);  // the first that begins in the run
        const int begin = run(place) - tile * tiles_k;  // seen from there: up to 0
        const int end = run(place + 1) - tile * tiles_k;
        if (i > 0) return {end > 0 ? tile : -1, 0, end};
        return {begin < 0 ? tile - 1 : -1, tiles_k + begin, tiles_k + (end < 0 ? end : 0)};
    }
};

/// A block tile of sums for each block, and a flag for each of its threads: zero before and after.
struct Handover {
    GlobalPtr<float> sums;
    GlobalPtr<unsigned> ready;
};

#if !defined(__CUDACC_RTC__)
/// Cuts up what is left when all blocks have equally many tiles, unless nearly all get one more. Of
/// a batch every tile is whole: where runs end would be another place in each matrix, and the bits
/// of a product must not depend on its slot.
inline Schedule schedule(const TileConfig& tile, const Problem& p, const Execution& execution) {
    const int blocks = execution.multiprocessors;
    const int tiles = ceil_div(p.m, tile.block.m) * ceil_div(p.n, tile.block.n) * p.batch;
    const int tiles_k = ceil_div(reads(p), tile.block.k);
    if (const Split split = split_of(tiles_k, execution.splits); split.parts > 1)
        return {.blocks = tiles * split.parts,
                .tiles = tiles,
                .tiles_k = tiles_k,
                .streamed = tiles,
                .runs = split.parts,
                .line = tiles_k,
                .share = split.share,
                .rest = split.rest,
                .is_split_k = true};
    const int left = tiles_k > 0 && p.batch == 1 ? tiles % blocks : 0;
    if (left > 0 && left < blocks * 9 / 10 && int64_t{left} * tiles_k <= 0x7fffffff) {
        const int line = left * tiles_k;
        return {.blocks = blocks,
                .tiles = tiles,
                .tiles_k = tiles_k,
                .streamed = left,
                .runs = blocks,
                .line = line,
                .share = line / blocks,
                .rest = line % blocks};
    }
    return {blocks, tiles, tiles_k};
}

/// The place of a Handover in a workspace. Outlives the launch.
class HandoverStorage {
  public:
    HandoverStorage(Workspace& workspace, const TileConfig& tile, const Schedule& s,
                    unsigned* counters)
        : own_(counters == nullptr),
          blocks_(s.streamed > 0 || s.is_split_k ? s.blocks : 0),
          flags_(s.is_split_k ? 0 : int64_t{blocks_} * tile.threads),
          sums_(workspace.take<float>(int64_t{blocks_} * tile.block.m * tile.block.n)),
          ready_(own_ ? workspace.take<unsigned>(flags_) : counters),
          sum_bounds_(sums_, 1, int64_t{blocks_} * tile.block.m * tile.block.n, 0, "sums"),
          ready_bounds_(ready_, 1, flags_, 0, "ready") {}

    Handover handover() const {
        return {global_ptr(sums_, sum_bounds_), global_ptr(ready_, ready_bounds_)};
    }
    Status clear(const Execution& execution) const {
        if (!own_ || flags_ == 0) return {};
        return set_to_zero(ready_, flags_ * static_cast<int64_t>(sizeof(unsigned)), execution);
    }

  private:
    bool own_;
    int blocks_;
    int64_t flags_;
    float* sums_;
    unsigned* ready_;
    Bounds sum_bounds_, ready_bounds_;
};

#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
