// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/rerun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "lab/bench_plan.h"
#include "lab/command_line.h"
#include "lab/environment.h"
#include "lab/interrupt.h"
#include "lab/noise.h"
#include "lab/output.h"
#include "lab/saved_results.h"
#include "lab/table.h"
#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

/// What a run finds out; all other fields say what was run.
constexpr const char* kMeasured[] = {
    "samples",  "median_us",  "min_us", "spread_us",       "gflops",
    "bound",    "max_error",  "sm_mhz", "noise_percent",   "percent_of_cublas",
    "opponent", "throttling", "watts",  "percent_of_peak", "percent_of_opponent",
    "joules",   "status",     "reason", "gflops_per_watt", "counted"};
/// Of an environment: without them alike, times say nothing of each other.
constexpr const char* kConditions[] = {"device", "mode", "multiprocessors", "workers", "driver"};

/// By which a row is found among those that its command gives.
constexpr const char* kIdentity[] = {"rung", "variant", "arithmetic"};

bool is_measured(const std::string& key) {
    return std::find(std::begin(kMeasured), std::end(kMeasured), key) != std::end(kMeasured);
}

double number_in(const Json& row, const char* key) {
    return row.contains(key) && row[key].is_number() ? row[key].get<double>() : 0;
}

std::string text_in(const Json& row, const char* key) {
    return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : std::string();
}

Sampled sampled_in(const Json& row) {
    return {number_in(row, "median_us"), number_in(row, "spread_us"),
            static_cast<int>(number_in(row, "samples"))};
}

/// A row of the file by its number, from 1; all of them without one.
struct Wanted {
    std::string path;
    size_t row = 0;
};

Wanted wanted_of(const std::string& text) {
    const size_t colon = text.rfind(':');
    if (colon == text.npos || std::filesystem::exists(text)) return {text, 0};
    const auto row = parse_number<size_t>(text.substr(colon + 1), "--rerun: the row");
    if (row == 0) throw UsageError("--rerun: rows count from 1");
    return {text.substr(0, colon), row};
}

std::vector<Json> rows_in(const Json& saved, const Wanted& wanted) {
    std::vector<Json> rows;
    if (saved.contains("results")) rows.assign(saved["results"].begin(), saved["results"].end());
    if (wanted.row > rows.size())
        throw UsageError(fmt::format("--rerun: {} has {} rows, and no row {}", wanted.path,
                                     rows.size(), wanted.row));
    if (wanted.row > 0) rows = {rows[wanted.row - 1]};
    if (rows.empty()) throw UsageError(fmt::format("--rerun: {} has no rows", wanted.path));
    for (const Json& row : rows) {
        if (!text_in(row, "command").starts_with("tilewright bench "))
            throw UsageError(
                fmt::format("--rerun: {}: a row has no command of bench: it was written "
                            "by another verb, or before rows had commands",
                            wanted.path));
        for (const char* key : kIdentity)
            if (text_in(row, key).empty())
                throw UsageError(
                    fmt::format("--rerun: {}: a row does not say its {}", wanted.path, key));
    }
    return rows;
}

/// The row of its own command; the others are its opponents. Null after Ctrl-C.
Json run_again(const Json& before, Progress& progress, Json& environment) {
    BenchPlan plan = plan_bench(options_of(text_in(before, "command")));
    plan.settings.progress = std::ref(progress);
    environment = environment_of(*plan.device, text_in(before, "command"));
    Json now;
    plan.run([&](std::span<const Row> rows) {
        for (const Row& row : rows) {
            Json json = json_of(row);
            const bool is_same = std::all_of(
                std::begin(kIdentity), std::end(kIdentity),
                [&](const char* key) { return text_in(json, key) == text_in(before, key); });
            if (is_same) now = std::move(json);
        }
    });
    if (now.is_null() && !interrupted())
        throw UsageError(
            fmt::format("--rerun: the command gives no such row: {}", text_in(before, "command")));
    return now;
}

std::string sentence_of(const Repeated& row) {
    const std::string status = text_in(row.now, "status");
    if (!row.change)
        return fmt::format("{} before, {} now{}{}", text_in(row.before, "status"), status,
                           status == "ok" ? "" : ": ", text_in(row.now, "reason"));
    return fmt::format("{:+.1f}%, {} ({:.1f}%)", row.change->percent,
                       row.change->beyond_noise() ? "beyond noise" : "within noise",
                       row.change->noise_percent);
}

