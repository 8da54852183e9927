// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// When threads of a block that wait for each other go on: in a warp, in the block, or for a condition.
// That of a cluster's is cluster.cpp's.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "simt/block.h"

namespace tilewright::simt {

using Thread = BlockRunner::Thread;

/// Lanes that wait for each other in this state and are all there; none if there are no such.
std::vector<int> BlockRunner::together_in(int warp, Thread::State state) const {
    const int first = warp * kWarpSize;
    const int lanes = std::min(kWarpSize, thread_count_ - first);
    for (int l = 0; l < lanes; ++l) {
        if (threads_[first + l]->state != state) continue;
        const uint32_t mask = threads_[first + l]->mask;
        std::vector<int> together;
        bool complete = true;
        for (int other = 0; other < lanes; ++other) {
            const Thread& thread = *threads_[first + other];
            if (!thread.is_live() || !(mask >> other & 1)) continue;
            complete &= thread.state == state && thread.mask == mask;
            together.push_back(first + other);
        }
        if (complete) return together;
    }
    return {};
}

bool BlockRunner::release_warp(int warp) {
    const std::vector<int> together = together_in(warp, Thread::State::at_warp);
    if (together.empty()) return false;
    order_.meet(together);
    for (const int number : together) {
        threads_[number]->state = Thread::State::ready;
        threads_[number]->lane.shared_accesses = 0;
    }
    const int first = warp * kWarpSize;
    const auto live = std::count_if(threads_.begin() + first,
                                    threads_.begin() + std::min(first + kWarpSize, thread_count_),
                                    [](const auto& thread) { return thread->is_live(); });
    if (std::ssize(together) == live && launch_->counted) account_.end_epoch();
    return true;
}

bool BlockRunner::release_shuffle(int warp) {
    const std::vector<int> together = together_in(warp, Thread::State::at_shuffle);
    if (together.empty()) return false;
    std::array<uint32_t, kWarpSize> given;
    given.fill(kUndefinedWord);
    for (const int number : together) given[number % kWarpSize] = threads_[number]->shuffled;
    for (const int number : together) {
        threads_[number]->shuffled = given[threads_[number]->partner];
        threads_[number]->state = Thread::State::ready;
    }
    return true;
}

/// An mma is all lanes' together: made as soon as none that is missing can still come.
bool BlockRunner::release_mma(int warp) {
    using enum Thread::State;
    const int first = warp * kWarpSize;
    const auto begin = threads_.begin() + first;
    const auto end = begin + std::min(kWarpSize, thread_count_ - first);
    const auto is = [](auto... states) {
        return [=](const auto& thread) { return ((thread->state == states) || ...); };
    };
    const auto leader = std::find_if(begin, end, is(at_mma));
    if (leader == end || std::any_of(begin, end, is(ready, log_full, waiting, polling)))
        return false;
    const Site site = (*leader)->stopped_at;
    std::array<MmaFragments, kWarpSize> lanes;
    const float nothing = std::bit_cast<float>(kUndefinedWord);
    lanes.fill({.a = {nothing, nothing, nothing, nothing}, .b = {nothing, nothing}});
    const Factor factor = (*leader)->mma.factor;
    int together = 0;
    for (auto thread = leader; thread != end; ++thread) {
        if ((*thread)->state != at_mma || (*thread)->stopped_at != site) continue;
        lanes[thread - begin] = (*thread)->mma;
        (*thread)->state = ready;
        ++together;
    }
    if (together < kWarpSize && launch_->counted) report_divergent_mma(**leader, together);
    multiply(lanes);
    if (launch_->counted) count_mma(site, uint64_t{16} * 8 * depth(factor));
    return true;
}

void BlockRunner::count_mma(Site site, uint64_t products) {
    account_.count(Operation::mma, site, 1);
    counters_.mma += 1;
    counters_.mma_products += products;
}

bool BlockRunner::release_waiting() {
    bool released = false;
    for (int i = 0; i < thread_count_; ++i) {
        Thread& thread = *threads_[i];
        if (thread.state != Thread::State::waiting || !thread.condition()) continue;
        thread.state = Thread::State::ready;
        released = true;
    }
    return released;
}

bool BlockRunner::release_barrier() {
    std::vector<Thread*> arrived;
    for (int i = 0; i < thread_count_; ++i) {
        if (!threads_[i]->is_live()) continue;
        if (threads_[i]->state != Thread::State::at_barrier) return false;
        arrived.push_back(threads_[i].get());
    }
    if (arrived.empty()) return false;
    if (launch_->counted) check_barrier(arrived);
    bool all_fenced = true;
    for (Thread* thread : arrived) {
        thread->state = Thread::State::ready;
        thread->lane.shared_accesses = 0;
        past_.add(thread->past);
        thread->past = {};
        unfenced_.add(thread->unfenced);
        all_fenced &= thread->has_fenced && thread->fence_epoch == epoch();
    }
    ++counters_.barriers;
    if (launch_->counted) report_uninitialised();
    order_.block_barrier();
    if (all_fenced) fenced_through_ = epoch();
    return true;
}

}  // namespace tilewright::simt
