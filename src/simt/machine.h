// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The CPU machine: runs a kernel's grid on worker threads, each block as warps of fibers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/status.h"
#include "simt/counters.h"
#include "simt/hazard.h"
#include "simt/trace.h"

namespace tilewright::simt {

struct Dim3 {
    unsigned x, y, z;
    constexpr Dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr uint64_t count() const { return uint64_t{x} * y * z; }
};

/// Coordinates of the number'th of so many: x first.
constexpr Dim3 unflatten(uint64_t number, Dim3 extent) {
    return {static_cast<unsigned>(number % extent.x),
            static_cast<unsigned>(number / extent.x % extent.y),
            static_cast<unsigned>(number / extent.x / extent.y)};
}

struct Launch {
    Dim3 grid, block;
    bool counted;  ///< Accesses are checked and recorded.
    /// Where blocks stand for tiles of a matrix, numbered along a column of `tile_rows`, and none
    /// needs another: a few may stand for all. Else 0.
    uint64_t tile_rows = 0;
    /// A matrix of which every element must be written; null for none.
    const Extent* result = nullptr;
    unsigned cluster = 1;  ///< Blocks of a cluster, neighbours along x.
    size_t dynamic_bytes = 0;  ///< Of shared memory whose size the launch says.
    std::function<void()> thread;  ///< Called once for each thread of the grid.
};

/// One device of CPU mode. Launches block until the whole grid has run; one at a time.
class Machine {
  public:
    /// `workers` blocks run at once; 0 takes one for each core.
    explicit Machine(unsigned workers = 0);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// From now on warps, and lanes within a warp, take turns in an order drawn from this seed;
    /// 0 is the natural order. A right kernel gives the same bits in every order.
    void shuffle(uint64_t seed);

    /// From now on, of a grid of tiles one block in the corner that the matrix may cut off, one along
    /// each of its edges and one inside run, and what they count is multiplied by how many they
    /// stand for. Results are incomplete.
    void sample_blocks(bool on);

    /// A hazard ends in execution_failed and its sentence, a warning does not.
    Status launch(const Launch& launch);

    /// What counted launches have recorded since the last call.
    Counters take_counters();
    /// Of the launches since the last call: each place once, the most telling first.
    std::vector<Hazard> take_hazards();

    unsigned workers() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace tilewright::simt
