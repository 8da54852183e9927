// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The least that each part of a GPU must do for what was counted, whatever compiler and caches save.
// Derived in docs/bound.md.
#pragma once

#include <optional>

#include "lab/compiled.h"
#include "lab/counting.h"
#include "lab/gpus.h"

namespace tilewright::lab {

/// Wavefronts of loads and stores, of all blocks.
double least_shared_wavefronts(const Count& count, const std::optional<Compiled>& compiled);

/// Instructions of all warps: the main loop's for each of its FFMAs, and what must be outside it.
/// kNone where the main loop is not known.
double least_instructions(const Count& count, const std::optional<Compiled>& compiled);

/// Clocks of L1, of all blocks: a request takes one, and one for every 4 sectors. Scalar loads of
/// global memory stay as they are: a pointer to float does not promise that more is aligned.
double least_l1_clocks(const Count& count);

/// Bytes of sectors that all blocks ask of L2, if none is found in L1.
double most_l2_bytes(const Count& count);

/// Whole tiles of C that some multiprocessor must compute: their number over the multiprocessors,
/// rounded up. 0 where a block is not one tile, so that a tile may be shared out.
double whole_tiles_of_busiest(const Count& count, const Gpu& gpu);

/// The tiles of C are all whole.
bool all_tiles_are_whole(const Count& count);

/// Bytes that some multiprocessor must fetch from L2: the panels of A and B of so many whole tiles
/// (0: of its share of all whole ones). Those it holds at one time may share them; what L1 keeps of
/// them serves the next once more.
double least_l2_bytes(const Count& count, int resident_blocks, double whole_tiles, const Gpu& gpu);

/// Bytes of DRAM, when A, B and C are not in L2 before: what of C is written may still be there at
/// the end, as far as L2 holds it.
double least_dram_bytes(const Count& count, const Gpu& gpu);

}  // namespace tilewright::lab
