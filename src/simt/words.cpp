// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/words.h"

#include <algorithm>

#include "simt/block.h"

namespace tilewright::simt {

using State = BlockRunner::Thread::State;

void syncthreads(Site site) {
    BlockRunner::current().stop(State::at_barrier, site);
}

void syncwarp(uint32_t mask, Site site) {
    BlockRunner& block = BlockRunner::current();
    block.thread().mask = mask;
    block.stop(State::at_warp, site);
}

uint32_t shuffle_xor(uint32_t mask, uint32_t value, int lane_mask, Site site) {
    BlockRunner& block = BlockRunner::current();
    BlockRunner::Thread& thread = block.thread();
    thread.mask = mask;
    thread.shuffled = value;
    thread.partner = (thread.number ^ lane_mask) % kWarpSize;
    block.stop(State::at_shuffle, site);
    return thread.shuffled;
}

void drain_log() {
    BlockRunner& block = BlockRunner::current();
    BlockRunner::Thread& thread = block.thread();
    const Record* begin = block.log_of_running();
    const Record& newest = lane.end[-1];
    // A log full of loads of one word, and nothing computed: the thread waits for someone to write.
    const bool loads_one_word =
        is_load(newest.operation) &&
        std::all_of(begin, static_cast<const Record*>(lane.end), [&](const Record& r) {
            return r.site == newest.site && r.address == newest.address;
        });
    const bool computes = lane.ffma->site != thread.ffma_at_drain.site ||
                          lane.ffma->count != thread.ffma_at_drain.count;
    thread.ffma_at_drain = *lane.ffma;
    if (!loads_one_word || computes) return block.stop(State::log_full, newest.site);
    block.report(
        HazardKind::plain_spin, newest.site,
        "the same element is loaded over and over: " + place_text(*newest.extent, newest.address));
    block.stop(State::polling, newest.site);
}

void count_ffma_at(Site site) {
    auto& counts = BlockRunner::current().thread().ffma;
    auto same = std::find_if(counts.begin(), counts.end(),
                             [&](const FfmaCount& each) { return each.site == site; });
    if (same == counts.end()) same = counts.insert(counts.end(), {site});
    lane.ffma = &*same;
}

// --- between blocks

void threadfence() {
    BlockRunner& block = BlockRunner::current();
    BlockRunner::Thread& thread = block.thread();
    thread.past.add(thread.unfenced);
    thread.past.add(block.unfenced());
    thread.unfenced = {};
    thread.has_fenced = true;
    thread.fence_epoch = block.epoch();
}

void hand_on(const Place& flag, bool release) {
    if (!flag.extent || !flag.extent->shadow) return;
    BlockRunner& block = BlockRunner::current();
    const BlockRunner::Thread& thread = block.thread();
    Past past = block.past();
    past.add(thread.past);
    const uint32_t number = block.actor().block;
    const auto add = [&](uint32_t epoch) {
        past.add_block(number, epoch);
        past.add_thread(number, thread.number, epoch);
    };
    if (release)
        add(block.epoch());
    else if (thread.has_fenced)
        add(thread.fence_epoch);
    past.add_block(number, block.fenced_through());
    flag.extent->shadow->publish(block.actor().launch, reinterpret_cast<uintptr_t>(flag.address),
                                 past);
}

void take_over(const Place& flag, bool acquire) {
    if (!flag.extent || !flag.extent->shadow) return;
    BlockRunner& block = BlockRunner::current();
    BlockRunner::Thread& thread = block.thread();
    (acquire ? thread.past : thread.unfenced)
        .add(flag.extent->shadow->published(block.actor().launch,
                                            reinterpret_cast<uintptr_t>(flag.address)));
}

bool has_polled(const void* address) {
    const BlockRunner::Thread& thread = BlockRunner::current().thread();
    return thread.stores_before_polls == lane.stores &&
           std::any_of(thread.polled.begin(), thread.polled.end(),
                       [&](const auto& poll) { return poll.first == address; });
}

void poll(const void* address, uint64_t value, Site site) {
    BlockRunner& block = BlockRunner::current();
    BlockRunner::Thread& thread = block.thread();
    if (thread.stores_before_polls != lane.stores) thread.polled.clear();
    thread.stores_before_polls = lane.stores;
    const auto known = std::find_if(thread.polled.begin(), thread.polled.end(),
                                    [&](const auto& poll) { return poll.first == address; });
    if (known != thread.polled.end() && known->second == value)
        return block.stop(State::polling, site);
    if (known == thread.polled.end())
        thread.polled.emplace_back(address, value);
    else
        known->second = value;
    thread.has_news = true;
}

}  // namespace tilewright::simt
