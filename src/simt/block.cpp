// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/block.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace tilewright::simt {

constinit thread_local Lane lane;
constinit thread_local Dim3 thread_index, block_index, block_extent, grid_extent;

namespace {

constinit thread_local BlockRunner* current = nullptr;

/// What nvcc allows for arrays of a size known at compile time, on every architecture.
constexpr size_t kStaticSharedBytes = 48 << 10;
/// Arrays start at bank 0, so that counts do not depend on the order of declarations.
constexpr size_t kSharedAlignment = 128;
/// As many faults as a person reads; a storm of them costs time and says no more.
constexpr size_t kFaultsKept = 8;

std::string text(Dim3 d) {
    return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) +
           ")";
}

Dim3 unflatten(uint64_t number, Dim3 extent) {
    return {static_cast<unsigned>(number % extent.x),
            static_cast<unsigned>(number / extent.x % extent.y),
            static_cast<unsigned>(number / extent.x / extent.y)};
}

}  // namespace

BlockRunner::BlockRunner()
    : log_(kWarpSize * kLogRecords), shared_memory_(kStaticSharedBytes + kSharedAlignment) {
    current = this;
}

BlockRunner::~BlockRunner() {
    current = nullptr;
}

void BlockRunner::run(const Launch& launch, uint64_t block_number) {
    launch_ = &launch;
    thread_count_ = static_cast<int>(launch.block.count());
    block_index = unflatten(block_number, launch.grid);
    block_extent = launch.block;
    grid_extent = launch.grid;
    shared_arrays_.clear();
    shared_bytes_ = 0;
    while (std::ssize(threads_) < thread_count_) threads_.push_back(std::make_unique<Thread>());
    for (int i = 0; i < thread_count_; ++i) {
        Thread& thread = *threads_[i];
        thread.state = State::ready;
        thread.index = unflatten(i, launch.block);
        thread.runner = this;
        thread.fiber.start(&BlockRunner::thread_main, &thread);
    }
    const int warps = (thread_count_ + kWarpSize - 1) / kWarpSize;
    // Blocks run in any order on any worker; the order within one depends on its number alone.
    order_threads(launch.shuffle_seed ? launch.shuffle_seed + block_number : 0, warps);
    counters_.blocks += 1;
    counters_.warps += warps;
    for (;;) {
        for (const int warp : warp_order_) run_warp(warp);
        bool waiting = false;
        for (int i = 0; i < thread_count_; ++i) {
            if (threads_[i]->state != State::at_barrier) continue;
            threads_[i]->state = State::ready;
            waiting = true;
        }
        if (!waiting) return;
        ++counters_.barriers;
    }
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
    } catch (const std::exception& error) {
        // An exception must not leave the fiber's stack: the launch reports it like a fault.
        thread.runner->note_fault(~uint64_t{0}, error.what());
    } catch (...) {
        thread.runner->note_fault(~uint64_t{0}, "the kernel threw something");
    }
    thread.state = State::ended;
    thread.fiber.finish();
}

void BlockRunner::run_warp(int warp) {
    const int first = warp * kWarpSize;
    const int lanes = std::min(kWarpSize, thread_count_ - first);
    if (launch_->counted) {
        for (int l = 0; l < lanes; ++l) {
            Record* log = log_.data() + l * kLogRecords;
            threads_[first + l]->lane = {.next = log, .end = log + kLogRecords, .ffma = 0};
        }
    }
    for (bool again = true; again;) {
        again = false;
        for (const int l : lane_order_) {
            if (l >= lanes || threads_[first + l]->state != State::ready) continue;
            resume(*threads_[first + l]);
            again |= threads_[first + l]->state == State::log_full;
        }
        if (launch_->counted) fold_logs(warp);
        for (int l = 0; l < lanes; ++l)
            if (threads_[first + l]->state == State::log_full)
                threads_[first + l]->state = State::ready;
    }
    if (!launch_->counted) return;
    account_.end_epoch();
    uint64_t ffma = 0;
    for (int l = 0; l < lanes; ++l) ffma = std::max(ffma, threads_[first + l]->lane.ffma);
    counters_.ffma += ffma;
}

