// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is known of each element of an array in global memory that blocks write: who wrote it, who
// has read it since, and what a release there has published.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "simt/hazard.h"
#include "simt/trace.h"

namespace tilewright::simt {

/// A thread of the grid, and its block's epoch: the barriers that the block has passed.
struct Actor {
    uint64_t block = 0;
    uint32_t epoch = 0;
    uint16_t thread = 0;
};

/// What a thread knows to be past: of other blocks, all before an epoch, and what single threads
/// did until one.
class Past {
  public:
    bool has(const Actor& actor) const;
    void add(const Past& other);
    /// All that happened in the actor's block before its epoch, and what it did itself.
    void add(const Actor& actor);
    bool empty() const { return blocks_.empty(); }

  private:
    struct Seen {
        uint32_t before_epoch = 0;
        std::map<uint16_t, uint32_t> threads;  ///< Through this epoch.
    };
    std::map<uint64_t, Seen> blocks_;
};

/// One array's. Blocks on several workers use it at once.
class GlobalShadow {
  public:
    explicit GlobalShadow(int64_t elements) : pages_((elements + kPage - 1) / kPage) {}

    struct Conflict {
        HazardKind kind;
        Actor actor;  ///< Of the earlier access.
        Site site;
    };

    /// What an actor may take as ordered before it.
    struct Known {
        const Past &block, &thread;  ///< Acquired by its block before a barrier, and by itself.
        bool whole_block;  ///< Everything in its own block.
    };

    /// True when this access conflicts with an earlier one.
    bool access(int64_t element, int64_t count, const Record& record, const Actor& actor,
                const Known& known, Conflict& conflict);

    /// A release publishes there, an acquire reads what was published.
    void publish(uintptr_t address, const Past& past);
    Past published(uintptr_t address);

    bool is_written(int64_t element) const;

  private:
    struct Access {
        Actor actor;
        Site site;
        bool exists = false, is_atomic = false;
    };
    struct Element {
        Access write, read;
    };
    static constexpr int64_t kPage = 1024;

    Element& at(int64_t element);

    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Element[]>> pages_;  ///< Of elements that were accessed.
    std::unordered_map<uintptr_t, Past> published_;
};

}  // namespace tilewright::simt
