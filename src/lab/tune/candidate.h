// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// One way to compute what is tuned for, and what came of trying it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/tile_config.h"
#include "lab/timer.h"
#include "lab/verify.h"

namespace tilewright::lab {

struct TuneCandidate {
    std::string name;  ///< What it is called in a list, which has it once.
    std::string kernel;  ///< A definition's id.
    std::string variant;  ///< Of those compiled in; "" where the configuration is to be compiled.
    int parts = 1;  ///< Of k.
    std::optional<TileConfig> config = {};
};

nlohmann::ordered_json json_of(const TuneCandidate& candidate);
/// None where it is not what json_of() makes.
std::optional<TuneCandidate> candidate_in(const nlohmann::ordered_json& json);

struct Tried {
    TuneCandidate candidate;
    Outcome outcome = Outcome::not_run;
    std::string reason;  ///< Why there is no time.
    std::vector<double> samples;  ///< Microseconds of a call.
    bool cold = false, graph = false;
    double compile_ms = 0;  ///< 0: compiled in, or kept from before.
    bool resumed = false;  ///< Its first samples are from a run that was interrupted.
    int stage = 0;  ///< That its samples are of: the best were measured again, in turns.
    bool tied = false;  ///< Its interval overlaps the best's.

    bool ok() const { return outcome == Outcome::ok && !samples.empty(); }
    Timing timing() const { return summarise(samples); }
};

/// First and third quartile.
struct Interval {
    double low = 0, high = 0;

    bool overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};
Interval interval_of(std::vector<double> samples);

}  // namespace tilewright::lab