void BlockRunner::resume(Thread& thread) {
    running_ = &thread;
    thread_index = thread.index;
    lane = thread.lane;
    thread.fiber.resume();
    thread.lane = lane;
}

void BlockRunner::stop(State state) {
    Thread& thread = *running_;
    thread.state = state;
    thread.fiber.pause();
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

std::vector<std::string> BlockRunner::take_faults() {
    std::vector<std::string> sentences;
    for (auto& fault : faults_) sentences.push_back(std::move(fault.second));
    faults_.clear();
    return sentences;
}

void BlockRunner::drain_into(Counters& total) {
    account_.drain_into(total);
    total.ffma += counters_.ffma;
    total.barriers += counters_.barriers;
    total.blocks += counters_.blocks;
    total.warps += counters_.warps;
    counters_ = {};
}

void syncthreads() {
    current->stop(BlockRunner::State::at_barrier);
}

void drain_log() {
    current->stop(BlockRunner::State::log_full);
}

const Extent& shared_array(size_t bytes, const char* name, Site declared) {
    BlockRunner& block = *current;
    for (auto& array : block.shared_arrays_)
        if (array.declared.packed == declared.packed &&
            array.extent.end - array.extent.begin ==
                bytes)  // a template's instances differ in size
            return array.extent;
    if (block.shared_arrays_.empty()) block.shared_arrays_.reserve(16);  // extents keep their place
    const auto memory = reinterpret_cast<uintptr_t>(block.shared_memory_.data());
    const uintptr_t base = (memory + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
    const uintptr_t begin = base + block.shared_bytes_;
    block.shared_bytes_ += (bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
    if (block.shared_bytes_ > kStaticSharedBytes || block.shared_arrays_.size() == 16)
        throw std::length_error("shared arrays of a kernel exceed 48 KiB, or 16 in number");
    // Shared memory starts undefined. All ones are a NaN, which no result survives.
    std::memset(reinterpret_cast<void*>(begin), 0xff, bytes);
    block.shared_arrays_.push_back({{name, begin, begin + bytes}, declared});
    return block.shared_arrays_.back().extent;
}

void BlockRunner::note_fault(uint64_t key, std::string sentence) {
    const bool known = std::any_of(faults_.begin(), faults_.end(),
                                   [&](const auto& fault) { return fault.first == key; });
    if (!known && faults_.size() < kFaultsKept) faults_.emplace_back(key, std::move(sentence));
}

void report_fault(const Record& access) {
    BlockRunner& block = *current;
    const uint64_t key =
        uint64_t{access.site.packed} << 8 | static_cast<uint64_t>(access.operation);
    const Extent& extent = *access.extent;
    const auto offset =
        static_cast<int64_t>(access.address - extent.begin) / static_cast<int64_t>(sizeof(float));
    const uintptr_t size = extent.end - extent.begin;
    const bool outside = size < access.bytes || access.address - extent.begin > size - access.bytes;
    std::string operation = name_of(access.operation);
    operation[operation.find('_')] = ' ';
    block.note_fault(
        key,
        (outside ? "out of bounds: " : "misaligned: ") + operation + " of " +
            std::to_string(access.bytes) + " bytes at " + extent.name + "[" +
            std::to_string(offset) + "]" +
            (outside ? ", which has " +
                           std::to_string((extent.end - extent.begin) / sizeof(float)) + " elements"
                     : ", whose address is no multiple of that") +
            "; line " + std::to_string(access.site.line()) + ", column " +
            std::to_string(access.site.column()) + ", block " + text(block_index) + ", thread " +
            text(thread_index));
}

}  // namespace tilewright::simt
