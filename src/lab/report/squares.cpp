// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

namespace {

/// Times the parent's rate, where both compute alike.
std::optional<double> times_parent(const Squares& squares, const MeasuredRow& row) {
    const KernelDefinition* kernel = kernel_with_id(row.rung);
    if (!kernel || kernel->kind == Kind::engine) return {};
    const auto parent = squares.find({kernel->parent, row.m});
    if (parent == squares.end() || parent->second->arithmetic != row.arithmetic) return {};
    return *row.gflops / *parent->second->gflops;
}

Json row_json(const Squares& squares, const MeasuredRow& row, size_t series) {
    Json json{{"series", series}, {"id", row.rung},        {"label", kernel_label(row)},
              {"size", row.m},    {"gflops", *row.gflops}, {"us", *row.median_us}};
    json["spread"] = row.spread_us ? Json(*row.spread_us / *row.median_us * 100) : Json(nullptr);
    json["samples"] = row.samples > 0 ? Json(row.samples) : Json(nullptr);
    json["cublas"] = or_null(row.percent_of_cublas);
    json["peak"] = or_null(row.percent_of_peak);
    json["parent"] = or_null(times_parent(squares, row));
    json["mhz"] = or_null(row.sm_mhz);
    json["watts"] = or_null(row.watts);
    json["mode"] = row.memory + (row.launch == "graph" ? ", graph" : "");
    return json;
}

}  // namespace

Json missing(const std::string& why, const std::string& command) {
    return {{"missing", why}, {"command", command}};
}

Json or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json squares_panel(const Material& material) {
    Json rows = Json::array();
    std::set<int64_t> sizes;
    std::vector<std::string> ids;
    for (size_t index = 0; index < material.series.size(); ++index) {
        const Squares squares = squares_of(material.series[index]);
        for (const auto& [place, row] : squares) {
            rows.push_back(row_json(squares, *row, index));
            sizes.insert(place.second);
            ids.push_back(place.first);
        }
    }
    if (rows.empty())
        return missing("No square product was timed.",
                       "tilewright ladder --device 0 --output ladder.json");
    return {{"size", sizes.count(kTableSize) ? kTableSize : *sizes.rbegin()},
            {"sizes", sizes},
            {"ids", in_reading_order(ids)},
            {"rows", rows}};
}

}  // namespace tilewright::lab::report
