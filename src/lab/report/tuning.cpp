// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

namespace {

constexpr size_t kLeast = 3;  // variants worth a picture

/// What variants are drawn over; null where this build does not know the variant.
Json configuration_of(const MeasuredRow& row) {
    const Variant* variant = variant_of(row.rung, row.variant);
    if (!variant) return nullptr;
    const TileConfig& c = variant->config;
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

using Place = std::tuple<size_t, std::string, std::string>;  // series, kernel, shape

}  // namespace

Json tuning_panel(const Material& material) {
    std::vector<std::pair<Place, std::map<std::string, const MeasuredRow*>>> spaces;
    for (size_t index = 0; index < material.series.size(); ++index)
        for (const MeasuredRow& row : material.series[index].rows) {
            if (!row.timed() || row.rung == kCublas) continue;
            const Place place{index, row.rung, shape_label(row)};
            auto found = std::find_if(spaces.begin(), spaces.end(),
                                      [&](const auto& each) { return each.first == place; });
            if (found == spaces.end()) found = spaces.insert(spaces.end(), {place, {}});
            const MeasuredRow*& best = found->second[row.variant];
            if (!best || is_plainer(row, *best)) best = &row;
        }
    Json all = Json::array();
    for (const auto& [place, variants] : spaces) {
        if (variants.size() < kLeast) continue;
        const auto& [index, id, shape] = place;
        std::vector<const MeasuredRow*> rows;
        for (const auto& [name, row] : variants) rows.push_back(row);
        std::sort(rows.begin(), rows.end(), [](const MeasuredRow* a, const MeasuredRow* b) {
            return *a->gflops > *b->gflops;
        });
        Json space{{"series", index}, {"id", id}, {"shape", shape}, {"variants", Json::array()}};
        for (const MeasuredRow* row : rows)
            space["variants"].push_back(
                {{"name", row->variant},
                 {"gflops", *row->gflops},
                 {"us", *row->median_us},
                 {"spread",
                  row->spread_us ? Json(*row->spread_us / *row->median_us * 100) : Json(nullptr)},
                 {"config", configuration_of(*row)}});
        all.push_back(space);
    }
    if (all.empty())
        return missing("No kernel was timed in three variants or more.",
                       "tilewright bench k9 --variant all --device 0 --sizes 1024,4096 --output "
                       "tuned.json");
    return {{"spaces", all}};
}

}  // namespace tilewright::lab::report
