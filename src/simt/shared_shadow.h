// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is known of each word of a block's shared memory: who wrote it, who has read it since, and
// whether an asynchronous copy into it is under way.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/hazard.h"
#include "simt/order.h"
#include "simt/trace.h"

namespace tilewright::simt {

/// An access that the running one is in conflict with.
struct Conflict {
    HazardKind kind;
    int thread;  ///< Of the earlier access; -1 where there is none.
    Site site;
};

class SharedShadow {
  public:
    static constexpr unsigned kWordBytes = 4;

    explicit SharedShadow(size_t bytes) : words_(bytes / kWordBytes) {}

    void begin_block();
    /// Nobody has written these bytes.
    void declare(size_t offset, size_t bytes);

    /// An access by the thread, its `position`th since a barrier. True when it conflicts with an
    /// earlier one. Threads run one after another, so that positions tell which of two unordered
    /// accesses comes first in the program's order.
    bool access(size_t offset, const Record& record, int thread, uint32_t position,
                const Order& order, Conflict& conflict);

    /// A load by a thread of another block of the cluster.
    struct RemoteLoad {
        unsigned rank;
        Order::Stamp stamp;  ///< In that block's order.
        Record record;
    };
    /// Notes it for the writes to come. True when it conflicts with an earlier write: one of which
    /// `is_past(stamp)` is false, or none at all.
    template <class IsPast>
    bool load_remotely(size_t offset, const RemoteLoad& load, const IsPast& is_past,
                       Conflict& conflict) {
        bool found = false;
        for (size_t i = offset / kWordBytes; i * kWordBytes < offset + load.record.bytes; ++i) {
            const Word& word = words_[i];
            note(remote_loads_[i], load);
            if (found || (!word.in_copy && word.write.stamp && is_past(word.write.stamp))) continue;
            found = true;
            if (word.write.stamp == 0 && !word.in_copy) {
                conflict = {HazardKind::uninitialised_shared, -1, {}};
                continue;
            }
            conflict = {word.in_copy ? HazardKind::incomplete_copy : HazardKind::read_after_write,
                        Order::thread_of(word.write.stamp), word.write.site};
        }
        return found;
    }
    bool has_remote_loads() const { return !remote_loads_.empty(); }
    /// And forgets them: a write has come in between, or the block's end.
    std::vector<RemoteLoad> take_remote_loads(size_t offset, size_t bytes);
    std::vector<RemoteLoad> take_remote_loads();

    struct Uninitialised {
        Record record;
        int thread;
    };
    /// Loads of what nobody had written, and nobody has written in the same epoch since: a store
    /// that merely comes too late is a race.
    std::vector<Uninitialised> take_uninitialised();

    /// From now on these bytes are a copy's, and nobody's to read or write ...
    void begin_copy(size_t offset, size_t bytes);
    /// ... until now, written by `by`.
    void end_copy(size_t offset, size_t bytes, Order::Stamp by);

  private:
    struct Access {
        Order::Stamp stamp = 0;
        Site site;
        uint32_t position = 0;
    };
    struct Word {
        Access write;
        bool is_atomic = false, in_copy = false, is_missed = false;
        std::array<Access, 2> reads;
        uint32_t more_reads = 0;  ///< Where in more_reads_ those are that find no room; 0: none.
    };

    bool read(Word& word, const Record& record, const Access& now, const Order& order,
              Conflict& conflict);
    bool write(Word& word, const Record& record, const Access& now, const Order& order,
               Conflict& conflict);
    static void note(std::vector<RemoteLoad>& loads, const RemoteLoad& load);
    void note_read(Word& word, const Access& read, const Order& order);

    std::vector<Word> words_;
    struct Reads {
        Word* word = nullptr;
        std::vector<Access> all;
    };
    Reads& more_reads_of(Word& word);
    void forget(Reads& reads);

    std::vector<Reads> more_reads_{1};
    std::vector<uint32_t>
        free_;  ///< Places in more_reads_ whose lists are empty, with their memory.
    std::vector<std::pair<Word*, Uninitialised>> missed_;
    std::unordered_map<size_t, std::vector<RemoteLoad>> remote_loads_;  ///< By word.
};

}  // namespace tilewright::simt
