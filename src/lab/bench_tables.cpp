// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/bench_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/text.h"

namespace tilewright::lab {

namespace {

constexpr size_t kWidth = 80;

std::string number(const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

/// Four significant digits at least.
std::string four_digits(const std::optional<double>& value) {
    return number(value, !value || *value >= 1000 ? 0 : *value >= 100 ? 1 : *value >= 1 ? 2 : 4);
}

/// Five characters at most.
std::string percent(const std::optional<double>& value) {
    return number(value, value && *value >= 1000 ? 0 : 1);
}

std::string mode_of(const Row& row) {
    if (row.outcome != Outcome::ok) return name_of(row.outcome);
    if (!row.cold) return "-";
    return std::string(*row.cold ? "cold" : "hot") + (row.graph.value_or(false) ? "+g" : "");
}

/// The one opponent of all rows, if it is one.
std::string opponent_of(std::span<const Row> rows) {
    std::set<std::string> all;
    for (const Row& row : rows)
        if (!row.opponent.empty()) all.insert(row.opponent);
    return all.size() == 1 ? *all.begin() : std::string();
}

bool is_against_cublas(std::span<const Row> rows) {
    return std::all_of(rows.begin(), rows.end(), [](const Row& row) {
        return row.opponent.empty() || row.opponent.starts_with("k0");
    });
}

Table table_of(std::span<const Row> rows, bool arithmetic, bool shape) {
    std::vector<Table::Column> columns{{"rung", Align::left}};
    if (arithmetic) columns.push_back({"in", Align::left});
    if (shape) columns.push_back({"shape"});
    for (const char* name : {"us", "+-%", "n", "GFLOP/s"}) columns.push_back({name});
    columns.push_back({is_against_cublas(rows) ? "%cuBLAS" : "%oppon."});
    columns.push_back({"%peak"});
    columns.push_back({"mode", Align::left});
    Table table(std::move(columns));
    for (const Row& row : rows) {
        const bool empty = row.median_us && !row.gflops;  // nothing is multiplied
        std::vector<std::string> cells{row.label};
        if (arithmetic) cells.emplace_back(name_of(row.arithmetic));
        if (shape) cells.push_back(shape_label(row.test));
        for (std::string& cell :
             std::vector{four_digits(row.median_us), percent(noise_percent(row)),
                         row.samples > 0 ? std::to_string(row.samples) : "-",
                         empty ? "n/a" : number(row.gflops, row.gflops > 1e4 ? 0 : 1),
                         percent(row.percent_of_opponent), percent(row.percent_of_peak)})
            cells.push_back(std::move(cell));
        cells.push_back(mode_of(row));
        table.add(std::move(cells));
    }
    return table;
}

bool fits(const std::string& text) {
    const auto lines = split_lines(text);
    return std::all_of(lines.begin(), lines.end(),
                       [](const std::string& line) { return line.size() <= kWidth; });
}

/// Those of a shape and an arithmetic, under what both are.
struct Group {
    std::string title;
    std::vector<Row> rows;
};

std::vector<Group> groups_of(std::span<const Row> rows, bool arithmetic) {
    std::vector<Group> groups;
    for (const Row& row : rows) {
        std::string title = shape_label(row.test);
        if (arithmetic) title += fmt::format(" in {}", name_of(row.arithmetic));
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& each) { return each.title == title; });
        if (group == groups.end()) group = groups.insert(group, {std::move(title), {}});
        group->rows.push_back(row);
    }
    return groups;
}

}  // namespace

std::string bench_table(std::span<const Row> rows, Format format) {
    const bool mixed = mixes_arithmetic(rows);
    const Table whole = table_of(rows, mixed, true);
    if (format == Format::md) return whole.markdown();
    std::string text = whole.plain();
    if (fits(text)) return text;
    text.clear();
    for (const Group& group : groups_of(rows, mixed))
        text += fmt::format("{}{}:\n{}", text.empty() ? "" : "\n", group.title,
                            table_of(group.rows, false, false).plain());
    return text;
}

std::string power_table(std::span<const Row> rows, Format format) {
    if (std::none_of(rows.begin(), rows.end(), [](const Row& row) { return row.sustained; }))
        return {};
    Table table({{"rung", Align::left},
                 {"shape"},
                 {"W"},
                 {"MHz"},
                 {"J/call"},
                 {"GFLOP/s/W"},
                 {"held down by", Align::left}});
    bool any = false;
    for (const Row& row : rows) {
        if (!row.sustained || row.outcome != Outcome::ok) continue;
        any = any || row.vitals || row.joules;
        const Vitals vitals = row.vitals.value_or(Vitals{});
        const std::string held = join(vitals.throttling.value_or(std::vector<std::string>{}), ", ");
        table.add({row.label, shape_label(row.test), number(vitals.watts, 0),
                   vitals.sm_mhz ? std::to_string(*vitals.sm_mhz) : "-", four_digits(row.joules),
                   percent(row.gflops_per_watt), held.empty() ? "-" : held});
    }
    if (!any)
        return "Power, clocks and energy are absent: NVML (libnvidia-ml.so.1), which measures\n"
               "them, is not there or does not know this device.\n";
    return format == Format::md ? table.markdown() : table.plain();
}

std::string bench_notes(std::span<const Row> rows, bool gpu) {
    std::string text;
    if (gpu)
        text +=
            "mode: cold = operands from beyond the L2 cache, hot = the same ones again;\n"
            "+g = calls in a CUDA graph.\n";
    text += "+-%: quartile distance of the n samples.\n";
    if (!is_against_cublas(rows))
        text += fmt::format("%oppon.: of {} at the same shape.\n", opponent_of(rows));
    else if (std::any_of(rows.begin(), rows.end(),
                         [](const Row& row) { return row.opponent == "k0_tf32"; }))
        text += "%cuBLAS: of k0, and in tf32 of k0_tf32.\n";
    for (const Row& row : rows) {
        if (row.kernel.empty()) continue;
        const std::string sentence =
            fmt::format("library in {} at {}: {}{}", name_of(row.arithmetic), shape_label(row.test),
                        row.kernel, row.tuned.value_or(false) ? ", tuned" : "");
        text += wrapped(sentence);
    }
    return text;
}

}  // namespace tilewright::lab
