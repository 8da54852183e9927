// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Tuning of one problem from its space to the database.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/options.h"
#include "lab/tune/report.h"

namespace tilewright::lab {

struct MeasureSettings {
    TuneSettings tuner;
    bool rotate = true;
    bool fresh = false;  ///< Forgets what an interrupted run had measured.
    std::string device;  ///< The word for the children.
};
/// Throws UsageError.
MeasureSettings measure_settings_of(const Options& options);

using Tell = std::function<void(const std::string&)>;

/// `rung` is null for the engine.
TunedProblem measure(Device& device, const KernelDefinition* rung, const Case& test,
                     Arithmetic mode, const MeasureSettings& settings, const Tell& progress);
/// By the counted bound, in CPU mode.
TunedProblem bound(Device& device, const KernelDefinition* rung, const Case& test, Arithmetic mode,
                   const Gpu& gpu, const Tell& progress);

struct Remembered {
    std::vector<std::string> remarks;  ///< Sentences: where, or why not.
    bool done = false;  ///< The problem needs no journal any more.
};
/// Adds the best to the database, in whose place one of a whole run stays before one that has left
/// something out. Unless the run was interrupted.
Remembered remember(const TunedProblem& problem, const DeviceInfo& device,
                    const MeasureSettings& settings);

struct Measured {
    std::vector<TunedProblem> problems;
    std::vector<std::string> remarks;
    bool done = false;  ///< All of them.
};
/// Each case is remembered as soon as it is measured; those that a run before had finished are taken
/// from their journals. Ends early after Ctrl-C.
Measured measure_all(Device& device, const KernelDefinition* rung, std::span<const Case> cases,
                     Arithmetic mode, const MeasureSettings& settings, const Tell& progress);

/// When all of a command is done and told: the next time it is to be measured anew.
void forget_journals(std::span<const TunedProblem> problems, const DeviceInfo& device,
                     const MeasureSettings& settings);

}  // namespace tilewright::lab
