// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Blocks that run together, meet at a barrier and read each other's shared memory. In most launches
// each block is a cluster by itself.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "simt/block.h"

namespace tilewright::simt {

/// Runs the blocks of a cluster in turn on the calling thread. Reused, as they are.
class Cluster {
  public:
    using Progress = BlockRunner::Progress;

    void start(const Launch& launch, uint32_t launch_number, uint64_t first_block, uint64_t seed);
    /// Runs each block as far as it gets.
    Progress step();
    void expect_news();
    /// Ends the threads that are left, and says that they wait for what will not come.
    void abandon(HazardKind deadlock, const std::string& why);

    std::span<const std::unique_ptr<BlockRunner>> blocks() const { return blocks_; }
    uint64_t first_block() const { return blocks_.front()->block_number(); }
    /// Blocks beside this one whose threads may come to the barrier.
    bool has_others(const BlockRunner& block) const;

    // --- its barrier, whose phases follow one another

    /// The running thread has arrived; what it did is handed on, or its loads alone.
    void arrive(BlockRunner& block, bool releases);
    /// Completes the phase if all threads that have not ended have arrived.
    void advance();
    uint64_t phases() const { return phases_; }
    /// The thread has waited for all phases before `phases`.
    void take_over(BlockRunner& block, uint64_t phases);

    /// Of a thread of block `rank`: whether a load, or a store, by it is in the past of who has
    /// waited for so many phases.
    bool is_past_load(uint64_t phases, unsigned rank, Order::Stamp stamp) const;
    bool is_past_store(uint64_t phases, unsigned rank, Order::Stamp stamp) const;
    BlockRunner& owner_of(uintptr_t address) const;

  private:
    struct Phase {
        /// By rank: what those who arrived had done, and those of them who release.
        std::vector<Order::Published> done, released;
        Past past;  ///< What lies before the latter elsewhere.
    };
    void warn_of_ended() const;

    std::vector<std::unique_ptr<BlockRunner>> blocks_;
    bool turned_ = false;  ///< The last block goes first.
    uint64_t phases_ = 0;
    Phase arriving_;
    std::array<Phase, 2> completed_;  ///< Of phase n at n % 2; nobody can be further behind.
};

}  // namespace tilewright::simt
