// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What `tilewright bench` was asked for: kernels, opponents, cases and how to time them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/bench.h"
#include "lab/options.h"

namespace tilewright::lab {

struct BenchPlan {
    std::unique_ptr<Device> device;
    std::vector<Case> cases;
    std::vector<Candidate> candidates;  ///< With their opponents, in front.
    BenchOptions settings;
    std::unique_ptr<Budget> budget;

    /// Times everything, and tells the rows of each case as they come. Ends early after Ctrl-C.
    void run(const std::function<void(std::span<const Row>)>& take);
};

/// Opens the device. Throws UsageError and NoDevice.
BenchPlan plan_bench(const Options& options);

}  // namespace tilewright::lab
