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
        const Actor other{actor.launch, earlier.block, earlier.stamp};
        return earlier.stamp == 0 ||
               (other.block == actor.block && known.order.before(earlier.stamp, actor.thread())) ||
               known.block.has(other) || known.thread.has(other);
    };
    const bool is_atomic = record.operation == Operation::global_atomic || record.is_flag;
    const Access now{actor.stamp, actor.block, is_atomic, record.site};
    bool found = false;
    const auto check = [&](const Access& earlier) {
        // Atomics, and accesses to a flag, are made for meeting others.
        if (found || ordered(earlier) || (earlier.is_atomic && is_atomic)) return;
        conflict = {earlier.block == actor.block ? HazardKind::thread_race : HazardKind::block_race,
                    {actor.launch, earlier.block, earlier.stamp},
                    earlier.site};
        found = true;
    };
    for (int64_t i = element; i < element + count; ++i) {
        const std::scoped_lock lock(locks_[i / kElements % kLocks]);
        auto& page = pages_[i / kElements];
        if (!page) page = std::make_unique<Page>();
        if (page->launch != actor.launch) {
            page->elements.fill({});
            page->launch = actor.launch;
        }
        Element& e = page->elements[i % kElements];
        check(e.write);
        if (is_load(record.operation)) {
            const auto old = std::find_if(e.reads.begin(), e.reads.end(), ordered);
            if (old != e.reads.end()) *old = now;
            continue;
        }
        for (const Access& read : e.reads) check(read);
        e = {now, {}};
        page->written.set(i % kElements);
    }
    return found;
}

void GlobalShadow::publish(uint32_t launch, uintptr_t address, const Past& past) {
    const std::scoped_lock lock(publishing_);
    published_[{launch, address}].add(past);
}

Past GlobalShadow::published(uint32_t launch, uintptr_t address) {
    const std::scoped_lock lock(publishing_);
    const auto found = published_.find({launch, address});
    return found == published_.end() ? Past{} : found->second;
}

bool GlobalShadow::is_written(int64_t element) const {
    const auto& page = pages_[element / kElements];
    return page && page->written[element % kElements];
}

}  // namespace tilewright::simt
