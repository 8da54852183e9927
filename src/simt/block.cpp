// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/block.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "simt/cluster.h"

namespace tilewright::simt {

constinit thread_local Lane lane;
constinit thread_local Dim3 thread_index, block_index, block_extent, grid_extent;

namespace {

constinit thread_local BlockRunner* running_block = nullptr;

/// Thrown into threads that will never go on, to leave their stacks in order.
struct Abandoned {};

}  // namespace

BlockRunner::BlockRunner() : log_(kWarpSize * kLogRecords) {}

BlockRunner& BlockRunner::current() {
    return *running_block;
}

void BlockRunner::start(const Launch& launch, uint32_t launch_number, uint64_t block_number,
                        uint64_t seed, Cluster& cluster, unsigned rank) {
    launch_ = &launch;
    cluster_ = &cluster;
    rank_ = rank;
    cluster_phases_ = 0;
    launch_number_ = launch_number;
    block_number_ = block_number;
    thread_count_ = static_cast<int>(launch.block.count());
    shared_.begin_block(launch.dynamic_bytes, launch.counted);
    order_.begin_block(thread_count_);
    mbarriers_.clear();
    fenced_through_ = 0;
    past_ = unfenced_ = {};
    abandoned_ = false;
    steps_in_vain_ = 0;
    while (std::ssize(threads_) < thread_count_) threads_.push_back(std::make_unique<Thread>());
    for (int i = 0; i < thread_count_; ++i) {
        Thread& thread = *threads_[i];
        thread.state = Thread::State::ready;
        thread.number = i;
        thread.index = unflatten(i, launch.block);
        thread.runner = this;
        thread.polled.clear();
        thread.copies.clear();
        thread.wgmmas.clear();
        thread.past = thread.unfenced = {};
        thread.has_fenced = false;
        thread.cluster_arrived = thread.cluster_waited = 0;
        thread.ffma.assign(1, {});
        thread.lane = {.ffma = thread.ffma.data()};
        thread.fiber.start(&BlockRunner::thread_main, &thread);
    }
    // Blocks run in any order on any worker; the order within one depends on its number alone.
    order_threads(seed ? seed + block_number : 0, warp_count());
    counters_.blocks += 1;
    counters_.warps += warp_count();
}

BlockRunner::Progress BlockRunner::step() {
    running_block = this;
    block_index = unflatten(block_number_, launch_->grid);
    block_extent = launch_->block;
    grid_extent = launch_->grid;
    for (Progress progress = Progress::none;; progress = Progress::made) {
        Progress pass = Progress::none;
        for (const int warp : warp_order_) pass = std::max(pass, run_warp(warp));
        if (release_waiting() || release_barrier() || release_cluster()) pass = Progress::made;
        if (!is_live()) {
            if (launch_->counted) report_uninitialised(), report_loads_at_end();
            return Progress::ended;
        }
        if (pass == Progress::made) {
            steps_in_vain_ = 0;
            continue;
        }
        const auto any = [&](auto condition) {
            return std::any_of(threads().begin(), threads().end(), condition);
        };
        if (polls()) {
            const bool looks_elsewhere =
                any([&](const auto& thread) { return thread->polled.size() > steps_in_vain_; });
            ++steps_in_vain_;
            return std::max({progress, pass, looks_elsewhere ? Progress::maybe : Progress::none});
        }
        const bool waits_for_others =
            any([](const auto& thread) { return thread->state == Thread::State::at_cluster; });
        if (waits_for_others && cluster_->has_others(*this)) return std::max(progress, pass);
        abandon(HazardKind::block_deadlock, "");
        return Progress::ended;
    }
}

bool BlockRunner::is_live() const {
    return std::any_of(threads().begin(), threads().end(),
                       [](const auto& thread) { return thread->is_live(); });
}

bool BlockRunner::polls() const {
    return std::any_of(threads().begin(), threads().end(),
                       [](const auto& thread) { return thread->state == Thread::State::polling; });
}

void BlockRunner::order_threads(uint64_t seed, int warps) {
    warp_order_.resize(warps);
    std::iota(warp_order_.begin(), warp_order_.end(), 0);
    std::iota(lane_order_.begin(), lane_order_.end(), 0);
    if (seed == 0) return;
    std::mt19937_64 random(seed);
    std::shuffle(warp_order_.begin(), warp_order_.end(), random);
    std::shuffle(lane_order_.begin(), lane_order_.end(), random);
}

void BlockRunner::thread_main(void* argument) {
    auto& thread = *static_cast<Thread*>(argument);
    try {
        thread.runner->launch_->thread();
    } catch (const Abandoned&) {
    } catch (const std::exception& error) {
        // An exception must not leave the fiber's stack: the launch reports it like a fault.
        thread.runner->report(HazardKind::exception, {}, error.what());
    } catch (...) {
        thread.runner->report(HazardKind::exception, {}, "the kernel threw something");
    }
    thread.state = Thread::State::ended;
    thread.fiber.finish();
}

BlockRunner::Progress BlockRunner::run_warp(int warp) {
    Progress progress = Progress::none;
    const int first = warp * kWarpSize;
    const int lanes = std::min(kWarpSize, thread_count_ - first);
    if (launch_->counted) {
        for (int l = 0; l < lanes; ++l) {
            Record* log = log_.data() + l * kLogRecords;
            Lane& lane = threads_[first + l]->lane;
            lane.next = log;
            lane.end = log + kLogRecords;
        }
    }
    int full_logs = 0;
    for (bool again = true; again;) {
        progress = std::max(progress, run_lanes(warp));
        if (launch_->counted) fold_logs(warp);
        again = false;
        for (int l = 0; l < lanes; ++l) {
            Thread& thread = *threads_[first + l];
            if (thread.state != Thread::State::log_full) continue;
            thread.state = Thread::State::ready;
            again = true;
        }
        // Whoever goes on so long may wait for another warp.
        if (again && ++full_logs == kMostFullLogs) break;
        again |= release_warp(warp) || release_shuffle(warp) || release_mma(warp);
    }
    if (!launch_->counted || progress == Progress::none) return progress;
    account_.end_epoch();
    fold_ffma(warp);
    return progress;
}

/// Each lane once.
BlockRunner::Progress BlockRunner::run_lanes(int warp) {
    Progress progress = Progress::none;
    const int first = warp * kWarpSize;
    for (const int l : lane_order_) {
        if (first + l >= thread_count_ || !threads_[first + l]->can_run()) continue;
        Thread& thread = *threads_[first + l];
        const uint32_t stores = thread.lane.stores;
        const Record* logged = thread.lane.next;
        thread.has_news = false;
        resume(thread);
        if (thread.state != Thread::State::polling || thread.lane.stores != stores ||
            thread.has_news)
            progress = Progress::made;
        else if (!launch_->counted || thread.lane.next != logged)
            progress = std::max(progress, Progress::maybe);
    }
    return progress;
}

void BlockRunner::resume(Thread& thread) {
    running_ = &thread;
    thread_index = thread.index;
    lane = thread.lane;
    if (thread.state == Thread::State::polling) thread.state = Thread::State::ready;
    thread.fiber.resume();
    thread.lane = lane;
}

void BlockRunner::stop(Thread::State state, Site site) {
    Thread& thread = *running_;
    thread.state = state;
    thread.stopped_at = site;
    thread.fiber.pause();
    if (abandoned_) throw Abandoned{};
}

void BlockRunner::fold_logs(int warp) {
    std::array<std::span<const Record>, kWarpSize> logs;
    const int first = warp * kWarpSize;
    for (int l = 0; l < std::min(kWarpSize, thread_count_ - first); ++l) {
        Lane& lane = threads_[first + l]->lane;
        Record* log = log_.data() + l * kLogRecords;
        logs[l] = std::span<const Record>(log, lane.next);
        lane.next = log;
    }
    account_.add(logs);
}

/// A warp's FFMAs at one place are as many as its busiest lane's.
void BlockRunner::fold_ffma(int warp) {
    const int first = warp * kWarpSize;
    std::map<uint32_t, uint64_t> most;
    for (int l = 0; l < std::min(kWarpSize, thread_count_ - first); ++l) {
        for (FfmaCount& ffma : threads_[first + l]->ffma) {
            uint64_t& count = most[ffma.site.packed];
            count = std::max(count, ffma.count);
            ffma.count = 0;
        }
    }
    for (const auto& [site, count] : most) {
        if (count == 0) continue;
        account_.count(Operation::ffma, {site}, count);
        counters_.ffma += count;
    }
}

void BlockRunner::abandon(HazardKind deadlock, const std::string& why) {
    running_block = this;
    block_index = unflatten(block_number_, launch_->grid);
    const auto first = std::find_if(threads_.begin(), threads_.end(),
                                    [](const auto& thread) { return thread->is_live(); });
    report(deadlock, (*first)->stopped_at, where_threads_wait() + why, (*first)->number);
    abandoned_ = true;
    for (int i = 0; i < thread_count_; ++i)
        if (threads_[i]->is_live()) resume(*threads_[i]);
    if (!launch_->counted) return;
    account_.end_epoch();
    report_uninitialised();
}

void BlockRunner::drain_into(Counters& total, uint64_t weight) {
    account_.drain_into(total, weight);
    total.ffma += counters_.ffma * weight;
    total.mma += counters_.mma * weight;
    total.mma_products += counters_.mma_products * weight;
    total.barriers += counters_.barriers * weight;
    total.blocks += counters_.blocks * weight;
    total.blocks_run += counters_.blocks;
    total.warps += counters_.warps * weight;
    counters_ = {};
}

Actor BlockRunner::actor() const {
    return {launch_number_, static_cast<uint32_t>(block_number_), order_.now(running_->number)};
}

const Extent& shared_array(size_t bytes, unsigned element_bytes, const char* name,
                           const void* place) {
    return BlockRunner::current().shared().static_array(bytes, element_bytes, name, place);
}

const Extent& dynamic_array(size_t offset, size_t bytes, unsigned element_bytes, const char* name,
                            const void* place) {
    return BlockRunner::current().shared().dynamic_array(offset, bytes, element_bytes, name, place);
}

}  // namespace tilewright::simt
