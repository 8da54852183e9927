// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// One block at a time: its threads as fibers, and when each may go on.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simt/account.h"
#include "simt/async.h"
#include "simt/fiber.h"
#include "simt/global_shadow.h"
#include "simt/hazard.h"
#include "simt/machine.h"
#include "simt/shared_memory.h"
#include "simt/tensor.h"
#include "simt/trace.h"
#include "simt/words.h"

namespace tilewright::simt {

/// What a kernel reads as threadIdx and so on; set whenever a thread goes on.
extern constinit thread_local Dim3 thread_index, block_index, block_extent, grid_extent;

/// The running block's shared array of this declaration: `place` is a static object's beside it, of
/// which each instance of a template has its own.
const Extent& shared_array(size_t bytes, unsigned element_bytes, const char* name,
                           const void* place);
/// Likewise, `offset` bytes into the shared memory whose size the launch says.
const Extent& dynamic_array(size_t offset, size_t bytes, unsigned element_bytes, const char* name,
                            const void* place);

/// "As[4]", or "A[2][0]" for a matrix.
std::string place_text(const Extent& extent, uintptr_t address);

/// One hazard, or none, for all elements of a matrix that no block has written.
std::vector<Hazard> unwritten_elements(const Extent& matrix);

class Cluster;

/// Runs blocks on the calling thread and keeps what they recorded. Reused from block to block:
/// stacks and logs stay warm.
class BlockRunner {
  public:
    BlockRunner();

    /// The one whose thread is running.
    static BlockRunner& current();

    /// `seed` draws the order of threads; 0 keeps the natural one.
    void start(const Launch& launch, uint32_t launch_number, uint64_t block_number, uint64_t seed,
               Cluster& cluster, unsigned rank);

    /// none: all threads that are left look again and again at what has not changed, or wait for
    /// another block of the cluster. maybe: so it seems, but they did something in between that nobody
    /// else can see.
    enum class Progress { none, maybe, made, ended };
    /// Runs each thread as far as it gets.
    Progress step();
    bool is_live() const;
    bool polls() const;
    /// Others have done something: none is due only when threads have looked at all their flags.
    void expect_news() { steps_in_vain_ = 0; }
    /// Ends the threads that are left, and says that they wait for what will not come.
    void abandon(HazardKind deadlock, const std::string& why);

    std::vector<Hazard> take_hazards() { return hazards_.take(); }
    /// Counts each block `weight` times.
    void drain_into(Counters& total, uint64_t weight);

    // What the words need of the running thread.
    struct Thread {
        enum class State {
            ready,
            log_full,
            at_barrier,
            at_warp,
            at_shuffle,
            at_mma,
            at_cluster,
            waiting,
            polling,
            ended
        };
        Fiber fiber;
        State state = State::ended;
        int number = 0;
        Dim3 index;
        Lane lane;
        BlockRunner* runner = nullptr;
        Site stopped_at;
        std::function<bool()> condition;  ///< Of waiting.
        uint32_t mask = 0;  ///< Of at_warp and at_shuffle.
        uint32_t shuffled = 0;  ///< Of at_shuffle: what it gives, then what it gets.
        int partner = 0;  ///< A lane.
        MmaFragments mma;  ///< Of at_mma.
        /// What it has read of words that others write, since its last store.
        std::vector<std::pair<const void*, uint64_t>> polled;
        uint32_t stores_before_polls = 0;
        bool has_news = false;  ///< One of them was new.
        FfmaCount ffma_at_drain;  ///< The last one's, when the log was full before.
        std::vector<FfmaCount> ffma;
        CopyGroups copies;
        Groups<Wgmma> wgmmas;
        Past past, unfenced;  ///< Acquired; seen, and not yet followed by a fence.
        uint32_t fence_epoch = 0;  ///< A fence covers the block's epochs before this one ...
        bool has_fenced = false;  ///< ... and what the thread itself did.
        uint64_t cluster_arrived = 0, cluster_waited = 0;  ///< Phases of the cluster's barrier.
        Site arrived_at;
        bool arrival_releases = true;

        bool can_run() const { return state == State::ready || state == State::polling; }
        bool is_live() const { return state != State::ended; }
    };

