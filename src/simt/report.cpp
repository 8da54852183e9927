// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a block finds wrong with its threads, and how it says so.
#include <algorithm>
#include <map>

#include "simt/cluster.h"

namespace tilewright::simt {

namespace {

std::string text(Dim3 d) {
    return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) +
           ")";
}

std::string text(Site site) {
    return "line " + std::to_string(site.line()) + ", column " + std::to_string(site.column());
}

/// "shared load of 4 bytes at As[4]"
std::string text(const Record& access) {
    std::string operation = name_of(access.operation);
    std::replace(operation.begin(), operation.end(), '_', ' ');
    return operation + " of " + std::to_string(access.bytes) + " bytes at " +
           place_text(*access.extent, access.address);
}

}  // namespace

std::string place_text(const Extent& extent, uintptr_t address) {
    const int64_t element = static_cast<int64_t>(address - extent.begin) / extent.element_bytes;
    if (extent.ld == 0) return extent.name + ("[" + std::to_string(element) + "]");
    int64_t row = element / extent.ld, col = element % extent.ld;
    if (col < 0) --row, col += extent.ld;
    return extent.name + ("[" + std::to_string(row) + "][" + std::to_string(col) + "]");
}

void BlockRunner::check_barrier(const std::vector<Thread*>& arrived) {
    std::map<uint32_t, int> sites;
    for (const Thread* thread : arrived) ++sites[thread->stopped_at.packed];
    for (int warp = 0; warp < warp_count(); ++warp) {
        const auto in_warp = [&](const Thread* thread) {
            return thread->number / kWarpSize == warp;
        };
        const auto member = std::find_if(arrived.begin(), arrived.end(), in_warp);
        if (member != arrived.end()) account_.count(Operation::barrier, (*member)->stopped_at, 1);
    }
    const auto ended = thread_count_ - std::ssize(arrived);
    if (sites.size() == 1 && ended == 0) return;
    const Thread& first = *arrived.front();
    if (sites.size() > 1) {
        std::string what;
        for (const auto& [site, count] : sites)
            what += (what.empty() ? "" : ", ") + std::to_string(count) + " threads wait at " +
                    text(Site{site});
        report(HazardKind::divergent_barrier, first.stopped_at, what, first.number);
    } else {
        report(HazardKind::exited_thread, first.stopped_at,
               std::to_string(arrived.size()) + " threads wait, " + std::to_string(ended) +
                   " have ended",
               first.number);
    }
}

void BlockRunner::report_divergent_mma(const Thread& first, int together) {
    report(HazardKind::divergent_mma, first.stopped_at,
           std::to_string(together) + " lanes of the warp come to it", first.number);
}

std::string BlockRunner::where_threads_wait() const {
    using enum Thread::State;
    std::map<std::pair<std::string, uint32_t>, int> groups;
    for (int i = 0; i < thread_count_; ++i) {
        const Thread& thread = *threads_[i];
        if (!thread.is_live()) continue;
        const char* word = thread.state == at_barrier   ? "__syncthreads()"
                           : thread.state == at_warp    ? "__syncwarp()"
                           : thread.state == at_shuffle ? "a shuffle"
                           : thread.state == at_mma     ? "an mma"
                           : thread.state == waiting    ? "an mbarrier"
                           : thread.state == at_cluster ? "the cluster's barrier"
                                                        : "a flag";
        ++groups[{word, thread.stopped_at.packed}];
    }
    std::string sentence;
    for (const auto& [where, count] : groups)
        sentence += (sentence.empty() ? "" : ", ") + std::to_string(count) + " threads wait for " +
                    where.first + " at " + text(Site{where.second});
    return sentence;
}

std::string BlockRunner::block_text() const {
    return "block " + text(unflatten(block_number_, launch_->grid));
}

std::string BlockRunner::thread_text(int number) const {
    return number < thread_count_ ? "thread " + text(threads_[number]->index) : "a bulk copy";
}

