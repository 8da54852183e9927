// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "simt/cluster.h"

namespace tilewright::simt {

namespace {

/// Threads that may exist at once. A stack and its guard page are two mappings, of which Linux
/// allows a process 65530 unless told otherwise.
constexpr unsigned kMostWorkers = 24;
constexpr int64_t kMostThreads = kMostWorkers * 1024;

/// How long blocks may do what nobody can see, between looking at flags that do not change.
constexpr std::chrono::seconds kPatience{3};

/// CUDA C++ Programming Guide, compute capabilities.
bool is_launchable(Dim3 grid, Dim3 block) {
    return block.count() >= 1 && block.count() <= 1024 && block.z <= 64 && grid.count() >= 1 &&
           grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535;
}

constexpr unsigned kMostInCluster = 8;  // that every GPU with clusters takes

std::string text_of(Dim3 d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

/// A block, and how many it stands for.
struct Sample {
    uint64_t block, weight;
};

/// Tiles of one direction: the last, which the matrix may cut off, and one for all others.
std::vector<Sample> classes_of(uint64_t tiles) {
    if (tiles == 1) return {{0, 1}};
    return {{(tiles - 1) / 2, tiles - 1}, {tiles - 1, 1}};
}

std::vector<Sample> samples_of(const Launch& launch) {
    std::vector<Sample> samples;
    for (const Sample& col : classes_of(launch.grid.count() / launch.tile_rows))
        for (const Sample& row : classes_of(launch.tile_rows))
            samples.push_back({col.block * launch.tile_rows + row.block, col.weight * row.weight});
    return samples;
}

}  // namespace

/// Workers sleep between launches. Each takes the next block that nobody has taken yet; where
/// blocks wait for others, it keeps them and takes more.
struct Machine::Implementation {
    explicit Implementation(unsigned count) {
        for (unsigned i = 0; i < count; ++i)
            threads.emplace_back([this, i](std::stop_token stop) { work(stop, i); });
    }

    void work(std::stop_token stop, unsigned worker);
    void run_blocks(unsigned worker, std::vector<std::unique_ptr<Cluster>>& idle);
    bool nobody_gets_on(unsigned worker, uint64_t since);
    std::unique_ptr<Cluster> start_cluster(std::vector<std::unique_ptr<Cluster>>& idle,
                                           bool has_others);
    int64_t cluster_threads() const;
    void finish(Cluster& cluster);

