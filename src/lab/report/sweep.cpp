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
constexpr int64_t kTileM = 256, kTileN = 128;  // cuBLAS's for large squares, and the engine's

struct Point {
    const MeasuredRow *cublas = nullptr, *engine = nullptr;
    std::map<std::string, const MeasuredRow*> rungs;
};

void keep_faster(const MeasuredRow*& best, const MeasuredRow& row) {
    if (!best || *row.gflops > *best->gflops) best = &row;
}

std::map<int64_t, Point> points_of(const Series& series) {
    std::map<int64_t, Point> points;
    for (const MeasuredRow& row : series.rows) {
        if (!row.timed() || !row.is_square() || row.m % kStep != 0 || row.arithmetic != "fp32")
            continue;
        const std::string family = family_of(row.rung);
        Point& point = points[row.m];
        keep_faster(family == "cublas"   ? point.cublas
                    : family == "engine" ? point.engine
                                         : point.rungs[row.rung],
                    row);
    }
    return points;
}

/// In runs without a gap; shorter ones say nothing of what lies between.
std::vector<std::map<int64_t, Point>> runs_of(const std::map<int64_t, Point>& points) {
    std::vector<std::map<int64_t, Point>> runs;
    for (const auto& [size, point] : points) {
        if (runs.empty() || runs.back().rbegin()->first + kStep != size) runs.emplace_back();
        runs.back()[size] = point;
    }
    std::erase_if(runs, [](const auto& run) { return run.size() < kLeast; });
    return runs;
}

/// Of the rungs that were timed at every size the fastest at the last: one whose line has no gaps.
std::string rung_of(const std::map<int64_t, Point>& run) {
    std::string best;
    for (const auto& [id, last] : run.rbegin()->second.rungs) {
        const bool everywhere = std::all_of(
            run.begin(), run.end(), [&](const auto& each) { return each.second.rungs.count(id); });
        const auto& rungs = run.rbegin()->second.rungs;
        if (everywhere && (best.empty() || *last->gflops > *rungs.at(best)->gflops)) best = id;
    }
    return best;
}

int64_t tiles_of(int64_t size) {
    return (size + kTileM - 1) / kTileM * ((size + kTileN - 1) / kTileN);
}

/// The sizes from which on one wave more is needed.
Json wave_starts(int64_t first, int64_t last, int64_t multiprocessors) {
    Json starts = Json::array();
    const auto waves = [&](int64_t size) {
        return (tiles_of(size) + multiprocessors - 1) / multiprocessors;
    };
    for (int64_t size = first + kStep; size <= last; size += kStep)
        if (waves(size) > waves(size - kStep))
            starts.push_back({{"size", size}, {"waves", waves(size)}});
    return starts;
}

Json cell(const MeasuredRow* row) {
    if (!row) return nullptr;
    return {{"gflops", *row->gflops}, {"label", kernel_label(*row)}};
}

}  // namespace

Json sweep_panel(const Material& material) {
    Json sweeps = Json::array();
    for (size_t index = 0; index < material.series.size(); ++index) {
        const Series& series = material.series[index];
        for (const auto& run : runs_of(points_of(series))) {
            const int64_t first = run.begin()->first, last = run.rbegin()->first;
            const std::string rung = rung_of(run);
            Json sweep{{"series", index},
                       {"rung_id", rung.empty() ? Json(nullptr) : Json(rung)},
                       {"sizes", Json::array()}};
            for (const char* key : {"cublas", "engine", "rung", "waves"})
                sweep[key] = Json::array();
            const auto multiprocessors = series.environment.find("multiprocessors");
            const bool known =
                multiprocessors != series.environment.end() && multiprocessors->is_number_integer();
            const int64_t count = known ? multiprocessors->get<int64_t>() : 0;
            for (const auto& [size, point] : run) {
                sweep["sizes"].push_back(size);
                sweep["cublas"].push_back(cell(point.cublas));
                sweep["engine"].push_back(cell(point.engine));
                sweep["rung"].push_back(rung.empty() ? Json(nullptr) : cell(point.rungs.at(rung)));
                sweep["waves"].push_back(
                    count > 0 ? Json(static_cast<double>(tiles_of(size)) / count) : Json(nullptr));
            }
            sweep["wave_starts"] = count > 0 ? wave_starts(first, last, count) : Json::array();
            sweeps.push_back(sweep);
        }
    }
    if (sweeps.empty())
        return missing("No run of at least 8 square sizes in steps of 128 was timed.",
                       "tilewright bench large_tile tile k10 stream_k --variant all --device 0 "
                       "--min-time 0.03 --sizes 128:4096:128 --output sweep.json");
    return {{"tile", {kTileM, kTileN}}, {"sweeps", sweeps}};
}

}  // namespace tilewright::lab::report
