// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"
#include "lab/text.h"

namespace tilewright::lab::report {

namespace {

constexpr const char* kFirst = "k1";  // what the whole ladder's gain is told against

/// "cold, graph, beta=1"
std::string mode_of(const MeasuredRow& row) {
    std::vector<std::string> words;
    if (!row.memory.empty() && row.memory != "hot") words.push_back(row.memory);
    if (row.launch == "graph") words.push_back(row.launch);
    if (const std::string more = conditions_of(row); !more.empty()) words.push_back(more);
    return join(words, ", ");
}

/// Times the rate of this rung at the same size, where both compute alike in the same conditions.
std::optional<double> times(const Squares& squares, const std::string& id, const MeasuredRow& row) {
    const KernelDefinition* kernel = kernel_with_id(row.rung);
    if (!kernel || kernel->kind == Kind::engine || id.empty()) return {};
    MeasuredRow other = row;
    other.rung = id;
    const auto found = squares.find({contender_of(other), row.m});
    if (found == squares.end() || found->second->arithmetic != row.arithmetic ||
        conditions_of(*found->second) != conditions_of(row))
        return {};
    return *row.gflops / *found->second->gflops;
}

Json row_json(const Squares& squares, const MeasuredRow& row, size_t series) {
    const KernelDefinition* kernel = kernel_with_id(row.rung);
    Json json{{"series", series}, {"id", contender_of(row)}, {"label", kernel_label(row)},
              {"size", row.m},    {"gflops", *row.gflops},   {"us", *row.median_us}};
    json["spread"] = row.spread_us ? Json(*row.spread_us / *row.median_us * 100) : Json(nullptr);
    json["samples"] = row.samples > 0 ? Json(row.samples) : Json(nullptr);
    json["cublas"] = or_null(row.percent_of_cublas);
    json["peak"] = or_null(row.percent_of_peak);
    json["parent"] = or_null(times(squares, kernel ? kernel->parent : "", row));
    json["first"] = or_null(row.rung == kFirst ? std::nullopt : times(squares, kFirst, row));
    json["mhz"] = or_null(row.sm_mhz);
    json["watts"] = or_null(row.watts);
    json["mode"] = mode_of(row);
    json["throttling"] = row.throttling;
    if (!row.chosen.empty()) json["chosen"] = row.chosen;
    if (!row.opponent.empty() && !is_cublas(row.opponent) && row.percent_of_opponent)
        json["opponent"] = {row.opponent, *row.percent_of_opponent};
    return json;
}

}  // namespace

Json missing(const std::string& why, const std::string& command) {
    return {{"missing", why}, {"command", command}};
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
