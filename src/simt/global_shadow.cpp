// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/global_shadow.h"

#include <algorithm>

namespace tilewright::simt {

bool Past::has(const Actor& actor) const {
    const auto block = blocks_.find(actor.block);
    if (block == blocks_.end()) return false;
    if (actor.epoch() < block->second.before_epoch) return true;
    const auto thread = block->second.threads.find(actor.thread());
    return thread != block->second.threads.end() && actor.epoch() <= thread->second;
}

void Past::add_block(uint32_t block, uint32_t before_epoch) {
    uint32_t& known = blocks_[block].before_epoch;
    known = std::max(known, before_epoch);
}

void Past::add_thread(uint32_t block, int thread, uint32_t through_epoch) {
    uint32_t& known = blocks_[block].threads[thread];
    known = std::max(known, through_epoch);
}

void Past::add(const Past& other) {
    for (const auto& [block, theirs] : other.blocks_) {
        add_block(block, theirs.before_epoch);
        for (const auto& [thread, epoch] : theirs.threads) add_thread(block, thread, epoch);
    }
}

bool GlobalShadow::access(int64_t element, int64_t count, const Record& record, const Actor& actor,
                          const Known& known, Conflict& conflict) {
    const auto ordered = [&](const Access& earlier) {
        if (earlier.stamp == 0) return true;
        if (earlier.block == actor.block) return known.order.before(earlier.stamp, actor.thread());
        return known.block.has(earlier.actor()) || known.thread.has(earlier.actor());
    };
    const bool is_atomic = record.operation == Operation::global_atomic || record.is_volatile;
    const bool reads =
        record.operation == Operation::global_load || record.operation == Operation::copy_load;
    const Access now{actor.stamp, actor.block, is_atomic, record.site};
    bool found = false;
    const auto check = [&](const Access& earlier) {
        // Atomics, and volatile accesses to a flag, are made for meeting others.
        if (found || ordered(earlier) || (earlier.is_atomic && is_atomic)) return;
        conflict = {earlier.block == actor.block ? HazardKind::thread_race : HazardKind::block_race,
                    earlier.actor(), earlier.site};
        found = true;
    };
    for (int64_t i = element; i < element + count; ++i) {
        const std::scoped_lock lock(locks_[i / kPage % kLocks]);
        auto& page = pages_[i / kPage];
        if (!page) page = std::make_unique<Element[]>(kPage);
        Element& e = page[i % kPage];
        check(e.write);
        if (reads) {
            // Another block's reader before one's own, which barriers order.
            if (e.read.stamp == 0 || e.read.block == actor.block || ordered(e.read)) e.read = now;
        } else {
            check(e.read);
            e = {now, {}};
        }
    }
    return found;
}

void GlobalShadow::publish(uintptr_t address, const Past& past) {
    const std::scoped_lock lock(publishing_);
    published_[address].add(past);
}

Past GlobalShadow::published(uintptr_t address) {
    const std::scoped_lock lock(publishing_);
    const auto found = published_.find(address);
    return found == published_.end() ? Past{} : found->second;
}

bool GlobalShadow::is_written(int64_t element) const {
    const auto& page = pages_[element / kPage];
    return page && page[element % kPage].write.stamp != 0;
}

}  // namespace tilewright::simt
