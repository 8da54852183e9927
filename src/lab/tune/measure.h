// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Tuning of one problem from its space to the database.
#pragma once

#include <functional>
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

/// Adds the best to the database, unless the run was interrupted. Sentences: where, or why not.
std::vector<std::string> remember(const TunedProblem& problem, const DeviceInfo& device,
                                  const MeasureSettings& settings);

}  // namespace tilewright::lab