std::string BlockRunner::actor_text(const Actor& actor) const {
    return "block " + text(unflatten(actor.block, launch_->grid)) + ", thread " +
           text(unflatten(static_cast<uint64_t>(actor.thread()), launch_->block));
}

void BlockRunner::report(HazardKind kind, Site site, const std::string& what, int thread) {
    // Where several places are at fault, the sentence has named them.
    const bool names_place = what.find(text(site)) != what.npos;
    hazards_.add({.kind = kind,
                  .line = site.line(),
                  .column = site.column(),
                  .header = site.header(),
                  .block = block_number_,
                  .thread = thread,
                  .what = what + "; " + (site.packed && !names_place ? text(site) + ", " : "") +
                          block_text() + ", " + thread_text(thread),
                  .key = site.packed});
}

void BlockRunner::report_conflict(HazardKind kind, Site site, const std::string& what, int thread,
                                  Site other, const std::string& more) {
    const auto [first, last] = std::minmax(site.packed, other.packed);
    hazards_.add({.kind = kind,
                  .line = site.line(),
                  .column = site.column(),
                  .header = site.header(),
                  .block = block_number_,
                  .thread = thread,
                  .other_line = other.line(),
                  .other_column = other.column(),
                  .what = what + "; " + text(site) + ", " + block_text() + ", " +
                          thread_text(thread) + "; " + more + " at " + text(other),
                  .key = uint64_t{first} << 32 | last});
}

/// At a barrier, and at the block's end: what is still missing stays so.
void BlockRunner::report_uninitialised() {
    for (const auto& [record, thread] : shared_.shadow().take_uninitialised())
        report(HazardKind::uninitialised_shared, record.site, text(record), thread);
}

/// At the block's end: loads by others of the cluster that none of its threads knows to be past.
void BlockRunner::report_loads_at_end() {
    for (const auto& load : shared_.shadow().take_remote_loads())
        if (!cluster_->is_past_load(cluster_phases_, load.rank, load.stamp))
            cluster_->blocks()[load.rank]->report(
                HazardKind::ended_block, load.record.site,
                text(load.record) + " of " + block_text() + ", which does not wait for it",
                Order::thread_of(load.stamp));
}

void report_fault(const Record& access) {
    const Extent& extent = *access.extent;
    const uintptr_t size = extent.end - extent.begin;
    const bool outside = size < access.bytes || access.address - extent.begin > size - access.bytes;
    const std::string why =
        !outside ? ", whose address is no multiple of that"
        : extent.ld == 0
            ? ", which has " + std::to_string(size / extent.element_bytes) + " elements"
            : ", which is " + std::to_string(extent.rows) + " x " + std::to_string(extent.cols);
    BlockRunner::current().report(outside ? HazardKind::out_of_bounds : HazardKind::misaligned,
                                  access.site, text(access) + why);
}

namespace {

/// A store to what other blocks of the cluster have read.
void check_remote_loads(BlockRunner& block, const Record& store, size_t offset) {
    const Cluster& cluster = block.cluster();
    for (const auto& load : block.shared().shadow().take_remote_loads(offset, store.bytes)) {
        if (cluster.is_past_load(block.thread().cluster_waited, load.rank, load.stamp)) continue;
        const BlockRunner& reader = *cluster.blocks()[load.rank];
        block.report_conflict(HazardKind::write_after_read, store.site, text(store),
                              block.thread().number, load.record.site,
                              reader.block_text() + ", " +
                                  reader.thread_text(Order::thread_of(load.stamp)) + " reads it");
    }
}

}  // namespace

