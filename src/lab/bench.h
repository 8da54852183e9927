// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Times kernels on one case, in turns.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/budget.h"
#include "lab/device.h"
#include "lab/opponent.h"
#include "lab/results.h"

namespace tilewright::lab {

/// How kernels are run once they are verified.
enum class Manner {
    turns,  ///< Timed, in turns.
    sustained,  ///< Timed one after another, each without a pause.
    profiled,  ///< Not timed: one call for a profiler.
};

struct BenchOptions {
    double min_seconds = 0.25;  ///< Measured for each kernel.
    Budget* budget = nullptr;  ///< Chooses min_seconds in its place; outlives the call.
    bool rotate = true;  ///< Cold numbers: operands in turn past the L2 cache.
    Manner manner = Manner::turns;
    Opponents opponents;
    /// The command that gives a row again, from the row and the seconds measured.
    std::function<std::string(const Row&, double min_seconds)> command;
    /// Told before each step, for a person who waits.
    std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// A row for each candidate. A kernel is verified before it is timed and again after; one that is
/// not right has no time. Candidates take turns, so that all are timed in the same minutes, and are
/// compared with their opponents among them. Throws nothing for what a kernel or the device does.
/// After Ctrl-C, what was not finished is not_run.
std::vector<Row> bench(Device& device, std::span<const Candidate> candidates, const Case& test,
                       const BenchOptions& options);

}  // namespace tilewright::lab
