// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lab/report/environment_texts.h"
#include "lab/report/kernels.h"
#include "lab/report/noise.h"
#include "lab/report/panels.h"
#include "lab/text.h"

namespace tilewright::lab::report {

namespace {

constexpr double kSameClock = 0.01;  // beyond it a time says more of the clock than of the code

/// What both runs have to share for a row to be compared; how it was measured is told apart.
std::string key_of(const MeasuredRow& row) {
    return fmt::format("{}/{} {}", row.rung, row.variant, shape_label(row));
}

/// Options that differ between two rows of one kernel and shape: "memory: cold, hot".
std::vector<std::string> differing_options(const MeasuredRow& a, const MeasuredRow& b) {
    std::vector<std::string> all;
    const auto compare = [&](const char* name, const auto& x, const auto& y) {
        if (x != y) all.push_back(fmt::format("{}: {}, {}", name, x, y));
    };
    compare("alpha", a.alpha, b.alpha);
    compare("beta", a.beta, b.beta);
    compare("memory", a.memory, b.memory);
    compare("launch", a.launch, b.launch);
    compare("data", a.dist, b.dist);
    const char* names[] = {"lda", "ldb", "ldc"};
    for (size_t i = 0; i < 3; ++i) compare(names[i], a.ld[i], b.ld[i]);
    return all;
}

bool clocks_differ(const MeasuredRow& a, const MeasuredRow& b) {
    return a.sm_mhz && b.sm_mhz && std::abs(*b.sm_mhz / *a.sm_mhz - 1) > kSameClock;
}

struct Judged {
    const char* verdict;
    std::optional<double> change, noise;  ///< Of the time, as shares of the first.
    std::vector<std::string> notes;
};

Judged judge(const MeasuredRow& before, const MeasuredRow& after) {
    if (before.status == "ok" && after.status != "ok")
        return {"broken", {}, {}, {after.status + ": " + after.reason}};
    if (before.status != "ok" && after.status == "ok")
        return {"mended", {}, {}, {before.status + ": " + before.reason}};
    if (!before.timed() || !after.timed()) return {"untimed", {}, {}, {after.reason}};
    Judged judged{"unknown", *after.median_us / *before.median_us - 1, noise_between(before, after),
                  differing_options(before, after)};
    if (!judged.notes.empty())
        judged.verdict = "other case";
    else if (!judged.noise)
        judged.notes.push_back("no spread or number of samples, so that noise is not known");
    else if (std::abs(*judged.change) <= *judged.noise)
        judged.verdict = "same";
    else
        judged.verdict = *judged.change > 0 ? "slower" : "faster";
    if (clocks_differ(before, after))
        judged.notes.push_back(
            fmt::format("the clock was {:.0f}, then {:.0f} MHz", *before.sm_mhz, *after.sm_mhz));
    return judged;
}

Json percent(const std::optional<double>& share) {
    return share ? Json(*share * 100) : Json(nullptr);
}

Json row_json(const MeasuredRow* before, const MeasuredRow* after) {
    const MeasuredRow& row = after ? *after : *before;
    const Judged judged =
        before && after ? judge(*before, *after) : Judged{before ? "only before" : "only after"};
    const auto of = [](const MeasuredRow* each, auto member) {
        return each ? or_null(each->*member) : Json(nullptr);
    };
    return {{"id", row.rung},
            {"label", kernel_label(row)},
            {"shape", shape_label(row)},
            {"square", row.is_square()},
            {"size", row.m},
            {"before_us", of(before, &MeasuredRow::median_us)},
            {"after_us", of(after, &MeasuredRow::median_us)},
            {"before_gflops", of(before, &MeasuredRow::gflops)},
            {"after_gflops", of(after, &MeasuredRow::gflops)},
            {"change", percent(judged.change)},
            {"noise", percent(judged.noise)},
            {"verdict", judged.verdict},
            {"notes", join(judged.notes, "; ")}};
}

/// Keys whose values differ, but those that differ in any two runs.
Json differing_environment(const Json& before, const Json& after) {
    const auto a = environment_texts(before), b = environment_texts(after);
    std::map<std::string, std::string> was(a.begin(), a.end()), is(b.begin(), b.end());
    Json all = Json::array();
    std::set<std::string> keys;
    for (const auto* texts : {&a, &b})
        for (const auto& [key, value] : *texts)
            if (key != "date" && keys.insert(key).second && was[key] != is[key])
                all.push_back({key, was[key], is[key]});
    return all;
}

}  // namespace

Json comparison_panel(const Material& material) {
    const Series &before = material.series[0], &after = material.series[1];
    // A row that a file has twice is what was measured last.
    std::map<std::string, const MeasuredRow*> earlier, later;
    std::vector<std::string> keys;
    for (const auto& [series, rows] : {std::pair(&before, &earlier), {&after, &later}})
        for (const MeasuredRow& row : series->rows) {
            if (!earlier.count(key_of(row)) && !later.count(key_of(row)))
                keys.push_back(key_of(row));
            (*rows)[key_of(row)] = &row;
        }
    Json rows = Json::array();
    std::map<std::string, int> verdicts;
    for (const std::string& key : keys) {
        const auto a = earlier.find(key), b = later.find(key);
        rows.push_back(row_json(a == earlier.end() ? nullptr : a->second,
                                b == later.end() ? nullptr : b->second));
        ++verdicts[rows.back()["verdict"]];
    }
    const auto device = [](const Series& series) {
        return std::pair(series.environment.value("device", ""),
                         series.environment.value("mode", ""));
    };
    return {{"before", material.files[0].name},
            {"after", material.files[1].name},
            {"devices_differ", device(before) != device(after)},
            {"between_runs", kBetweenRuns * 100},
            {"environment", differing_environment(before.environment, after.environment)},
            {"verdicts", verdicts},
            {"rows", rows}};
}

}  // namespace tilewright::lab::report
