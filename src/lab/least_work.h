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

/// Clocks of L1, of all blocks: a request takes one, and one for every 4 sectors.
double least_l1_clocks(const simt::Counters& counters);

/// The busiest multiprocessor's blocks over the mean. Blocks with a whole tile do as much as any;
/// one multiprocessor gets as many of them as the quotient rounded up.
double waves_of(const Count& count, const Gpu& gpu);

/// Bytes that the busiest multiprocessor must fetch from L2: the panels of A and B of its tiles.
/// Those it holds at one time may share them; what L1 keeps of them serves the next once more.
double least_l2_bytes(const Count& count, int resident_blocks, double waves, const Gpu& gpu);

}  // namespace tilewright::lab
