// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a run has measured so far, on disk: a run that was interrupted goes on from there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/tune/candidate.h"

namespace tilewright::lab {

class Journal {
  public:
    /// Keeps nothing.
    Journal() = default;
    /// `key` is all that a time depends on beside the candidate; lines of another are passed over.
    Journal(std::string path, std::string key);

    /// As it was measured in this stage; null where it was not.
    const Tried* find(const TuneCandidate& candidate, int stage = 0) const;
    size_t size() const { return known_.size(); }
    /// But for failures: they may have had another cause, such as another process's memory.
    void add(const Tried& tried);
    /// When nothing is left to do: all candidates, those that failed among them.
    void finish(const std::vector<Tried>& all);
    /// What finish() was given; null where the run had not come so far.
    const std::vector<Tried>* finished() const { return finished_ ? &*finished_ : nullptr; }
    /// When the results are elsewhere.
    void remove();
    /// Why nothing is kept; "" where it is.
    const std::string& failure() const { return failure_; }

  private:
    void write(const std::string& line);

    std::string path_, key_, failure_;
    std::vector<Tried> known_;
    std::optional<std::vector<Tried>> finished_;
};

/// Those beside this database that nobody can go on with, as the program has been built anew, and that
/// nobody has written for some days.
void remove_stale_journals(const std::string& database);

/// Changes when the program is built anew.
std::string program_stamp();

/// A short name for a long text.
std::string digest_of(const std::string& text);

}  // namespace tilewright::lab
