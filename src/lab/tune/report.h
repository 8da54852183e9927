// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What tuning came to, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/gpus.h"
#include "lab/table.h"
#include "lab/tune/bound_ranking.h"
#include "lab/tune/space.h"
#include "lab/tune/tuner.h"

namespace tilewright::lab {

/// Of one problem.
struct TunedProblem {
    std::string subject;  ///< engine::kEngine or a rung's id.
    Case test;
    Arithmetic mode = Arithmetic::fp32;
    Space space;
    std::string reason;  ///< Why nothing was tried; "" where something was.
    bool measured = false;  ///< Else ranked by what was counted.
    Tuning tuning;
    std::vector<Bounded> bounds;
    std::string not_resumable;  ///< Why an interrupted run cannot go on; "" where it can.
};

/// One row a candidate.
Table table_of(const TunedProblem& problem);
/// Below the table: the best, what ties with it, and what is left out. 80 columns.
std::string summary_of(const TunedProblem& problem, const Gpu* gpu);
/// Reasons against configurations, each with how many it refuses and one of these. 80 columns.
std::string why_of(const TunedProblem& problem);
nlohmann::ordered_json json_of(const TunedProblem& problem, bool why);

}  // namespace tilewright::lab
