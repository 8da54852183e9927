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
#include "lab/output.h"
#include "lab/saved_results.h"
#include "lab/table.h"
#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kLeastNoisePercent = 1;  // between runs: heat and clocks are never quite the same

/// What a run finds out; all other fields say what was run.
constexpr const char* kMeasured[] = {
    "memory",   "launch",     "kernel", "samples",         "median_us",
    "min_us",   "spread_us",  "gflops", "noise_percent",   "percent_of_cublas",
    "opponent", "throttling", "watts",  "percent_of_peak", "percent_of_opponent",
    "sm_mhz",   "joules",     "bound",  "gflops_per_watt", "max_error",
    "status",   "reason",     "counted"};

bool is_measured(const std::string& key) {
    return std::find(std::begin(kMeasured), std::end(kMeasured), key) != std::end(kMeasured);
}

double number_in(const Json& row, const char* key) {
    return row.contains(key) && row[key].is_number() ? row[key].get<double>() : 0;
}

std::string text_in(const Json& row, const char* key) {
    return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : std::string();
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

std::vector<Json> rows_of(const Wanted& wanted) {
    const Json saved = read_saved(wanted.path);
    std::vector<Json> rows;
    if (saved.contains("results")) rows.assign(saved["results"].begin(), saved["results"].end());
    if (wanted.row > rows.size())
        throw UsageError(fmt::format("--rerun: {} has {} rows, and no row {}", wanted.path,
                                     rows.size(), wanted.row));
    if (wanted.row > 0) rows = {rows[wanted.row - 1]};
    if (rows.empty()) throw UsageError(fmt::format("--rerun: {} has no rows", wanted.path));
    for (const Json& row : rows)
        if (!text_in(row, "command").starts_with("tilewright bench "))
            throw UsageError(
                fmt::format("--rerun: {}: a row has no command of bench: it was written "
                            "by another verb, or before rows had commands",
                            wanted.path));
    return rows;
}

/// The row of its own command; the others are its opponents. Null after Ctrl-C.
Json run_again(const Json& before, Progress& progress) {
    BenchPlan plan = plan_bench(options_of(text_in(before, "command")));
    plan.settings.progress = std::ref(progress);
    Json now;
    plan.run([&](std::span<const Row> rows) {
        for (const Row& row : rows) {
            Json json = json_of(row);
            if (json["rung"] == before["rung"] && json["variant"] == before["variant"] &&
                json["arithmetic"] == before["arithmetic"])
                now = std::move(json);
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

std::string for_people(std::span<const Repeated> rows, Format format) {
    std::string text;
    for (const Repeated& row : rows) {
        Table one({{"before, us"}, {"now, us"}, {"difference of medians", Align::left}});
        one.add({time_in(row.before), time_in(row.now), sentence_of(row)});
        text += text_in(row.before, "command") + '\n' +
                (format == Format::md ? '\n' + one.markdown() : one.plain());
        for (const std::string& key : row.differing)
            text += fmt::format("{} differs: {} before, {} now\n", key,
                                row.before.value(key, Json()).dump(),
                                row.now.value(key, Json()).dump());
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
    if (first > 0 && last > 0) {
        const auto noise = [&](const Json& json) {
            return number_in(json, "spread_us") / first * 100;
        };
        row.change = {
            .percent = (last / first - 1) * 100,
            .noise_percent = std::max({noise(row.before), noise(row.now), kLeastNoisePercent})};
    }
    for (const auto& item : row.before.items())
        if (!is_measured(item.key()) && row.now.value(item.key(), Json()) != item.value())
            row.differing.push_back(item.key());
    return row;
}

int run_rerun(const Options& options) {
    if (!options.rungs.empty() || !options.sizes.empty() || !options.shapes.empty() ||
        !options.shape_file.empty())
        throw UsageError("--rerun runs the row's own command: no kernels and no shapes beside it");
    const Format format = format_of(options);
    if (format == Format::csv) throw UsageError("--format: --rerun gives table, json or md");
    const std::vector<Json> before = rows_of(wanted_of(options.rerun));
    catch_interrupts();
    std::vector<Repeated> rows;
    {
        Progress progress(options.quiet);
        for (const Json& row : before) {
            if (interrupted()) break;
            if (Json now = run_again(row, progress); !now.is_null())
                rows.push_back(repeated(row, std::move(now)));
        }
    }
    deliver(OutputFile(options.output), format, options.quiet, [&](Format wanted) {
        if (wanted != Format::json) return for_people(rows, wanted);
        Json json{{"command", options.command}, {"reruns", Json::array()}};
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
