// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Rows and files that nobody measured, for tests of what a report shows.
#pragma once

#include <string>
#include <vector>

#include "lab/report/counts.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

inline Json environment(const std::string& date = "2026-01-01",
                        const std::string& device = "NVIDIA H200") {
    return {{"device", device},        {"mode", "gpu"},
            {"multiprocessors", 132},  {"clocks", {{"sm_max_mhz", 1980}}},
            {"peak_gflops", 66908.16}, {"date", date}};
}

inline Json row(const std::string& rung, int64_t m, int64_t n, int64_t k, double gflops) {
    const double us = 2e-3 * static_cast<double>(m * n * k) / gflops;
    return {{"rung", rung},      {"variant", "default"}, {"shape", {m, n, k}},
            {"memory", "cold"},  {"launch", "stream"},   {"dist", "uniform"},
            {"samples", 30},     {"median_us", us},      {"spread_us", us / 1000},
            {"gflops", gflops},  {"status", "ok"},       {"sm_mhz", 1980},
            {"max_error", 2e-7}, {"bound", 3e-6},        {"percent_of_cublas", 50.0}};
}

inline Json cube(const std::string& rung, int64_t size, double gflops) {
    return row(rung, size, size, size, gflops);
}

inline Json with(Json row, const char* key, const Json& value) {
    row[key] = value;
    return row;
}

inline ResultsFile file(const std::vector<Json>& rows, const std::string& name = "a.json",
                        const Json& from = environment()) {
    return parse_results(name, Json{{"environment", from}, {"results", rows}}.dump());
}

inline Material material(const std::vector<ResultsFile>& files,
                         Grouping grouping = Grouping::by_device) {
    Material made{.files = files};
    made.series = series_of(made.files, grouping, made.repeated);
    made.counts = counts_for(made.files, made.counts_from);
    return made;
}

}  // namespace tilewright::lab::report
