// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/cluster.h"

#include <algorithm>

#include "simt/words.h"

namespace tilewright::simt {

using Thread = BlockRunner::Thread;

void Cluster::start(const Launch& launch, uint32_t launch_number, uint64_t first_block,
                    uint64_t seed) {
    blocks_.resize(launch.cluster);
    phases_ = 0;
    arriving_.done.assign(launch.cluster, {});
    arriving_.released.assign(launch.cluster, {});
    turned_ = seed != 0 && (seed + first_block / launch.cluster) % 2 == 1;
    for (unsigned rank = 0; rank < launch.cluster; ++rank) {
        if (!blocks_[rank]) blocks_[rank] = std::make_unique<BlockRunner>();
        blocks_[rank]->start(launch, launch_number, first_block + rank, seed, *this, rank);
    }
}

Cluster::Progress Cluster::step() {
    Progress best = Progress::none;
    bool any_live = false, any_polls = false;
    for (size_t i = 0; i < blocks_.size(); ++i) {
        BlockRunner& block = *blocks_[turned_ ? blocks_.size() - 1 - i : i];
        if (!block.is_live()) continue;
        best = std::max(best, block.step());
        any_live |= block.is_live();
        any_polls |= block.polls();
    }
    if (!any_live) return Progress::ended;
    if (best == Progress::none && !any_polls) {
        abandon(HazardKind::block_deadlock, "");
        return Progress::ended;
    }
    return std::min(best, Progress::made);
}

void Cluster::expect_news() {
    for (const auto& block : blocks_) block->expect_news();
}

void Cluster::abandon(HazardKind deadlock, const std::string& why) {
    for (const auto& block : blocks_)
        if (block->is_live()) block->abandon(deadlock, why);
}

bool Cluster::has_others(const BlockRunner& block) const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& other) {
        return other.get() != &block && other->is_live();
    });
}

void Cluster::arrive(BlockRunner& block, bool releases) {
    const int thread = block.thread().number;
    block.order().release(thread, arriving_.done[block.rank()]);
    if (releases) block.order().release(thread, arriving_.released[block.rank()]);
}

void Cluster::advance() {
    for (const auto& block : blocks_)
        for (const auto& thread : block->threads())
            if (thread->is_live() && thread->cluster_arrived <= phases_) return;
    if (blocks_.front()->launch().counted) {
        warn_of_ended();
        arriving_.past = {};
        for (const auto& block : blocks_) {
            const auto number = static_cast<uint32_t>(block->block_number());
            bool any = false;
            for (const auto& thread : block->threads()) {
                if (!thread->is_live() || !thread->arrival_releases) continue;
                any = true;
                arriving_.past.add(thread->past);
                arriving_.past.add_thread(number, thread->number, block->epoch());
            }
            if (!any) continue;
            arriving_.past.add(block->past());
            arriving_.past.add_block(number, block->epoch());
        }
        completed_[phases_ % 2] = arriving_;
    }
    ++phases_;
}

void Cluster::warn_of_ended() const {
    for (const auto& block : blocks_) {
        const Thread* first = nullptr;
        int live = 0;
        for (const auto& thread : block->threads()) {
            if (!thread->is_live()) continue;
            if (live++ == 0) first = thread.get();
        }
        const auto ended = std::ssize(block->threads()) - live;
        if (ended == 0 || !first) continue;
        block->report(HazardKind::exited_thread, first->arrived_at,
                      std::to_string(live) + " threads arrive at the cluster's barrier, " +
                          std::to_string(ended) + " have ended",
                      first->number);
    }
}

void Cluster::take_over(BlockRunner& block, uint64_t phases) {
    const Phase& phase = completed_[(phases - 1) % 2];
    block.order().acquire(block.thread().number, phase.released[block.rank()]);
    block.take_over(phases, phase.past);
}

bool Cluster::is_past_load(uint64_t phases, unsigned rank, Order::Stamp stamp) const {
    return phases > 0 && blocks_[rank]->order().has(completed_[(phases - 1) % 2].done[rank], stamp);
}

bool Cluster::is_past_store(uint64_t phases, unsigned rank, Order::Stamp stamp) const {
    return phases > 0 &&
           blocks_[rank]->order().has(completed_[(phases - 1) % 2].released[rank], stamp);
}

BlockRunner& Cluster::owner_of(uintptr_t address) const {
    return **std::find_if(blocks_.begin(), blocks_.end(),
                          [&](const auto& block) { return block->shared().contains(address); });
}

// --- a block in its cluster

bool BlockRunner::release_cluster() {
    const auto waits = [](const auto& thread) {
        return thread->state == Thread::State::at_cluster;
    };
    if (std::ranges::none_of(threads(), waits)) return false;
    cluster_->advance();
    bool released = false;
    for (const auto& thread : threads()) {
        if (!waits(thread) || cluster_->phases() <= thread->cluster_waited) continue;
        thread->state = Thread::State::ready;
        released = true;
    }
    return released;
}

void BlockRunner::take_over(uint64_t phases, const Past& past) {
    if (cluster_phases_ >= phases) return;
    cluster_phases_ = phases;
    past_.add(past);
}

// --- words

unsigned cluster_rank() {
    return BlockRunner::current().rank();
}

void cluster_arrive(bool releases, Site site) {
    BlockRunner& block = BlockRunner::current();
    Thread& thread = block.thread();
    if (thread.cluster_arrived > thread.cluster_waited)
        return block.report(HazardKind::excess_arrival, site,
                            "a thread that has not waited for the cluster's barrier since it "
                            "arrived there last");
    ++thread.cluster_arrived;
    thread.arrived_at = site;
    thread.arrival_releases = releases;
    if (block.launch().counted) block.cluster().arrive(block, releases);
}

void cluster_wait(Site site) {
    BlockRunner& block = BlockRunner::current();
    Thread& thread = block.thread();
    while (block.cluster().phases() <= thread.cluster_waited)
        block.stop(Thread::State::at_cluster, site);
    ++thread.cluster_waited;
    if (block.launch().counted) block.cluster().take_over(block, thread.cluster_waited);
}

Place map_shared_rank(const Place& place, unsigned rank) {
    BlockRunner& block = BlockRunner::current();
    const auto blocks = block.cluster().blocks();
    if (rank < blocks.size()) return blocks[rank]->shared().counterpart(block.shared(), place);
    block.report(
        HazardKind::out_of_bounds, place.site,
        "block " + std::to_string(rank) + " of a cluster of " + std::to_string(blocks.size()));
    return place;
}

}  // namespace tilewright::simt
