// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/quantities.h"
#include "lab/registry.h"
#include "lab/sizes.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

/// Without structure: a name and a value each.
Json flattened(const Row& row) {
    const Json json = json_of(row);
    Json flat;
    for (const auto& item : json.items()) {
        if (item.key() == "shape")
            flat["m"] = row.test.m, flat["n"] = row.test.n, flat["k"] = row.test.k;
        else if (item.key() == "counted")
            flat.update(item.value());
        else
            flat[item.key()] = item.value();
    }
    return flat;
}

/// What is not plain of a case: " TN x3 parts=2".
std::string suffix_of(const Case& test) {
    std::string text;
    if (test.transpose_a || test.transpose_b)
        text += fmt::format(" {}{}", test.transpose_a ? 'T' : 'N', test.transpose_b ? 'T' : 'N');
    if (test.batch != 1) text += fmt::format(" x{}", test.batch);
    if (test.parts != 1) text += fmt::format(" parts={}", test.parts);
    return text;
}

}  // namespace

Row row_for(const Candidate& candidate, const Case& test) {
    Row row;
    row.rung = candidate.rung->id;
    row.name = ladder::name_of(*candidate.rung);
    row.variant = candidate.variant->name;
    row.arithmetic = candidate.rung->arithmetic;
    row.label = row.rung;
    if (candidate.variant != &candidate.rung->variants.front()) row.label += '/' + row.variant;
    row.test = test;
    return row;
}

std::optional<double> noise_percent(const Row& row) {
    if (!row.spread_us || !row.median_us || !(*row.median_us > 0)) return std::nullopt;
    return *row.spread_us / *row.median_us * 100;
}

bool mixes_arithmetic(std::span<const Row> rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [](const Row& row) { return row.arithmetic != Arithmetic::fp32; });
}

void set_verdict(Row& row, const Verdict& verdict) {
    row.outcome = verdict.outcome;
    row.reason = verdict.reason;
    if (verdict.outcome != Outcome::ok && verdict.outcome != Outcome::wrong) return;
    row.max_error = verdict.max_error;
    row.bound = verdict.bound;
}

void set_failure(Row& row, Outcome outcome, std::string reason) {
    row.outcome = outcome;
    row.reason = std::move(reason);
    row.samples = 0;
    row.median_us = row.min_us = row.spread_us = row.gflops = std::nullopt;
    row.percent_of_cublas = row.percent_of_opponent = row.percent_of_peak = std::nullopt;
    row.joules = row.gflops_per_watt = std::nullopt;
}

Json json_of(const Row& row) {
    const Case& test = row.test;
    Json json{{"rung", row.rung},
              {"name", row.name},
              {"variant", row.variant},
              {"shape", {test.m, test.n, test.k}},
              {"alpha", test.alpha},
              {"beta", test.beta},
              {"lda", test.layout(Operand::A).ld},
              {"ldb", test.layout(Operand::B).ld},
              {"ldc", test.layout(Operand::C).ld},
              {"dist", name_of(test.distribution)},
              {"seed", test.seed},
              {"arithmetic", name_of(row.arithmetic)}};
    if (!test.is_plain()) {
        json["transa"] = test.transpose_a ? "T" : "N";
        json["transb"] = test.transpose_b ? "T" : "N";
        json["batch"] = test.batch;
        json["stride_a"] = test.layout(Operand::A).stride;
        json["stride_b"] = test.layout(Operand::B).stride;
        json["stride_c"] = test.layout(Operand::C).stride;
        json["device_scalars"] = test.device_scalars;
        json["parts"] = test.parts;
    }
    json["memory"] = row.cold ? Json(*row.cold ? "cold" : "hot") : Json(nullptr);
    json["launch"] = row.graph ? Json(*row.graph ? "graph" : "stream") : Json(nullptr);
    json["sustained"] = row.sustained;
    json["kernel"] = or_null(row.kernel);
    json["tuned"] = or_null(row.tuned);
    json["samples"] = row.samples;
    json["median_us"] = or_null(row.median_us);
    json["min_us"] = or_null(row.min_us);
    json["spread_us"] = or_null(row.spread_us);
    json["noise_percent"] = or_null(noise_percent(row));
    json["gflops"] = or_null(row.gflops);
    json["percent_of_cublas"] = or_null(row.percent_of_cublas);
    json["opponent"] = or_null(row.opponent);
    json["percent_of_opponent"] = or_null(row.percent_of_opponent);
    json["percent_of_peak"] = or_null(row.percent_of_peak);
    const Vitals vitals = row.vitals.value_or(Vitals{});
    json["sm_mhz"] = or_null(vitals.sm_mhz);
    json["watts"] = or_null(vitals.watts);
    json["joules"] = or_null(row.joules);
    json["gflops_per_watt"] = or_null(row.gflops_per_watt);
    json["throttling"] = vitals.throttling ? Json(join(*vitals.throttling, ", ")) : Json(nullptr);
    json["max_error"] = or_null(row.max_error);  // infinity has no JSON and becomes null
    json["bound"] = or_null(row.bound);
    if (row.counted) json["counted"] = json_of(*row.counted);
    json["status"] = name_of(row.outcome);
    json["reason"] = row.reason;
    json["command"] = or_null(row.command);
    return json;
}

Table csv_table(std::span<const Row> rows) {
    // One set of columns for all: a row that was not counted leaves those of counts empty, a plain
    // one those of what is not plain.
    const bool counted = std::any_of(rows.begin(), rows.end(),
                                     [](const Row& row) { return row.counted.has_value(); });
    Row blank;
    if (counted) blank.counted.emplace();
    if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.test.is_plain(); }))
        blank.test.batch = 0;
    const Json names = flattened(blank);
    std::vector<Table::Column> columns;
    for (const auto& item : names.items()) columns.push_back({item.key(), Align::left});
    Table table(std::move(columns));
    for (const Row& row : rows) {
        const Json flat = flattened(row);
        std::vector<std::string> cells;
        for (const auto& item : names.items()) {
            const Json value = flat.value(item.key(), Json(nullptr));
            cells.push_back(value.is_null()     ? ""
                            : value.is_string() ? value.get<std::string>()
                                                : value.dump());
        }
        table.add(std::move(cells));
    }
    return table;
}

std::string complaints(std::span<const Row> rows) {
    std::string text;
    for (const Row& row : rows) {
        if (row.outcome == Outcome::ok) continue;
        const std::string sentence =
            fmt::format("{} {}: {}: {}", row.label,
                        text_of(Shape{row.test.m, row.test.n, row.test.k}) + suffix_of(row.test),
                        name_of(row.outcome), row.reason);
        text += wrapped(sentence);
    }
    return text;
}

int exit_status(std::span<const Row> rows) {
    for (const Row& row : rows)
        if (row.outcome != Outcome::ok) return kWrong;
    return kRight;
}

std::string shape_label(const Case& test) {
    const bool cube = test.m == test.n && test.n == test.k;
    return (cube ? std::to_string(test.m) : text_of(Shape{test.m, test.n, test.k})) +
           suffix_of(test);
}

}  // namespace tilewright::lab
