// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is known of each element of an array in global memory that blocks write: who wrote it, who
// has read it since, and what a release there has published.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "simt/hazard.h"
#include "simt/order.h"
#include "simt/trace.h"

namespace tilewright::simt {

/// A thread of the grid at one time of its block.
struct Actor {
    uint32_t launch = 0;  ///< Launches follow one another.
    uint32_t block = 0;
    Order::Stamp stamp = 0;  ///< 0: nobody.

    int thread() const { return Order::thread_of(stamp); }
    uint32_t epoch() const { return Order::epoch_of(stamp); }
};

/// What a thread knows to be past: of other blocks, all before an epoch, and what single threads
/// did until one.
class Past {
  public:
    bool has(const Actor& actor) const;
    void add(const Past& other);
    /// All that happened in the block before this epoch.
    void add_block(uint32_t block, uint32_t before_epoch);
    /// What the thread did until this epoch's end.
    void add_thread(uint32_t block, int thread, uint32_t through_epoch);

  private:
    struct Seen {
        uint32_t before_epoch = 0;
        std::map<int, uint32_t> threads;  ///< Through this epoch.
    };
    std::map<uint32_t, Seen> blocks_;
};

/// One array's. Blocks on several workers use it at once.
class GlobalShadow {
  public:
    explicit GlobalShadow(int64_t elements) : pages_((elements + kElements - 1) / kElements) {}

    struct Conflict {
        HazardKind kind;
        Actor actor;  ///< Of the earlier access.
        Site site;
    };

    /// What an actor may take as ordered before it.
    struct Known {
        const Order& order;  ///< Of its block.
        const Past &block, &thread;  ///< Acquired by its block before a barrier, and by itself.
    };

    /// True when this access conflicts with an earlier one. Of several readers two are kept.
    bool access(int64_t element, int64_t count, const Record& record, const Actor& actor,
                const Known& known, Conflict& conflict);

    /// A release publishes there, an acquire reads what was published.
    void publish(uint32_t launch, uintptr_t address, const Past& past);
    Past published(uint32_t launch, uintptr_t address);

    bool is_written(int64_t element) const;

  private:
    struct Access {
        Order::Stamp stamp = 0;
        uint32_t block : 31 = 0, is_atomic : 1 = 0;
        Site site;
    };
    struct Element {
        Access write;
        std::array<Access, 2> reads;
    };
    static constexpr int64_t kElements = 1024;
    struct Page {
        uint32_t launch = 0;  ///< That `elements` are of.
        std::bitset<kElements> written;  ///< In any launch.
        std::array<Element, kElements> elements;
    };
    static constexpr size_t kLocks = 64;

    std::vector<std::unique_ptr<Page>> pages_;  ///< Of elements that were accessed.
    std::array<std::mutex, kLocks> locks_;  ///< Of every kLocks-th page.
    std::mutex publishing_;
    std::map<std::pair<uint32_t, uintptr_t>, Past> published_;  ///< By launch and address.
};

}  // namespace tilewright::simt
