// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

namespace {

constexpr int64_t kStep = 128;
constexpr size_t kLeast = 8;  // sizes, below which nothing can be seen of cliffs

struct Point {
    const MeasuredRow *cublas = nullptr, *library = nullptr, *best = nullptr;
    std::map<std::string, const MeasuredRow*> rungs;  ///< By label: a line is one variant's.
};

using Run = std::map<int64_t, Point>;  // by size

void keep_faster(const MeasuredRow*& best, const MeasuredRow& row) {
    if (!best || *row.gflops > *best->gflops) best = &row;
}

const MeasuredRow*& line_of(Point& point, const MeasuredRow& row) {
    const std::string family = family_of(row.rung);
    return family == "cublas"    ? point.cublas
           : family == "library" ? point.library
           : family == "engine"  ? point.best
                                 : point.rungs[kernel_label(row)];
}

std::map<std::string, Run> points_by_conditions(const Series& series) {
    std::map<std::string, Run> all;
    for (const MeasuredRow& row : series.rows)
        if (row.timed() && row.is_square() && row.m % kStep == 0 && row.arithmetic == "fp32")
            keep_faster(line_of(all[conditions_of(row)][row.m], row), row);
    return all;
}

/// In runs without a gap; shorter ones say nothing of what lies between.
std::vector<Run> runs_of(const Run& points) {
    std::vector<Run> runs;
    for (const auto& [size, point] : points) {
        if (runs.empty() || runs.back().rbegin()->first + kStep != size) runs.emplace_back();
        runs.back()[size] = point;
    }
    std::erase_if(runs, [](const Run& run) { return run.size() < kLeast; });
    return runs;
}

/// Of the rungs that were timed at every size the fastest at the last: one whose line has no gaps.
const MeasuredRow* rung_of(const Run& run) {
    const MeasuredRow* best = nullptr;
    for (const auto& [label, last] : run.rbegin()->second.rungs)
        if (std::all_of(run.begin(), run.end(),
                        [&](const auto& each) { return each.second.rungs.count(label); }))
            keep_faster(best, *last);
    return best;
}

int64_t tiles_of(int64_t size, const Tile& tile) {
    return (size + tile.m - 1) / tile.m * ((size + tile.n - 1) / tile.n);
}

/// The sizes from which on one wave more is needed, with a block on each multiprocessor.
Json wave_starts(const Run& run, const Tile& tile, int64_t multiprocessors) {
    Json starts = Json::array();
    const auto waves = [&](int64_t size) {
        return (tiles_of(size, tile) + multiprocessors - 1) / multiprocessors;
    };
    for (int64_t size = run.begin()->first + kStep; size <= run.rbegin()->first; size += kStep)
        if (waves(size) > waves(size - kStep))
            starts.push_back({{"size", size}, {"waves", waves(size)}});
    return starts;
}

Json cell(const MeasuredRow* row) {
    if (!row) return nullptr;
    return {{"gflops", *row->gflops},
            {"label", row->chosen.empty() ? kernel_label(*row) : row->chosen}};
}

Json sweep_json(const Run& run, int64_t multiprocessors) {
    const MeasuredRow* rung = rung_of(run);
    const std::string label = rung ? kernel_label(*rung) : "";
    Json sweep{{"rung_id", rung ? Json(contender_of(*rung)) : Json(nullptr)},
               {"rung_label", label},
               {"tile", nullptr},
               {"sizes", Json::array()},
               {"wave_starts", Json::array()}};
    for (const char* key : {"cublas", "library", "best", "rung", "waves"})
        sweep[key] = Json::array();
    const Variant* variant = rung ? variant_of(rung->rung, rung->variant) : nullptr;
    const Tile tile = variant ? variant->config.block : Tile{};
    const bool has_waves = multiprocessors > 0 && tile.m > 0 && tile.n > 0;
    for (const auto& [size, point] : run) {
        sweep["sizes"].push_back(size);
        sweep["cublas"].push_back(cell(point.cublas));
        sweep["library"].push_back(cell(point.library));
        sweep["best"].push_back(cell(point.best));
        sweep["rung"].push_back(rung ? cell(point.rungs.at(label)) : Json(nullptr));
        sweep["waves"].push_back(has_waves ? Json(static_cast<double>(tiles_of(size, tile)) /
                                                  static_cast<double>(multiprocessors))
                                           : Json(nullptr));
    }
    if (has_waves) {
        sweep["tile"] = {tile.m, tile.n};
        sweep["wave_starts"] = wave_starts(run, tile, multiprocessors);
    }
    return sweep;
}

}  // namespace

Json sweep_panel(const Material& material) {
    Json sweeps = Json::array();
    for (size_t index = 0; index < material.series.size(); ++index) {
        const Series& series = material.series[index];
        const int64_t multiprocessors = integer_at(series.environment, "multiprocessors", 0);
        for (const auto& [conditions, points] : points_by_conditions(series))
            for (const Run& run : runs_of(points)) {
                Json sweep = sweep_json(run, multiprocessors);
                sweep["series"] = index;
                sweep["conditions"] = conditions;
                sweeps.push_back(sweep);
            }
    }
    if (sweeps.empty())
        return missing("No run of at least 8 square sizes in steps of 128 was timed.",
                       "tilewright bench library k10 stream_k --device 0 --min-time 0.03 "
                       "--sizes 128:4096:128 --output sweep.json");
    return {{"sweeps", sweeps}};
}

}  // namespace tilewright::lab::report
