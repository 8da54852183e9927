// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What `tilewright tune --output` wrote: each candidate for a problem, with its configuration.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/tile_config.h"

namespace tilewright::lab::report {

struct TunedCandidate {
    std::string name, kernel;
    std::optional<TileConfig> config;  ///< None where this program does not know the variant.
    std::string outcome, reason, limiter;
    std::optional<double> us, spread_us, gflops;  ///< In CPU mode bounds of them.
    bool tied = false;

    bool timed() const { return us && gflops; }
};

struct TunedProblem {
    std::string subject, problem, arithmetic, best;
    bool measured = true;  ///< Else ranked by a bound.
    bool complete = true;
    std::vector<TunedCandidate> candidates;
};

/// Throws UsageError, which begins with the path.
std::vector<TunedProblem> tuned_in(const std::string& path, const nlohmann::ordered_json& json);

}  // namespace tilewright::lab::report
