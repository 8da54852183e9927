// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

Json errors_panel(const Material& material) {
    Json points = Json::array();
    std::set<int64_t> sizes;
    std::set<std::string> arithmetics;
    std::map<int64_t, std::set<std::string>> at_size;
    for (size_t index = 0; index < material.series.size(); ++index)
        for (const auto& [place, measured] : squares_of(material.series[index])) {
            const MeasuredRow& row = *measured;
            if (!row.max_error) continue;
            points.push_back({{"series", index},
                              {"id", contender_of(row)},
                              {"label", kernel_label(row)},
                              {"arithmetic", row.arithmetic},
                              {"size", row.m},
                              {"dist", row.dist},
                              {"gflops", *row.gflops},
                              {"error", *row.max_error},
                              {"bound", or_null(row.bound)}});
            sizes.insert(row.m);
            arithmetics.insert(row.arithmetic);
            at_size[row.m].insert(row.arithmetic);
        }
    const std::string command =
        "tilewright bench tensor_tile bf16x6_tile bf16x9_tile tf32_tile large_tile --device 0 "
        "--sizes 1024:8192*2 --output modes.json";
    if (points.empty()) return missing("No square product has an error beside its time.", command);
    // The size at which most arithmetics can be compared; of these the usual one, or the largest.
    int64_t size = 0;
    for (const auto& [each, names] : at_size)
        if (size == 0 || names.size() > at_size[size].size() ||
            (names.size() == at_size[size].size() && size != kTableSize))
            size = each;
    Json panel{{"size", size}, {"sizes", sizes}, {"points", points}};
    if (arithmetics.size() < 2) {
        panel["alone"] = *arithmetics.begin();
        panel["command"] = command;
    }
    return panel;
}

}  // namespace tilewright::lab::report
