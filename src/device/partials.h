// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What blocks hand over to each other through a workspace: sums, and whether they are there.
#pragma once

#include "device/kernel.h"

namespace tilewright::inline TILEWRIGHT_TARGET {

/// A block tile of sums for each block, and a flag for each of its threads.
struct Partials {
    GlobalPtr<float> sums;
    GlobalPtr<unsigned> ready;
};

#if !defined(__CUDACC_RTC__)
/// Their place in a workspace. Outlives the launch.
class PartialsStorage {
  public:
    PartialsStorage(Workspace& workspace, const TileConfig& tile, int blocks)
        : flag_bytes_(int64_t{blocks} * tile.threads * static_cast<int64_t>(sizeof(unsigned))),
          sums_(workspace.take<float>(int64_t{blocks} * tile.block.m * tile.block.n)),
          ready_(workspace.take<unsigned>(int64_t{blocks} * tile.threads)),
          sum_bounds_(sums_, blocks, tile.block.m * tile.block.n, tile.block.m * tile.block.n,
                      "sums"),
          ready_bounds_(ready_, blocks, tile.threads, tile.threads, "ready") {}

    Partials partials() const {
        return {global_ptr(sums_, sum_bounds_), global_ptr(ready_, ready_bounds_)};
    }
    /// No sum is there when the next launch runs.
    Status clear(const Execution& execution) const {
        return set_to_zero(ready_, flag_bytes_, execution);
    }

  private:
    int64_t flag_bytes_;
    float* sums_;
    unsigned* ready_;
    Bounds sum_bounds_, ready_bounds_;
};
#endif

}  // namespace tilewright::inline TILEWRIGHT_TARGET
