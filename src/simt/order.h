// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Which accesses of a block's threads are ordered by what synchronises them.
//
// Vector clocks as in FastTrack (Flanagan and Freund, PLDI 2009). A barrier of the whole block
// starts a new epoch, which orders everything before it, so that clocks are needed only for what
// synchronises fewer threads: __syncwarp and mbarriers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::simt {

class Order {
  public:
    /// When and by whom: epoch, clock, thread. 0 is never.
    using Stamp = uint64_t;

    static constexpr int kThreads = 1024;
    /// Beside threads: the TMA as each of a block's mbarriers hears of it.
    static constexpr int kAgents = 64;

    /// What a synchronisation object hands on to those who wait for it.
    struct Published {
        uint64_t epoch = 0;
        std::vector<uint32_t> clocks;
    };

    void begin_block(int threads);
    void block_barrier() { ++epoch_; }  // 2^24 of one block would take hours
    /// From now on something finer than the block's barrier may order its threads.
    void refine() { fine_ = true; }

    Stamp now(int thread) const {
        return epoch_ << 40 | uint64_t{clocks_[thread]} << 16 | static_cast<unsigned>(thread);
    }
    static int thread_of(Stamp stamp) { return static_cast<int>(stamp & 0xffff); }
    static uint32_t epoch_of(Stamp stamp) { return static_cast<uint32_t>(stamp >> 40); }

    bool before(Stamp stamp, int thread) const {
        if (stamp >> 40 < epoch_ || thread_of(stamp) == thread) return true;
        const Published& view = views_[thread];
        return view.epoch == epoch_ &&
               view.clocks[index_of(thread_of(stamp))] >= (stamp >> 16 & 0xffffff);
    }

    /// Whether what was handed on has it in its past.
    bool has(const Published& published, Stamp stamp) const {
        const uint64_t epoch = stamp >> 40;
        return epoch < published.epoch ||
               (epoch == published.epoch &&
                published.clocks[index_of(thread_of(stamp))] >= (stamp >> 16 & 0xffffff));
    }

    /// What the thread did and saw until now is handed on; later it is someone else's past.
    void release(int thread, Published& to);
    void acquire(int thread, const Published& from) { join(views_[thread], from); }
    /// All these threads release, then all acquire.
    void meet(std::span<const int> threads);

    bool is_fine() const { return fine_; }

  private:
    void join(Published& into, const Published& from);
    void renew(Published& published);
    /// Agents come right behind the block's threads.
    size_t index_of(int thread) const {
        return static_cast<size_t>(thread < kThreads ? thread : threads_ + thread - kThreads);
    }

    int threads_ = 0;
    uint64_t epoch_ = 0;
    bool fine_ = false;
    std::array<uint32_t, kThreads + kAgents> clocks_{};
    std::array<Published, kThreads + kAgents> views_;
};

}  // namespace tilewright::simt
