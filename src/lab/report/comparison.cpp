// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "lab/noise.h"
#include "lab/report/environment_texts.h"
#include "lab/report/kernels.h"
#include "lab/report/noise.h"
#include "lab/report/panels.h"
#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab::report {

namespace {

constexpr const char* kNotRun = "not_run";
constexpr double kSameClock = 0.01;  // beyond it a time says more of the clock than of the code

/// The full case: two rows with the same are one measurement, made twice.
std::string key_of(const MeasuredRow& row) {
    return fmt::format("{}/{} {} {}", row.rung, row.variant, row.arithmetic, case_key(row));
}

/// What is left of the case when it is not told how it was measured.
std::string coarse_key_of(const MeasuredRow& row) {
    return fmt::format("{}/{} {} {}", row.rung, row.variant, row.arithmetic, shape_label(row));
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
    const auto span = [](const MeasuredRow& row) { return row.sustained ? "sustained" : "burst"; };
    compare("span", std::string(span(a)), std::string(span(b)));
    compare("scalars on the device", a.device_scalars, b.device_scalars);
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

/// Null where both have a time.
const char* verdict_on_status(const MeasuredRow& before, const MeasuredRow& after) {
    if (before.status == "ok" && after.status != "ok")
        return after.status == kNotRun ? "did not run" : "broken";
    if (before.status != "ok" && after.status == "ok")
        return before.status == kNotRun ? "ran" : "mended";
    return before.timed() && after.timed() ? nullptr : "untimed";
}

/// Of rows with the same full case.
Judged judge(const MeasuredRow& before, const MeasuredRow& after) {
    if (const char* verdict = verdict_on_status(before, after)) {
        const MeasuredRow& bad = after.status == "ok" ? before : after;
        return {verdict, {}, {}, {bad.status + (bad.reason.empty() ? "" : ": " + bad.reason)}};
    }
    Judged judged{
        "unknown", *after.median_us / *before.median_us - 1, noise_between(before, after), {}};
    if (!judged.noise)
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

/// Of rows that share kernel and shape alone: their times are not compared.
Judged other_case(const MeasuredRow& before, const MeasuredRow& after) {
    return {"other case", {}, {}, differing_options(before, after)};
}

Json percent(const std::optional<double>& share) {
    return share ? Json(*share * 100) : Json(nullptr);
}

struct Pair {
    const MeasuredRow *before = nullptr, *after = nullptr;
    bool same_case = true;
};

Judged judged_of(const Pair& pair) {
    if (!pair.before) return {"only after"};
    if (!pair.after) return {"only before"};
    return pair.same_case ? judge(*pair.before, *pair.after)
                          : other_case(*pair.before, *pair.after);
}

Json row_json(const Pair& pair) {
    const MeasuredRow *before = pair.before, *after = pair.after;
    const MeasuredRow& row = after ? *after : *before;
    const Judged judged = judged_of(pair);
    const auto of = [](const MeasuredRow* each, auto member) {
        return each ? or_null(each->*member) : Json(nullptr);
    };
    return {{"id", contender_of(row)},
            {"label", kernel_label(row)},
            {"shape", shape_label(row)},
            {"conditions", conditions_of(row)},
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

/// Every row of both once, in the order of the files. A row that a file has twice is what was measured
/// last.
std::vector<Pair> pairs_of(const Series& before, const Series& after) {
    std::map<std::string, size_t> places;
    std::vector<Pair> pairs;
    for (const auto& [series, member] : {std::pair(&before, &Pair::before), {&after, &Pair::after}})
        for (const MeasuredRow& row : series->rows) {
            const auto [place, is_new] = places.try_emplace(key_of(row), pairs.size());
            if (is_new) pairs.emplace_back();
            pairs[place->second].*member = &row;
        }
    std::map<std::string, std::vector<Pair*>> left;
    for (Pair& pair : pairs)
        if (pair.before && !pair.after) left[coarse_key_of(*pair.before)].push_back(&pair);
    for (Pair& pair : pairs) {
        if (pair.before) continue;
        auto& candidates = left[coarse_key_of(*pair.after)];
        if (candidates.empty()) continue;
        pair.before = std::exchange(candidates.front()->before, nullptr);
        pair.same_case = false;
        candidates.erase(candidates.begin());
    }
    std::erase_if(pairs, [](const Pair& pair) { return !pair.before && !pair.after; });
    return pairs;
}

}  // namespace

Json comparison_panel(const Material& material) {
    for (const ResultsFile& file : material.files)
        if (file.rows.empty())
            throw UsageError("--compare: " + file.path + " has no rows with times");
    const Series &before = material.series[0], &after = material.series[1];
    Json rows = Json::array();
    std::map<std::string, int> verdicts;
    for (const Pair& pair : pairs_of(before, after)) {
        rows.push_back(row_json(pair));
        ++verdicts[rows.back()["verdict"]];
    }
    const auto device = [](const Series& series) {
        return std::pair(text_at(series.environment, "device"),
                         text_at(series.environment, "mode"));
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
