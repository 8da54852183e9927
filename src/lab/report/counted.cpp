// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

namespace {

struct Column {
    const char* key;
    const char* title;
    int digits;
};
constexpr Column kColumns[] = {{"sectors_per_load", "sectors / load", 2},
                               {"global_bytes_per_result", "bytes moved / result", 1},
                               {"words_per_ffma", "words / FFMA", 4},
                               {kCompiledWavefronts, "wavefronts / FFMA", 4},
                               {"shared_load_ways", "ways / load", 2},
                               {"barriers_per_block", "barriers / block", 0},
                               {"intensity_l2", "FLOP / byte of L2", 2}};

Json row_json(const CountedKernel& counted) {
    MeasuredRow named;  // for its label alone
    named.rung = counted.rung, named.variant = counted.variant;
    named.arithmetic = arithmetic_of(counted.rung);
    Json row{{"id", counted.rung},
             {"label", kernel_label(named)},
             {"shape", fmt::format("{}x{}x{}", counted.m, counted.n, counted.k)},
             {"values", Json::array()}};
    for (const Column& column : kColumns) {
        const auto found = counted.totals.find(column.key);
        const bool there = found != counted.totals.end() && found->second != 0;
        row["values"].push_back(there ? Json(found->second) : Json(nullptr));
    }
    return row;
}

}  // namespace

Json counted_panel(const Material& material) {
    std::vector<std::string> ids;
    for (const CountedKernel& counted : material.counts) ids.push_back(counted.rung);
    Json columns = Json::array(), rows = Json::array();
    for (const Column& column : kColumns) columns.push_back({column.title, column.digits});
    for (const std::string& id : in_reading_order(ids))
        for (const CountedKernel& counted : material.counts)
            if (counted.rung == id) rows.push_back(row_json(counted));
    return {{"counted", material.counts_from}, {"columns", columns}, {"rows", rows}};
}

}  // namespace tilewright::lab::report
