// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a run has measured so far, on disk: a run that was interrupted goes on from there.
#pragma once

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

    /// Null where it was not measured.
    const Tried* find(const TuneCandidate& candidate) const;
    size_t size() const { return known_.size(); }
    void add(const Tried& tried);
    /// When the run is complete.
    void remove();
    /// Why nothing is kept; "" where it is.
    const std::string& failure() const { return failure_; }

  private:
    std::string path_, key_, failure_;
    std::vector<Tried> known_;
};

/// Changes when the program is built anew.
std::string program_stamp();

/// A short name for a long text.
std::string digest_of(const std::string& text);

}  // namespace tilewright::lab