std::string time_in(const Json& row) {
    const double us = number_in(row, "median_us");
    if (!(us > 0)) return text_in(row, "status");
    return fmt::format("{:.{}f} +-{:.1f}%", us,
                       us >= 1000  ? 0
                       : us >= 100 ? 1
                                   : 2,
                       number_in(row, "noise_percent"));
}

std::string difference(const std::string& key, const Json& before, const Json& now) {
    return fmt::format("{} differs: {} before, {} now\n", key, before.value(key, Json()).dump(),
                       now.value(key, Json()).dump());
}

std::string for_people(std::span<const Repeated> rows, const Environments& environments,
                       Format format) {
    std::string text;
    for (const std::string& key : environments.differing)
        text += difference(key, environments.before, environments.now);
    if (!text.empty()) text += '\n';
    for (const Repeated& row : rows) {
        Table one({{"before, us"}, {"now, us"}, {"difference of medians", Align::left}});
        one.add({time_in(row.before), time_in(row.now), sentence_of(row)});
        text += text_in(row.before, "command") + '\n' +
                (format == Format::md ? '\n' + one.markdown() : one.plain());
        for (const std::string& key : row.differing) text += difference(key, row.before, row.now);
        text += '\n';
    }
    return text;
}

Json json_of(const Repeated& row) {
    Json json{{"before", row.before}, {"now", row.now}};
    json["change_percent"] = row.change ? Json(row.change->percent) : Json(nullptr);
    json["noise_percent"] = row.change ? Json(row.change->noise_percent) : Json(nullptr);
    json["beyond_noise"] = row.change ? Json(row.change->beyond_noise()) : Json(nullptr);
    json["differing"] = row.differing;
    return json;
}

}  // namespace

bool Change::beyond_noise() const {
    return std::abs(percent) > noise_percent;
}

Repeated repeated(Json before, Json now) {
    Repeated row{.before = std::move(before), .now = std::move(now), .change = {}, .differing = {}};
    const double first = number_in(row.before, "median_us"), last = number_in(row.now, "median_us");
    if (first > 0 && last > 0)
        row.change = {
            .percent = (last / first - 1) * 100,
            .noise_percent = noise_between(sampled_in(row.before), sampled_in(row.now)) * 100};
    for (const auto& item : row.before.items()) {
        const Json now_has = row.now.value(item.key(), Json());
        // What only a row with a time has, or only newer files, is null.
        if (!is_measured(item.key()) && !item.value().is_null() && !now_has.is_null() &&
            now_has != item.value())
            row.differing.push_back(item.key());
    }
    return row;
}

Environments environments_of(Json before, Json now) {
    Environments both{.before = std::move(before), .now = std::move(now), .differing = {}};
    if (!both.now.is_object()) return both;  // interrupted before the first
    for (const char* key : kConditions)
        if (both.before.value(key, Json()) != both.now.value(key, Json()))
            both.differing.emplace_back(key);
    return both;
}

int run_rerun(const Options& options) {
    if (!options.rungs.empty() || !options.sizes.empty() || !options.shapes.empty() ||
        !options.shape_file.empty())
        throw UsageError("--rerun runs the row's own command: no kernels and no shapes beside it");
    const Format format = format_of(options);
    if (format == Format::csv) throw UsageError("--format: --rerun gives table, json or md");
    const Wanted wanted_rows = wanted_of(options.rerun);
    const Json saved = read_saved(wanted_rows.path);
    const std::vector<Json> before = rows_in(saved, wanted_rows);
    catch_interrupts();
    std::vector<Repeated> rows;
    Json environment;
    {
        Progress progress(options.quiet);
        for (const Json& row : before) {
            if (interrupted()) break;
            if (Json now = run_again(row, progress, environment); !now.is_null())
                rows.push_back(repeated(row, std::move(now)));
        }
    }
    const Environments environments = environments_of(saved["environment"], environment);
    deliver(OutputFile(options.output), format, options.quiet, [&](Format wanted) {
        if (wanted != Format::json) return for_people(rows, environments, wanted);
        Json json{{"command", options.command},
                  {"environments", {{"before", environments.before}, {"now", environments.now}}},
                  {"differing", environments.differing},
                  {"reruns", Json::array()}};
        for (const Repeated& row : rows) json["reruns"].push_back(json_of(row));
        return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    });
    if (interrupted()) return kInterrupted;
    return std::all_of(rows.begin(), rows.end(),
                       [](const Repeated& row) {
                           return row.differing.empty() && text_in(row.now, "status") == "ok";
                       })
               ? kRight
               : kWrong;
}

}  // namespace tilewright::lab
