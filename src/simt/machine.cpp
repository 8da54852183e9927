// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/machine.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "simt/block.h"

namespace tilewright::simt {

namespace {

/// A block's 1024 stacks with their guard pages are 2048 mappings, of which Linux allows a process
/// 65530 unless told otherwise.
constexpr unsigned kMostWorkers = 24;

/// CUDA C++ Programming Guide, compute capabilities.
bool is_launchable(Dim3 grid, Dim3 block) {
    return block.count() >= 1 && block.count() <= 1024 && block.z <= 64 && grid.count() >= 1 &&
           grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535;
}

std::string text_of(Dim3 d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

}  // namespace

/// Workers sleep between launches. Each takes the next block that nobody has taken yet.
struct Machine::Implementation {
    explicit Implementation(unsigned count) {
        for (unsigned i = 0; i < count; ++i)
            threads.emplace_back([this](std::stop_token stop) { work(stop); });
    }

    void work(std::stop_token stop) {
        BlockRunner runner;
        uint64_t served = 0;
        for (;;) {
            std::unique_lock lock(mutex);
            if (!wake.wait(lock, stop, [&] { return generation != served; })) return;
            served = generation;
            const Launch& grid = *launch;
            lock.unlock();
            std::string failure;
            try {
                for (uint64_t i; (i = next_block++) < grid.grid.count();) runner.run(grid, i);
            } catch (const std::bad_alloc&) {
                failure = "no memory for the stacks of a block's threads";
            }
            lock.lock();
            runner.drain_into(counters);
            for (std::string& fault : runner.take_faults()) faults.push_back(std::move(fault));
            if (!failure.empty()) faults.push_back(failure);
            if (--running == 0) done.notify_one();
        }
    }

    std::mutex launching;  // held for a whole launch
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable done;
    uint64_t generation = 0;
    const Launch* launch = nullptr;
    std::atomic<uint64_t> next_block = 0;
    size_t running = 0;
    Counters counters;
    std::vector<std::string> faults;
    uint64_t seed = 0;
    std::vector<std::jthread> threads;  // last: they use all of the above
};

Machine::Machine(unsigned workers)
    : implementation_(std::make_unique<Implementation>(
          workers ? workers : std::clamp(std::thread::hardware_concurrency(), 1u, kMostWorkers))) {}

Machine::~Machine() = default;

void Machine::shuffle(uint64_t seed) {
    implementation_->seed = seed;
}

unsigned Machine::workers() const {
    return static_cast<unsigned>(implementation_->threads.size());
}

Status Machine::launch(Dim3 grid, Dim3 block, bool counted, const std::function<void()>& thread) {
    auto& machine = *implementation_;
    if (!is_launchable(grid, block))
        return {StatusCode::execution_failed, "no GPU takes a grid of " + text_of(grid) +
                                                  " blocks of " + text_of(block) + " threads"};
    const std::scoped_lock one_at_a_time(machine.launching);
    const Launch launch{grid, block, counted, machine.seed, thread};
    std::unique_lock lock(machine.mutex);
    machine.launch = &launch;
    machine.next_block = 0;
    machine.running = machine.threads.size();
    machine.faults.clear();
    ++machine.generation;
    machine.wake.notify_all();
    machine.done.wait(lock, [&] { return machine.running == 0; });
    if (machine.faults.empty()) return {};
    return {StatusCode::execution_failed, machine.faults.front()};
}

Counters Machine::take_counters() {
    std::unique_lock lock(implementation_->mutex);
    return std::exchange(implementation_->counters, {});
}

}  // namespace tilewright::simt