    Thread& thread() { return *running_; }
    std::span<const std::unique_ptr<Thread>> threads() const {
        return {threads_.data(), static_cast<size_t>(thread_count_)};
    }
    Cluster& cluster() { return *cluster_; }
    unsigned rank() const { return rank_; }
    /// A thread has waited for so many phases of the cluster's barrier.
    void take_over(uint64_t phases, const Past& past);
    const Launch& launch() const { return *launch_; }
    uint64_t block_number() const { return block_number_; }
    const Record* log_of_running() const {
        return log_.data() + running_->number % kWarpSize * kLogRecords;
    }
    Order& order() { return order_; }
    SharedMemory& shared() { return shared_; }
    Mbarriers& mbarriers() { return mbarriers_; }
    Past& past() { return past_; }
    const Past& unfenced() const { return unfenced_; }
    uint32_t epoch() const { return Order::epoch_of(order_.now(0)); }
    uint32_t fenced_through() const { return fenced_through_; }
    Actor actor() const;

    /// Gives way to others; comes back when the scheduler says so, or never (throws).
    void stop(Thread::State state, Site site);
    /// A request of another unit than the warp's lanes.
    void count(const Record& first, const SiteCounters& request) { account_.count(first, request); }
    /// A warp's instruction of so many products.
    void count_mma(Site site, uint64_t products);
    /// What a thread did: "what; line 3, column 5, block (0, 0, 0), thread (7, 0, 0)".
    void report(HazardKind kind, Site site, const std::string& what, int thread);
    void report(HazardKind kind, Site site, const std::string& what) {
        report(kind, site, what, running_->number);
    }
    /// Of two accesses, which are told once; `more` says what the other one does.
    void report_conflict(HazardKind kind, Site site, const std::string& what, int thread,
                         Site other, const std::string& more);
    std::string block_text() const;
    std::string thread_text(int number) const;
    /// "block (1, 0, 0), thread (7, 0, 0)", of any block of the grid.
    std::string actor_text(const Actor& actor) const;

  private:
    static void thread_main(void* thread);
    Progress run_warp(int warp);
    Progress run_lanes(int warp);
    void resume(Thread& thread);
    void fold_logs(int warp);
    void fold_ffma(int warp);
    void order_threads(uint64_t seed, int warps);
    std::vector<int> together_in(int warp, Thread::State state) const;
    bool release_warp(int warp);
    bool release_shuffle(int warp);
    bool release_mma(int warp);
    bool release_barrier();
    bool release_waiting();
    bool release_cluster();
    void report_uninitialised();
    void report_loads_at_end();
    void check_barrier(const std::vector<Thread*>& arrived);
    void report_divergent_mma(const Thread& first, int together);
    std::string where_threads_wait() const;
    int warp_count() const { return (thread_count_ + kWarpSize - 1) / kWarpSize; }

    static constexpr int kMostFullLogs = 256;  ///< Of a warp, before others have a turn.
    static constexpr int kLogRecords = 512;  ///< A lane; 32 such logs stay in the L2 cache.

    const Launch* launch_ = nullptr;
    uint32_t launch_number_ = 0;
    uint64_t block_number_ = 0;
    Cluster* cluster_ = nullptr;
    unsigned rank_ = 0;
    uint64_t cluster_phases_ = 0;  ///< That any of its threads has waited for.
    int thread_count_ = 0;
    std::vector<std::unique_ptr<Thread>> threads_;
    Thread* running_ = nullptr;
    bool abandoned_ = false;
    size_t steps_in_vain_ = 0;
    std::vector<Record> log_;  ///< 32 logs of kLogRecords; one warp runs at a time.
    std::vector<int> warp_order_;
    std::array<int, kWarpSize> lane_order_{};

    SharedMemory shared_;
    Order order_;
    Mbarriers mbarriers_;

    Past past_, unfenced_;  ///< Of all threads, since a barrier.
    uint32_t fenced_through_ = 0;  ///< All threads have fenced before this epoch.

    WarpAccount account_;
    Counters counters_;
    HazardList hazards_;
};

}  // namespace tilewright::simt
