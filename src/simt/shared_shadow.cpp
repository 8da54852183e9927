// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/shared_shadow.h"

#include <algorithm>
#include <bit>

namespace tilewright::simt {

void SharedShadow::begin_block() {
    missed_.clear();
    remote_loads_.clear();
    for (Reads& reads : more_reads_)
        if (reads.word) forget(reads);
}

void SharedShadow::declare(size_t offset, size_t bytes) {
    const size_t first = offset / kWordBytes, last = (offset + bytes + kWordBytes - 1) / kWordBytes;
    std::fill(words_.begin() + first, words_.begin() + last, Word{});
}

bool SharedShadow::access(size_t offset, const Record& record, int thread, uint32_t position,
                          const Order& order, Conflict& conflict) {
    const bool reads = is_load(record.operation);
    const Access now{order.now(thread), record.site, position};
    bool found = false;
    for (size_t i = offset / kWordBytes; i * kWordBytes < offset + record.bytes; ++i) {
        Conflict here;
        const bool conflicts = reads ? read(words_[i], record, now, order, here)
                                     : write(words_[i], record, now, order, here);
        if (conflicts && !found) conflict = here;
        found |= conflicts;
    }
    return found;
}

bool SharedShadow::read(Word& word, const Record& record, const Access& now, const Order& order,
                        Conflict& conflict) {
    // A write would have forgotten the reads: nothing is new.
    if (word.reads[0].stamp == now.stamp || word.reads[1].stamp == now.stamp) return false;
    const int thread = Order::thread_of(now.stamp), writer = Order::thread_of(word.write.stamp);
    const bool ordered = order.before(word.write.stamp, thread);
    const bool reads_first = !ordered && now.position < word.write.position;
    if (word.in_copy) {
        conflict = {reads_first ? HazardKind::write_after_read : HazardKind::incomplete_copy,
                    writer, word.write.site};
        return true;
    }
    note_read(word, now, order);
    if (word.write.stamp == 0 && !word.is_missed) {
        word.is_missed = true;
        missed_.push_back({&word, {record, thread}});
    }
    if (ordered || (word.is_atomic && record.is_flag)) return false;
    conflict = {reads_first ? HazardKind::write_after_read : HazardKind::read_after_write, writer,
                word.write.site};
    return true;
}

void SharedShadow::note_read(Word& word, const Access& read, const Order& order) {
    const int thread = Order::thread_of(read.stamp);
    for (Access& known : word.reads) {
        // Whoever is ordered after the new read is so after the old one.
        if (!order.before(known.stamp, thread)) continue;
        known = read;
        return;
    }
    // Two threads' reads in one epoch: a write of that epoch conflicts with one of them, unless
    // something finer than the block's barrier has ordered just these.
    if (!order.is_fine()) return;
    std::vector<Access>& more = more_reads_of(word).all;
    // Forgetting those that the new one stands for costs a look at each: only as the list doubles.
    if (more.size() >= 16 && std::has_single_bit(more.size()))
        std::erase_if(more, [&](const Access& known) { return order.before(known.stamp, thread); });
    more.push_back(read);
}

SharedShadow::Reads& SharedShadow::more_reads_of(Word& word) {
    if (word.more_reads == 0) {
        if (free_.empty()) {
            free_.push_back(static_cast<uint32_t>(more_reads_.size()));
            more_reads_.emplace_back();
        }
        word.more_reads = free_.back();
        free_.pop_back();
        more_reads_[word.more_reads].word = &word;
    }
    return more_reads_[word.more_reads];
}

void SharedShadow::forget(Reads& reads) {
    free_.push_back(static_cast<uint32_t>(&reads - more_reads_.data()));
    reads.word->more_reads = 0;
    reads.word = nullptr;
    reads.all.clear();
}

bool SharedShadow::write(Word& word, const Record& record, const Access& now, const Order& order,
                         Conflict& conflict) {
    const int thread = Order::thread_of(now.stamp);
    const bool is_atomic = record.operation == Operation::shared_atomic || record.is_flag;
    bool found = false;
    const auto check = [&](HazardKind kind, const Access& earlier) {
        if (found || earlier.stamp == 0 || order.before(earlier.stamp, thread)) return;
        conflict = {kind, Order::thread_of(earlier.stamp), earlier.site};
        found = true;
    };
    const auto check_read = [&](const Access& read) {
        check(read.position < now.position ? HazardKind::write_after_read
                                           : HazardKind::read_after_write,
              read);
    };
    if (word.in_copy) {
        conflict = {HazardKind::incomplete_copy, Order::thread_of(word.write.stamp),
                    word.write.site};
        return true;
    }
    if (!is_atomic || !word.is_atomic) check(HazardKind::write_after_write, word.write);
    for (const Access& read : word.reads) check_read(read);
    if (word.more_reads) {
        for (const Access& read : more_reads_of(word).all) check_read(read);
        forget(more_reads_of(word));
    }
    if (is_atomic && word.write.stamp == 0 && !word.is_missed)
        missed_.push_back({&word, {record, thread}});
    else if (word.is_missed && found)  // told as a race instead
        std::erase_if(missed_, [&](const auto& missed) { return missed.first == &word; });
    word.write = now;
    word.is_atomic = is_atomic;
    word.is_missed = false;
    word.reads = {};
    return found;
}

/// A thread's newest load stands for its older ones.
void SharedShadow::note(std::vector<RemoteLoad>& loads, const RemoteLoad& load) {
    const auto same = std::find_if(loads.begin(), loads.end(), [&](const RemoteLoad& known) {
        return known.rank == load.rank &&
               Order::thread_of(known.stamp) == Order::thread_of(load.stamp);
    });
    if (same == loads.end())
        loads.push_back(load);
    else
        *same = load;
}

std::vector<SharedShadow::RemoteLoad> SharedShadow::take_remote_loads(size_t offset, size_t bytes) {
    std::vector<RemoteLoad> all;
    for (size_t i = offset / kWordBytes; i * kWordBytes < offset + bytes; ++i) {
        const auto found = remote_loads_.find(i);
        if (found == remote_loads_.end()) continue;
        all.insert(all.end(), found->second.begin(), found->second.end());
        remote_loads_.erase(found);
    }
    return all;
}

std::vector<SharedShadow::RemoteLoad> SharedShadow::take_remote_loads() {
    std::vector<RemoteLoad> all;
    for (const auto& [word, loads] : remote_loads_)
        all.insert(all.end(), loads.begin(), loads.end());
    remote_loads_.clear();
    return all;
}

std::vector<SharedShadow::Uninitialised> SharedShadow::take_uninitialised() {
    std::vector<Uninitialised> all;
    for (const auto& missed : missed_) all.push_back(missed.second);
    missed_.clear();
    return all;
}

void SharedShadow::begin_copy(size_t offset, size_t bytes) {
    for (size_t i = offset / kWordBytes; i * kWordBytes < offset + bytes; ++i)
        words_[i].in_copy = true;
}

void SharedShadow::end_copy(size_t offset, size_t bytes, Order::Stamp by) {
    for (size_t i = offset / kWordBytes; i * kWordBytes < offset + bytes; ++i) {
        words_[i].write.stamp = by;
        words_[i].in_copy = false;
    }
}

}  // namespace tilewright::simt
