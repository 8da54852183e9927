// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Split-K in one launch: blocks that share a tile of C leave their sums in a workspace, and who is
// last there adds them up, always in the order of k. So the bits do not depend on who was last, and
// nobody waits.
#pragma once

#include "engine/operands.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// Which part of k is whose. Parts differ by one k-tile at most.
struct Split {
    int parts, share, rest;  ///< Each has `share` k-tiles, the first `rest` one more.

    __device__ int begin(int part) const { return part * share + (part < rest ? part : rest); }
};

struct Parts {
    GlobalPtr<float> sums;  ///< (tiles, parts, elements of a tile)
    GlobalPtr<unsigned> arrived;  ///< (tiles): zero before and after.
};

/// True for all threads of the block that is the last of `parts` to arrive; what the others have
/// written before is then seen.
__device__ __forceinline__ bool is_last(GlobalPtr<unsigned> arrived, int parts,
                                        SharedPtr<unsigned> vote) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned before = atomic_add_acq_rel(arrived, 1u);
        vote[0] = before;
        if (before + 1 == static_cast<unsigned>(parts)) st_release(arrived, 0u);
    }
    __syncthreads();
    __threadfence();
    return vote[0] + 1 == static_cast<unsigned>(parts);
}

#if !defined(__CUDACC_RTC__)
/// The place of Parts in a workspace. Outlives the launch.
class PartsStorage {
  public:
    PartsStorage(Workspace& workspace, int64_t tiles, int parts, int64_t elements,
                 unsigned* counters)
        : own_(counters == nullptr && parts > 1),
          tiles_(parts > 1 ? tiles : 0),
          sums_(workspace.take<float>(tiles_ * parts * elements)),
          arrived_(own_ ? workspace.take<unsigned>(tiles_) : counters),
          sum_bounds_(sums_, 1, tiles_ * parts * elements, 0, "sums"),
          arrived_bounds_(arrived_, 1, tiles_, 0, "arrived") {}

    Parts parts() const {
        return {global_ptr(sums_, sum_bounds_), global_ptr(arrived_, arrived_bounds_)};
    }
    Status clear(const Execution& execution) const {
        if (!own_) return {};
        return set_to_zero(arrived_, tiles_ * static_cast<int64_t>(sizeof(unsigned)), execution);
    }

  private:
    bool own_;
    int64_t tiles_;
    float* sums_;
    unsigned* arrived_;
    Bounds sum_bounds_, arrived_bounds_;
};

inline Split split_of(int64_t tiles_k, int parts) {
    const int wanted = parts < 1 ? 1 : parts;
    const int count = tiles_k < wanted ? (tiles_k < 1 ? 1 : static_cast<int>(tiles_k)) : wanted;
    return {count, static_cast<int>(tiles_k / count), static_cast<int>(tiles_k % count)};
}
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
