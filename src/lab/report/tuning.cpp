// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

namespace {

constexpr size_t kLeast = 3;  // variants worth a picture

/// What variants are drawn over.
Json configuration_json(const TileConfig& c) {
    Json json{{"block", {c.block.m, c.block.n, c.block.k}},
              {"warp", {c.warp.m, c.warp.n}},
              {"thread", {c.thread.m, c.thread.n}},
              {"threads", block_threads(c)},
              {"stages", c.stages},
              {"area", c.block.m * c.block.n},
              {"depth", c.block.k}};
    json["accumulators"] = c.threads > 0 ? c.block.m * c.block.n / c.threads : 0;
    // FLOP for each byte that a block loads: BM BN / (2 (BM + BN)).
    json["intensity"] =
        c.block.m + c.block.n > 0 ? c.block.m * c.block.n / (2.0 * (c.block.m + c.block.n)) : 0.0;
    return json;
}

/// Null where this build does not know the variant.
Json configuration_of(const MeasuredRow& row) {
    const Variant* variant = variant_of(row.rung, row.variant);
    return variant ? configuration_json(variant->config) : Json(nullptr);
}

Json percent_of(const std::optional<double>& part, const std::optional<double>& whole) {
    return part && whole ? Json(*part / *whole * 100) : Json(nullptr);
}

using Place = std::tuple<std::string, std::string, std::string>;  // contender, shape, conditions

/// Rows of a series by what may be compared; of each variant the plainest.
std::vector<std::pair<Place, std::map<std::string, const MeasuredRow*>>> measured_spaces(
    const Series& series) {
    std::vector<std::pair<Place, std::map<std::string, const MeasuredRow*>>> spaces;
    std::map<Place, size_t> places;
    for (const MeasuredRow& row : series.rows) {
        if (!row.timed() || is_cublas(row.rung)) continue;
        const Place place{contender_of(row), shape_label(row), conditions_of(row)};
        const auto [found, is_new] = places.try_emplace(place, spaces.size());
        if (is_new) spaces.push_back({place, {}});
        const MeasuredRow*& best = spaces[found->second].second[row.variant];
        if (!best || is_plainer(row, *best)) best = &row;
    }
    std::erase_if(spaces, [](const auto& space) { return space.second.size() < kLeast; });
    return spaces;
}

Json variants_json(const std::map<std::string, const MeasuredRow*>& variants) {
    std::vector<const MeasuredRow*> rows;
    for (const auto& [name, row] : variants) rows.push_back(row);
    std::sort(rows.begin(), rows.end(),
              [](const MeasuredRow* a, const MeasuredRow* b) { return *a->gflops > *b->gflops; });
    Json all = Json::array();
    for (const MeasuredRow* row : rows)
        all.push_back({{"name", row->variant},
                       {"gflops", *row->gflops},
                       {"us", *row->median_us},
                       {"spread", percent_of(row->spread_us, row->median_us)},
                       {"config", configuration_of(*row)}});
    return all;
}

/// In the tuner's order, the best first.
Json tuned_json(const TunedProblem& problem) {
    Json json{{"id", problem.subject},
              {"shape", problem.problem},
              {"conditions", ""},
              {"tuned", problem.measured ? "measured" : "bound"},
              {"complete", problem.complete},
              {"variants", Json::array()},
              {"failed", Json::array()}};
    for (const TunedCandidate& each : problem.candidates) {
        if (!each.timed()) {
            json["failed"].push_back({each.name, each.outcome, each.reason});
            continue;
        }
        Json variant{{"name", each.name},
                     {"gflops", *each.gflops},
                     {"us", *each.us},
                     {"spread", percent_of(each.spread_us, each.us)},
                     {"config", each.config ? configuration_json(*each.config) : Json(nullptr)}};
        variant["note"] = each.name == problem.best ? "best" : each.tied ? "tied" : each.limiter;
        json["variants"].push_back(variant);
    }
    return json;
}

}  // namespace

Json tuning_panel(const Material& material) {
    Json all = Json::array();
    for (size_t index = 0; index < material.series.size(); ++index) {
        const Series& series = material.series[index];
        for (const TunedProblem& problem : series.tuned) {
            all.push_back(tuned_json(problem));
            all.back()["series"] = index;
        }
        for (const auto& [place, variants] : measured_spaces(series)) {
            const auto& [id, shape, conditions] = place;
            all.push_back({{"series", index},
                           {"id", id},
                           {"shape", shape},
                           {"conditions", conditions},
                           {"tuned", nullptr},
                           {"variants", variants_json(variants)},
                           {"failed", Json::array()}});
        }
    }
    if (all.empty())
        return missing("No kernel was tuned, or timed in three variants or more.",
                       "tilewright tune k9 --device 0 --shape 4096 --output k9.json");
    return {{"spaces", all}};
}

}  // namespace tilewright::lab::report
