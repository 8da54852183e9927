// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The CPU machine: runs a kernel's grid on worker threads, each block as warps of fibers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/status.h"
#include "simt/counters.h"

namespace tilewright::simt {

struct Dim3 {
    unsigned x, y, z;
    constexpr Dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr uint64_t count() const { return uint64_t{x} * y * z; }
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

    /// Calls `thread` once for each thread of the grid. With `counted` its accesses are checked
    /// and recorded; a fault ends in execution_failed and a sentence naming the place.
    Status launch(Dim3 grid, Dim3 block, bool counted, const std::function<void()>& thread);

    /// What counted launches have recorded since the last call.
    Counters take_counters();

    unsigned workers() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace tilewright::simt