    std::mutex launching;  // held for a whole launch
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable done;
    uint64_t generation = 0;
    const Launch* launch = nullptr;
    uint32_t launch_number = 0;  // of this program's
    std::vector<Sample> samples;  // empty: all blocks
    uint64_t block_count = 0;
    std::atomic<uint64_t> next_block = 0;
    std::atomic<int64_t> live_threads = 0;
    // For telling when nobody gets on any more: steps that got on, and for each worker how many of
    // them there had been when it last began to look at its blocks in vain.
    std::atomic<uint64_t> progress = 0;
    static constexpr uint64_t kAtWork = ~uint64_t{0}, kDone = kAtWork - 1;
    std::mutex waiting;
    std::vector<uint64_t> in_vain_since;
    size_t running = 0;
    Counters counters;
    HazardList found;
    std::vector<Hazard> hazards;
    uint64_t seed = 0;
    bool sampling = false;
    std::vector<std::jthread> threads;  // last: they use all of the above
};

void Machine::Implementation::work(std::stop_token stop, unsigned worker) {
    std::vector<std::unique_ptr<Cluster>> idle;
    uint64_t served = 0;
    for (;;) {
        std::unique_lock lock(mutex);
        if (!wake.wait(lock, stop, [&] { return generation != served; })) return;
        served = generation;
        lock.unlock();
        std::string failure;
        try {
            run_blocks(worker, idle);
        } catch (const std::bad_alloc&) {
            failure = "no memory for the stacks of a block's threads";
        }
        nobody_gets_on(worker, kDone);
        lock.lock();
        for (auto& cluster : idle)
            for (auto& block : cluster->blocks()) {
                block->drain_into(counters, 1);
                found.add(block->take_hazards());
            }
        if (!failure.empty())
            found.add(Hazard{.kind = HazardKind::exception, .what = std::move(failure)});
        // One that waited for others keeps its stacks no longer than it needs them.
        if (idle.size() > 1) idle.resize(1);
        if (--running == 0) done.notify_one();
    }
}

std::unique_ptr<Cluster> Machine::Implementation::start_cluster(
    std::vector<std::unique_ptr<Cluster>>& idle, bool has_others) {
    const int64_t size = cluster_threads();
    if (live_threads.fetch_add(size) + size > kMostThreads && has_others) {
        live_threads -= size;
        return nullptr;
    }
    const uint64_t number = next_block.fetch_add(launch->cluster);
    if (number >= block_count) {
        live_threads -= size;
        return nullptr;
    }
    std::unique_ptr<Cluster> cluster;
    if (idle.empty()) {
        cluster = std::make_unique<Cluster>();
    } else {
        cluster = std::move(idle.back());
        idle.pop_back();
    }
    cluster->start(*launch, launch_number, samples.empty() ? number : samples[number].block, seed);
    return cluster;
}

int64_t Machine::Implementation::cluster_threads() const {
    return static_cast<int64_t>(launch->block.count()) * launch->cluster;
}

void Machine::Implementation::finish(Cluster& cluster) {
    live_threads -= cluster_threads();
    if (samples.empty()) return;
    const auto sample = std::find_if(samples.begin(), samples.end(), [&](const Sample& each) {
        return each.block == cluster.first_block();
    });
    const std::scoped_lock lock(mutex);
    cluster.blocks().front()->drain_into(counters, sample->weight);
}

/// Every worker has looked at its blocks since anybody last got on, and found that they wait.
bool Machine::Implementation::nobody_gets_on(unsigned worker, uint64_t since) {
    const std::scoped_lock lock(waiting);
    in_vain_since[worker] = since;
    return std::all_of(in_vain_since.begin(), in_vain_since.end(),
                       [&](uint64_t value) { return value == kDone || value == progress; });
}

void Machine::Implementation::run_blocks(unsigned worker,
                                         std::vector<std::unique_ptr<Cluster>>& idle) {
    using Clock = std::chrono::steady_clock;
    using Progress = Cluster::Progress;
    std::vector<std::unique_ptr<Cluster>> active;
    Clock::time_point last_progress = Clock::now();
    uint64_t seen = 0;
    for (uint64_t before = progress;; before = progress) {
        if (std::exchange(seen, before) != before)
            for (auto& cluster : active) cluster->expect_news();
        auto best = Progress::none;
        for (auto& cluster : active) {
            const Progress made = cluster->step();
            best = std::max(best, made);
            if (made != Progress::ended) continue;
            finish(*cluster);
            idle.push_back(std::move(cluster));
        }
        std::erase(active, nullptr);
        if (best < Progress::made) {
            if (auto cluster = start_cluster(idle, !active.empty())) {
                active.push_back(std::move(cluster));
                best = Progress::made;
            }
        }
        if (best >= Progress::made) {
            ++progress;
            last_progress = Clock::now();
            continue;
        }
        if (active.empty()) return;
        // All blocks here wait for others, which may be anywhere.
        if (progress != before) last_progress = Clock::now();
        const bool in_vain = best == Progress::none || Clock::now() - last_progress > kPatience;
        if (nobody_gets_on(worker, in_vain ? before : kAtWork)) break;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        nobody_gets_on(worker, kAtWork);
    }
    const uint64_t started = std::min<uint64_t>(next_block, block_count);
    const std::string rest = started < block_count ? "; " + std::to_string(block_count - started) +
                                                         " blocks cannot start before others end"
                                                   : "";
    next_block = block_count;
    for (auto& cluster : active) {
        cluster->abandon(HazardKind::grid_deadlock, rest);
        finish(*cluster);
        idle.push_back(std::move(cluster));
    }
    ++progress;
}

Machine::Machine(unsigned workers)
    : implementation_(std::make_unique<Implementation>(
          workers ? workers : std::clamp(std::thread::hardware_concurrency(), 1u, kMostWorkers))) {}

Machine::~Machine() = default;

void Machine::shuffle(uint64_t seed) {
    implementation_->seed = seed;
}

void Machine::sample_blocks(bool on) {
    implementation_->sampling = on;
}

unsigned Machine::workers() const {
    return static_cast<unsigned>(implementation_->threads.size());
}

Status Machine::launch(const Launch& launch) {
    auto& machine = *implementation_;
    if (!is_launchable(launch.grid, launch.block))
        return {StatusCode::execution_failed, "no GPU takes a grid of " + text_of(launch.grid) +
                                                  " blocks of " + text_of(launch.block) +
                                                  " threads"};
    if (launch.cluster < 1 || launch.cluster > kMostInCluster ||
        launch.grid.x % launch.cluster != 0)
        return {StatusCode::execution_failed, "no GPU makes clusters of " +
                                                  std::to_string(launch.cluster) +
                                                  " blocks of a grid of " + text_of(launch.grid)};
    const std::scoped_lock one_at_a_time(machine.launching);
    std::unique_lock lock(machine.mutex);
    static std::atomic<uint32_t> launches = 0;
    machine.launch = &launch;
    machine.launch_number = ++launches;
    machine.samples.clear();
    if (machine.sampling && launch.tile_rows > 0) machine.samples = samples_of(launch);
    machine.block_count = machine.samples.empty() ? launch.grid.count() : machine.samples.size();
    machine.next_block = 0;
    machine.live_threads = 0;
    machine.running = machine.threads.size();
    machine.in_vain_since.assign(machine.threads.size(), Implementation::kAtWork);
    ++machine.generation;
    machine.wake.notify_all();
    machine.done.wait(lock, [&] { return machine.running == 0; });
    if (launch.counted && launch.result && machine.samples.empty())
        machine.found.add(unwritten_elements(*launch.result));
    const std::vector<Hazard> found = machine.found.take();
    for (const Hazard& hazard : found)
        if (std::none_of(machine.hazards.begin(), machine.hazards.end(),
                         [&](const Hazard& other) { return other.is_same(hazard); }))
            machine.hazards.push_back(hazard);
    if (found.empty() || found.front().is_warning()) return {};
    return {StatusCode::execution_failed, found.front().sentence()};
}

Counters Machine::take_counters() {
    std::unique_lock lock(implementation_->mutex);
    return std::exchange(implementation_->counters, {});
}

std::vector<Hazard> Machine::take_hazards() {
    return std::exchange(implementation_->hazards, {});
}

}  // namespace tilewright::simt
