// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/global_shadow.h"

#include <algorithm>

namespace tilewright::simt {

bool Past::has(const Actor& actor) const {
    const auto block = blocks_.find(actor.block);
    if (block == blocks_.end()) return false;
    if (actor.epoch < block->second.before_epoch) return true;
    const auto thread = block->second.threads.find(actor.thread);
    return thread != block->second.threads.end() && actor.epoch <= thread->second;
}

void Past::add(const Actor& actor) {
    Seen& seen = blocks_[actor.block];
    seen.before_epoch = std::max(seen.before_epoch, actor.epoch);
    uint32_t& through = seen.threads[actor.thread];
    through = std::max(through, actor.epoch);
}

void Past::add(const Past& other) {
    for (const auto& [block, theirs] : other.blocks_) {
        Seen& seen = blocks_[block];
        seen.before_epoch = std::max(seen.before_epoch, theirs.before_epoch);
        for (const auto& [thread, epoch] : theirs.threads) {
            uint32_t& through = seen.threads[thread];
            through = std::max(through, epoch);
        }
    }
}

GlobalShadow::Element& GlobalShadow::at(int64_t element) {
    auto& page = pages_[element / kPage];
    if (!page) page = std::make_unique<Element[]>(kPage);
    return page[element % kPage];
}

bool GlobalShadow::access(int64_t element, int64_t count, const Record& record, const Actor& actor,
                          const Known& known, Conflict& conflict) {
    const auto ordered = [&](const Access& earlier) {
        if (!earlier.exists) return true;
        const Actor& other = earlier.actor;
        if (other.block != actor.block) return known.block.has(other) || known.thread.has(other);
        return other.thread == actor.thread || other.epoch < actor.epoch || known.whole_block;
    };
    const bool is_atomic = record.operation == Operation::global_atomic;
    const bool reads =
        record.operation == Operation::global_load || record.operation == Operation::copy_load;
    const Access now{actor, record.site, true, is_atomic || record.is_volatile};
    bool found = false;
    const auto check = [&](HazardKind kind, const Access& earlier) {
        // Atomics, and volatile accesses to a flag, are made for meeting others.
        if (found || ordered(earlier) || (earlier.is_atomic && now.is_atomic)) return;
        if (earlier.actor.block != actor.block) kind = HazardKind::block_race;
        conflict = {kind, earlier.actor, earlier.site};
        found = true;
    };
    const std::scoped_lock lock(mutex_);
    for (int64_t i = element; i < element + count; ++i) {
        Element& e = at(i);
        if (reads) {
            check(HazardKind::read_after_write, e.write);
            // One reader is kept: another block's before one's own, which barriers order.
            if (!e.read.exists || e.read.actor.block == actor.block || ordered(e.read))
                e.read = now;
            continue;
        }
        check(HazardKind::write_after_write, e.write);
        check(HazardKind::write_after_read, e.read);
        e = {now, {}};
    }
    return found;
}

void GlobalShadow::publish(uintptr_t address, const Past& past) {
    const std::scoped_lock lock(mutex_);
    published_[address].add(past);
}

Past GlobalShadow::published(uintptr_t address) {
    const std::scoped_lock lock(mutex_);
    const auto found = published_.find(address);
    return found == published_.end() ? Past{} : found->second;
}

bool GlobalShadow::is_written(int64_t element) const {
    const auto& page = pages_[element / kPage];
    return page && page[element % kPage].write.exists;
}

}  // namespace tilewright::simt
