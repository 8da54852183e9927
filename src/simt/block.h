// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// One block at a time: its threads as fibers, their barriers and their shared memory.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "simt/account.h"
#include "simt/fiber.h"
#include "simt/machine.h"
#include "simt/trace.h"

namespace tilewright::simt {

/// What a kernel reads as threadIdx and so on; set whenever a thread goes on.
extern constinit thread_local Dim3 thread_index, block_index, block_extent, grid_extent;

/// Waits until every thread of the block that has not ended is here.
void syncthreads();

/// The running block's shared array that is declared at this place of the kernel.
const Extent& shared_array(size_t bytes, const char* name, Site declared);

struct Launch {
    Dim3 grid, block;
    bool counted;
    uint64_t shuffle_seed;
    const std::function<void()>& thread;
};

/// Runs blocks on the calling thread and keeps what they recorded. Reused from block to block:
/// stacks and logs stay warm.
class BlockRunner {
  public:
    BlockRunner();
    ~BlockRunner();

    void run(const Launch& launch, uint64_t block_number);

    /// The first fault of each site since the last call; empty when there was none.
    std::vector<std::string> take_faults();

    void drain_into(Counters& total);

  private:
    friend void syncthreads();
    friend void drain_log();
    friend void report_fault(const Record&);
    friend const Extent& shared_array(size_t, const char*, Site);

    enum class State { ready, log_full, at_barrier, ended };
    struct Thread {
        Fiber fiber;
        State state = State::ended;
        Dim3 index;
        Lane lane;
        BlockRunner* runner = nullptr;
    };
    struct SharedArray {
        Extent extent;
        Site declared;
    };

    static void thread_main(void* thread);
    void run_warp(int warp);
    void resume(Thread& thread);
    void stop(State state);
    void fold_logs(int warp);
    void order_threads(uint64_t seed, int warps);
    void note_fault(uint64_t key, std::string sentence);

    static constexpr int kLogRecords = 512;  ///< A lane; 32 such logs stay in the L2 cache.

    const Launch* launch_ = nullptr;
    int thread_count_ = 0;
    std::vector<std::unique_ptr<Thread>> threads_;
    Thread* running_ = nullptr;
    std::vector<Record> log_;  ///< 32 logs of kLogRecords; one warp runs at a time.
    std::vector<int> warp_order_;
    std::array<int, kWarpSize> lane_order_{};
    std::vector<std::byte> shared_memory_;
    std::vector<SharedArray> shared_arrays_;
    size_t shared_bytes_ = 0;
    WarpAccount account_;
    Counters counters_;
    std::vector<std::pair<uint64_t, std::string>> faults_;  ///< By site and operation.
};

}  // namespace tilewright::simt
