// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A block's asynchronous copies and mbarriers.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include "simt/order.h"
#include "simt/trace.h"

namespace tilewright::simt {

/// Begun and not yet made.
struct Copy {
    std::byte* to;
    const std::byte* from;
    unsigned bytes, valid_bytes;  ///< The rest becomes zero.
    bool is_announced = false;  ///< Its bytes count for an mbarrier's phase.
};

/// One thread's, in groups that complete in order.
class CopyGroups {
  public:
    void add(const Copy& copy) { open_.push_back(copy); }
    void commit();
    /// All but the newest `groups` committed ones.
    std::vector<Copy> take(size_t groups);
    /// Also those that are not committed.
    std::vector<Copy> take_all();

  private:
    std::vector<Copy> open_;
    std::deque<std::vector<Copy>> committed_;
};

struct Mbarrier {
    unsigned count = 0, left = 0;  ///< Arrivals: of a phase, and still missing.
    uint64_t phase = 0;
    int64_t bytes = 0;  ///< Announced and not yet copied.
    std::vector<Copy> copies;  ///< Of this phase.
    Order::Published arriving;
    std::vector<Order::Published> completed;  ///< By phase.
    std::vector<int64_t> next_phase;  ///< That each thread may wait for; -1 is before the first.
    int agent = 0;  ///< Stands for the copies in Order.
    Order::Stamp initialised = 0;
    Site initialised_at;

    /// All have arrived and all announced bytes are on their way.
    bool is_ready() const;
    bool has_completed(unsigned parity) const { return (phase & 1) != (parity & 1); }
};

/// By address.
using Mbarriers = std::map<uintptr_t, Mbarrier>;

}  // namespace tilewright::simt
