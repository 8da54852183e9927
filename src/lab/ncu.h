// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Nsight Compute, NVIDIA's profiler, as a program that is run where it is installed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::lab {

/// The program, from PATH or where the CUDA toolkit puts it; one that may be run.
std::optional<std::string> find_ncu();

/// What it said of one kernel launch.
struct ProfiledLaunch {
    std::string kernel;
    std::map<std::string, double> metrics;  ///< Those that are numbers.

    /// Throws DeviceError where ncu has no number for it.
    double metric(const std::string& name) const;
};

/// Runs this program with `arguments` under ncu, and returns the launches of the ladder's kernels in
/// their order. Throws DeviceError with what ncu complained of.
std::vector<ProfiledLaunch> run_ncu(const std::string& ncu, const std::vector<std::string>& metrics,
                                    const std::vector<std::string>& arguments);

/// The launches in ncu's raw CSV, among other lines. Throws DeviceError when there is none, or one
/// is cut short.
std::vector<ProfiledLaunch> parse_ncu(const std::string& csv);

}  // namespace tilewright::lab
