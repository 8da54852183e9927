// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

namespace {

constexpr int64_t kSkinny = 128;
constexpr int64_t kLong = 16;  // times the larger side of C

struct Group {
    const char* key;
    const char* why;
    const char* command;
};
constexpr Group kGroups[] = {
    {"skinny", "No product with a side of 128 at most was timed.",
     "tilewright bench thin tile gemv --variant all --device 0 --shape 1x4096x4096 --shape "
     "32x4096x4096 --output skinny.json"},
    {"batched", "No batch of products was timed.",
     "tilewright bench tile --variant all --device 0 --batch 64 --sizes 64,128,256 --output "
     "batched.json"},
    {"long", "No product with a small result and a long k was timed.",
     "tilewright bench split_k tile --variant all --device 0 --shape 64x64x65536 --output "
     "long.json"},
    {"other", "No other rectangular or transposed product was timed.",
     "tilewright bench large_tile --variant all --device 0 --transb T --shape 4096x1024x2048 "
     "--output shapes.json"},
};

std::string group_of(const MeasuredRow& row) {
    if (row.batch > 1) return "batched";
    if (row.k >= kLong * std::max(row.m, row.n)) return "long";
    return std::min(row.m, row.n) <= kSkinny ? "skinny" : "other";
}

using Best = std::map<std::string, const MeasuredRow*>;  // by kernel

Json kernels_json(const Best& best) {
    std::vector<const MeasuredRow*> rows;
    for (const auto& [id, row] : best)
        if (id != kCublas) rows.push_back(row);
    std::sort(rows.begin(), rows.end(), [](const MeasuredRow* a, const MeasuredRow* b) {
        return *a->median_us < *b->median_us;
    });
    Json all = Json::array();
    for (const MeasuredRow* row : rows)
        all.push_back({{"id", row->rung},
                       {"label", kernel_label(*row)},
                       {"family", family_of(row->rung)},
                       {"us", *row->median_us},
                       {"gflops", *row->gflops},
                       {"cublas", or_null(row->percent_of_cublas)}});
    return all;
}

}  // namespace

Json shapes_panel(const Material& material) {
    std::map<std::string, Json> groups;
    for (size_t index = 0; index < material.series.size(); ++index) {
        // By shape in the order of the rows; k cut into parts is one way to compute the same.
        std::vector<std::pair<MeasuredRow, Best>> shapes;
        for (const MeasuredRow& row : material.series[index].rows) {
            if (!row.timed() || row.is_square()) continue;
            MeasuredRow shape = row;
            shape.parts = 1;
            auto found = std::find_if(shapes.begin(), shapes.end(), [&](const auto& each) {
                return shape_label(each.first) == shape_label(shape);
            });
            if (found == shapes.end()) found = shapes.insert(shapes.end(), {shape, {}});
            const MeasuredRow*& best = found->second[row.rung];
            if (!best || *row.median_us < *best->median_us) best = &row;
        }
        for (const auto& [shape, best] : shapes) {
            const auto cublas = best.find(kCublas);
            groups[group_of(shape)].push_back(
                {{"series", index},
                 {"shape", shape_label(shape)},
                 {"cublas_us",
                  cublas == best.end() ? Json(nullptr) : Json(*cublas->second->median_us)},
                 {"kernels", kernels_json(best)}});
        }
    }
    Json all;
    for (const Group& group : kGroups) {
        if (groups.count(group.key))
            all[group.key] = {{"shapes", groups[group.key]}};
        else
            all[group.key] = missing(group.why, group.command);
    }
    return all;
}

}  // namespace tilewright::lab::report
