// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Shapes that hurt: cases drawn from a kernel's own tile sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tile_config.h"
#include "lab/case.h"

namespace tilewright::lab {

/// How many cases, and how big one may be.
struct Effort {
    size_t cases;
    /// Multiply-adds of whole block tiles that a drawn case may cost: what the kernel does, not
    /// what the result needs.
    int64_t work;
    /// With more than 65535 block tiles along m, and along n. Each costs 65537 block tiles.
    bool many_tiles = false;
    /// Cases that are not plain too, and some more cases for them: for the engine's kernels.
    bool any_problem = false;
};

inline constexpr Effort kQuick{.cases = 20, .work = 1 << 22};
/// Enough for each pair of levels; see hard_cases().
inline constexpr Effort kThorough{.cases = 150, .work = 1 << 23};

/// Multiply-adds that a kernel of these tile sizes spends on a case.
double padded_work(const Case& test, const TileConfig& tile);

/// First the cases that must not be missing: all sizes and leading dimensions different, an aligned
/// interior, the same with one matrix off its 16-byte boundary, K = 0 and alpha = 0 over NaN, one row, one column, no row, no column, NaN and Inf.
/// Then cases that put together as many pairs not yet seen as possible of
///   m, n       1, a prime, tile - 1, tile, tile + 1, 2 tile + 1
///   k          0, 1, a prime, BK - 1, BK, BK + 1, 3 BK + 3
///   layout     tight; rows on 16-byte boundaries; the same but for one matrix, whose base or
///              leading dimension is off; all off
///   alpha      1, 0, -0, -1, 0.5, 3; beta likewise
///   data       each Distribution
/// and for any problem also
///   transposed neither, A, B, both
///   batch      1; 3 in a row; 2 with gaps on and off 16-byte boundaries; 3 that share A, or B
///   parts of k 1, 2, 3, 7
///   scalars    the host's, the device's
/// The same seed gives the same cases. A pair whose every case would cost more than effort.work is
/// left out. Tile sizes that the kernel does not have are taken as 32.
std::vector<Case> hard_cases(const TileConfig& tile, const Effort& effort, uint64_t seed);

}  // namespace tilewright::lab
