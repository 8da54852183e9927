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

/// All are in the first, 0.
inline constexpr int kLastStage = 2;

struct Tried {
    TuneCandidate candidate;
    Outcome outcome = Outcome::not_run;
    std::string reason;  ///< Why there is no time.
    std::vector<double> samples;  ///< Microseconds of a call, of the last stage it was in.
    std::vector<std::vector<double>> earlier;  ///< Of the stages before that.
    bool cold = false, graph = false;
    double compile_ms = 0;  ///< 0: compiled in, or kept from before.
    bool resumed = false;  ///< Its first samples are from a run that was interrupted.
    int stage = 0;  ///< That its samples are of: the best were measured again, in turns.
    bool tied = false;  ///< Cannot be told from the best.

    bool ok() const { return outcome == Outcome::ok && !samples.empty(); }
    Timing timing() const { return summarise(samples); }
    /// Of a stage that it was in.
    const std::vector<double>& samples_of(int of_stage) const {
        return of_stage == stage ? samples : earlier[static_cast<size_t>(of_stage)];
    }
    void enter(int next_stage, std::vector<double> its_samples);
};

/// First and third quartile.
struct Interval {
    double low = 0, high = 0;

    bool overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};
Interval interval_of(std::vector<double> samples);

/// Whether their intervals overlap in the last stage that both were in.
bool are_tied(const Tried& a, const Tried& b);

}  // namespace tilewright::lab
