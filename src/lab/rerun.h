// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Runs the command of a row that was measured before, and compares.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/options.h"

namespace tilewright::lab {

/// The difference of two medians by the first, in per cent, and whether it is more than noise: see
/// noise_between().
struct Change {
    double percent = 0;
    double noise_percent = 0;
    bool beyond_noise() const;
};

/// How a row has changed that was measured twice.
struct Repeated {
    nlohmann::ordered_json before, now;  ///< As rows are written.
    std::optional<Change> change;  ///< Where both have a time.
    std::vector<std::string> differing;  ///< Fields that say what was run, and differ.
};
Repeated repeated(nlohmann::ordered_json before, nlohmann::ordered_json now);

/// Where a row was measured twice.
struct Environments {
    nlohmann::ordered_json before, now;
    std::vector<std::string> differing;  ///< Fields without which alike times say little.
};
Environments environments_of(nlohmann::ordered_json before, nlohmann::ordered_json now);

/// `bench --rerun`.
int run_rerun(const Options& options);

}  // namespace tilewright::lab
