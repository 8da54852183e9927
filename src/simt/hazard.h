// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is wrong with a kernel though its results may be right: each kind, and how it is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::simt {

enum class HazardKind : uint8_t {
    out_of_bounds,
    misaligned,
    read_after_write,
    write_after_read,
    write_after_write,
    uninitialised_shared,
    uninitialised_register,
    uninitialised_barrier,
    incomplete_copy,
    divergent_barrier,
    divergent_mma,
    exited_thread,
    block_deadlock,
    grid_deadlock,
    plain_spin,
    excess_arrival,
    ended_block,
    thread_race,
    block_race,
    unwritten,
    exception,
};

/// "read_after_write", for programs; and "race, read after write", for people.
const char* key_of(HazardKind kind);
const char* name_of(HazardKind kind);

/// What usually brings it about, as a sentence.
const char* usual_cause(HazardKind kind);

struct Hazard {
    HazardKind kind{};
    uint32_t line = 0, column = 0;  ///< 0 where no single place is at fault.
    uint32_t header = 0;  ///< See header_of().
    uint64_t block = 0;  ///< Number in the grid.
    int thread = -1;  ///< Number in the block; -1 where it is no single one's.
    uint32_t other_line = 0, other_column = 0;  ///< Of a second access; else 0.
    std::string what;  ///< What happened, where and to whom; no full stop.
    uint64_t key = 0;  ///< Equal for what is told once.

    bool is_warning() const {
        return kind == HazardKind::exited_thread || kind == HazardKind::plain_spin;
    }
    /// They are told once: one missing barrier makes several kinds of one pair of accesses.
    bool is_same(const Hazard& other) const;
    /// "race, write after read: ...; line 3, column 5, ... Usual cause: ..."
    std::string sentence() const;
};

/// The first of each key, in the order of blocks.
class HazardList {
  public:
    void add(Hazard hazard);
    void add(std::vector<Hazard> hazards);
    std::vector<Hazard> take();

  private:
    std::vector<Hazard> hazards_;
};

}  // namespace tilewright::simt
