// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What verifying or timing one kernel on one case came to, as JSON, CSV and sentences.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/case.h"
#include "lab/selection.h"
#include "lab/table.h"
#include "lab/totals.h"
#include "lab/verify.h"

namespace tilewright::lab {

/// A number that was not measured is absent; a kernel that is not right has no time.
struct Row {
    std::string rung, name, variant;
    Arithmetic arithmetic = Arithmetic::fp32;
    std::string label;  ///< "k5", or "k9/a100" for another variant than the default.
    std::string kernel;  ///< The library's row: what it took, as dispatch names it.
    std::optional<bool> tuned;  ///< Likewise: whether for an entry of the tuning database.
    Case test;
    Outcome outcome = Outcome::not_run;
    std::string reason;
    std::optional<double> max_error, bound;
    int samples = 0;
    std::optional<double> median_us, min_us, spread_us, gflops, percent_of_cublas, percent_of_peak;
    std::string opponent;  ///< The label of the row whose rate is 100 per cent; empty without one.
    std::optional<double> percent_of_opponent;
    std::optional<bool> cold, graph;
    bool sustained = false;  ///< Timed without a pause, when the GPU had found its power limit.
    std::optional<double> joules;  ///< Of a call; sustained rows alone have it and the next.
    std::optional<double> gflops_per_watt;
    /// Of the turn with the middle clock, seen when it had ended; of sustained rows see mean_of().
    std::optional<Vitals> vitals;
    std::optional<Totals> counted;  ///< In CPU mode, where accesses were recorded.
    std::string command;  ///< Gives this row again.
};

Row row_for(const Candidate& candidate, const Case& test);

/// The quartile distance in per cent of the median.
std::optional<double> noise_percent(const Row& row);

/// Whether a table of these rows must say in which arithmetic each was computed.
bool mixes_arithmetic(std::span<const Row> rows);

/// Takes over outcome, error, bound and reason.
void set_verdict(Row& row, const Verdict& verdict);

/// Keeps the reason and drops all times.
void set_failure(Row& row, Outcome outcome, std::string reason);

nlohmann::ordered_json json_of(const Row& row);

/// One line a row with the fields of the JSON.
Table csv_table(std::span<const Row> rows);

/// Rows that are not ok, a sentence each; empty when there is none.
std::string complaints(std::span<const Row> rows);

/// kRight when every row is ok, else kWrong.
int exit_status(std::span<const Row> rows);

/// "4096" for a cube, else "MxNxK"; then what is not plain: " TN x3 parts=2".
std::string shape_label(const Case& test);

}  // namespace tilewright::lab
