// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

/// What is drawn together: times of one product that may be compared.
struct Contest {
    MeasuredRow shape;  ///< k cut into parts is one way to compute the same.
    std::string conditions;
    bool tf32 = false;  ///< Else all are as accurate as FP32.
    std::map<std::string, const MeasuredRow*> best;  ///< By contender.
};

std::vector<Contest> contests_of(const Series& series) {
    std::vector<Contest> contests;
    std::map<std::string, size_t> places;
    for (const MeasuredRow& row : series.rows) {
        if (!row.timed() || row.is_square()) continue;
        Contest contest{.shape = row,
                        .conditions = conditions_of(row),
                        .tf32 = row.arithmetic == name_of(Arithmetic::tf32)};
        contest.shape.parts = 1;
        const std::string key =
            fmt::format("{}, {}, {}", shape_label(contest.shape), contest.conditions, contest.tf32);
        const auto [place, is_new] = places.try_emplace(key, contests.size());
        if (is_new) contests.push_back(contest);
        const MeasuredRow*& best = contests[place->second].best[contender_of(row)];
        if (!best || *row.median_us < *best->median_us) best = &row;
    }
    return contests;
}

const MeasuredRow* cublas_of(const Contest& contest) {
    for (const auto& [id, row] : contest.best)
        if (row->rung == (contest.tf32 ? kCublasTf32 : kCublas)) return row;
    return nullptr;
}

/// As it was measured beside it, or else from both times.
std::optional<double> times_cublas(const MeasuredRow& row, const MeasuredRow* cublas) {
    if (row.percent_of_cublas) return *row.percent_of_cublas / 100;
    if (cublas) return *cublas->median_us / *row.median_us;
    return {};
}

Json kernels_json(const Contest& contest, const MeasuredRow* cublas) {
    std::vector<const MeasuredRow*> rows;
    for (const auto& [id, row] : contest.best)
        if (!is_cublas(row->rung)) rows.push_back(row);
    std::sort(rows.begin(), rows.end(), [](const MeasuredRow* a, const MeasuredRow* b) {
        return *a->median_us < *b->median_us;
    });
    Json all = Json::array();
    for (const MeasuredRow* row : rows)
        all.push_back({{"id", contender_of(*row)},
                       {"label", kernel_label(*row)},
                       {"arithmetic", row->arithmetic},
                       {"us", *row->median_us},
                       {"gflops", *row->gflops},
                       {"cublas", or_null(times_cublas(*row, cublas))}});
    return all;
}

}  // namespace

Json shapes_panel(const Material& material) {
    std::map<std::string, Json> groups;
    for (size_t index = 0; index < material.series.size(); ++index)
        for (const Contest& contest : contests_of(material.series[index])) {
            const MeasuredRow* cublas = cublas_of(contest);
            groups[group_of(contest.shape)].push_back(
                {{"series", index},
                 {"shape", shape_label(contest.shape)},
                 {"conditions", contest.conditions},
                 {"tf32", contest.tf32},
                 {"cublas_us", cublas ? Json(*cublas->median_us) : Json(nullptr)},
                 {"kernels", kernels_json(contest, cublas)}});
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