void check_shared(const Record& access) {
    BlockRunner& block = BlockRunner::current();
    const int thread = block.thread().number;
    const size_t offset = block.shared().offset_of(access.address);
    const bool reads = is_load(access.operation);
    SharedShadow& shadow = block.shared().shadow();
    if (!reads && shadow.has_remote_loads()) check_remote_loads(block, access, offset);
    Conflict earlier;
    if (!shadow.access(offset, access, thread, lane.shared_accesses, block.order(), earlier))
        return;
    // Told of the access that comes second in the program's order, whichever ran first here.
    const bool tells_read =
        earlier.kind == HazardKind::read_after_write || earlier.kind == HazardKind::incomplete_copy;
    const bool turned = earlier.kind != HazardKind::write_after_write && reads != tells_read;
    const std::string place = place_text(*access.extent, access.address);
    const std::string what = !turned      ? text(access)
                             : tells_read ? "shared load at " + place
                                          : "shared store at " + place;
    const bool same_warp = earlier.thread / kWarpSize == thread / kWarpSize;
    const std::string other = earlier.thread == thread
                                  ? "the same thread"
                                  : block.thread_text(turned ? thread : earlier.thread) +
                                        (same_warp ? " of the same warp" : "");
    const char* does = earlier.kind == HazardKind::incomplete_copy     ? " begins a copy to it"
                       : earlier.kind == HazardKind::write_after_write ? " writes it too"
                       : tells_read                                    ? " writes it"
                                                                       : " reads it";
    block.report_conflict(earlier.kind, turned ? earlier.site : access.site, what,
                          turned ? earlier.thread : thread, turned ? access.site : earlier.site,
                          other + does);
}

void check_cluster(const Record& access) {
    BlockRunner& block = BlockRunner::current();
    const Cluster& cluster = block.cluster();
    BlockRunner& owner = cluster.owner_of(access.address);
    if (&owner == &block) return check_shared(access);
    const BlockRunner::Thread& thread = block.thread();
    if (!owner.is_live())
        return block.report(HazardKind::ended_block, access.site,
                            text(access) + " of " + owner.block_text() + ", which has ended");
    Conflict earlier{};
    const auto is_past = [&](Order::Stamp stamp) {
        return cluster.is_past_store(thread.cluster_waited, owner.rank(), stamp);
    };
    if (!owner.shared().shadow().load_remotely(
            owner.shared().offset_of(access.address),
            {block.rank(), block.order().now(thread.number), access}, is_past, earlier))
        return;
    const std::string what = text(access) + " of " + owner.block_text();
    if (earlier.kind == HazardKind::uninitialised_shared)
        return block.report(earlier.kind, access.site, what);
    const char* does =
        earlier.kind == HazardKind::incomplete_copy ? " begins a copy to it" : " writes it";
    block.report_conflict(earlier.kind, access.site, what, thread.number, earlier.site,
                          owner.thread_text(earlier.thread) + " there" + does);
}

void check_global(const Record& access) {
    BlockRunner& block = BlockRunner::current();
    const Extent& extent = *access.extent;
    GlobalShadow::Conflict earlier;
    if (!extent.shadow->access(static_cast<int64_t>(access.address - extent.begin) / 4,
                               access.bytes / 4, access, block.actor(),
                               {block.order(), block.past(), block.thread().past}, earlier))
        return;
    block.report_conflict(earlier.kind, access.site, text(access), block.thread().number,
                          earlier.site, block.actor_text(earlier.actor) + " accesses it");
}

std::vector<Hazard> unwritten_elements(const Extent& matrix) {
    int64_t missing = 0, first = 0;
    for (int64_t row = 0; row < matrix.rows; ++row)
        for (int64_t i = row * matrix.ld; i < row * matrix.ld + matrix.cols; ++i)
            if (!matrix.shadow->is_written(i) && missing++ == 0) first = i;
    if (missing == 0) return {};
    return {{.kind = HazardKind::unwritten,
             .what = std::to_string(missing) + " of " + std::to_string(matrix.rows * matrix.cols) +
                     " elements, first " + place_text(matrix, matrix.begin + first * 4)}};
}

void report_register(Site site) {
    BlockRunner::current().report(HazardKind::uninitialised_register, site,
                                  "an operand that nothing was written to");
}

}  // namespace tilewright::simt
