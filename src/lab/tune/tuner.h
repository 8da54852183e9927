// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Finds the fastest of many candidates: all once, the better ones in turns, the best in turns again.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lab/tune/candidate.h"
#include "lab/tune/child.h"
#include "lab/tune/journal.h"

namespace tilewright::lab {

struct TuneSettings {
    /// Measured for each candidate, in a round of each stage.
    double seconds[3] = {0.03, 0.04, 0.08};
    double step_timeout = 20;  ///< Of a candidate that is compiled, verified or timed.
    double start_timeout = 300;  ///< Of a child, which computes a reference.
    double start_pause =
        1;  ///< Before the second try to start one; each later one is twice as long.
    double budget = std::numeric_limits<double>::infinity();  ///< In all.
    double work = 0;  ///< FLOP of a call, for rates.
    /// Why a call on so many sets of operands cannot have taken this time; "" where it can.
    std::function<std::string(double microseconds, int sets)> implausible = [](double, int) {
        return std::string();
    };
    std::function<void(const std::string&)> progress = [](const std::string&) {};
};

struct Tuning {
    std::vector<Tried> tried;  ///< The best first, then by time, then those without.
    bool interrupted = false;
    bool complete = true;  ///< No candidate was left out, and the best were measured again.
    std::string stopped;  ///< Why it is not complete.

    const Tried* best() const { return !tried.empty() && tried[0].ok() ? &tried[0] : nullptr; }
};

/// More candidates, near the best of those that were tried; to be found in so many seconds.
using Refine =
    std::function<std::vector<TuneCandidate>(std::span<const Tried> best_first, double seconds)>;

/// Each is verified before it is timed and again after, on other operands. What one of them does to
/// its process is its reason. What the journal knows is not measured again.
Tuning tune(Child& child, Journal& journal, std::vector<TuneCandidate> candidates,
            const Refine& refine, const TuneSettings& settings);

}  // namespace tilewright::lab
