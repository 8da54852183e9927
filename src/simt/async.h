// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A block's asynchronous copies and mbarriers.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
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
template <class Work>
class Groups {
  public:
    void add(const Work& work) { open_.push_back(work); }
    /// Keeps its memory: each thread of each block begins with none.
    void clear() { open_.clear(), committed_.clear(); }
    void commit() { committed_.push_back(std::exchange(open_, {})); }
    /// All but the newest `groups` committed ones.
    std::vector<Work> take(size_t groups) {
        std::vector<Work> taken;
        for (; committed_.size() > groups; committed_.pop_front())
            taken.insert(taken.end(), committed_.front().begin(), committed_.front().end());
        return taken;
    }
    /// Also those that are not committed.
    std::vector<Work> take_all() {
        commit();
        return take(0);
    }

  private:
    std::vector<Work> open_;
    std::deque<std::vector<Work>> committed_;
};
using CopyGroups = Groups<Copy>;

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
