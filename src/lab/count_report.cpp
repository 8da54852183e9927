// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/count_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lab/least_work.h"
#include "lab/lesson.h"
#include "lab/quantities.h"
#include "lab/registry.h"
#include "lab/results.h"
#include "lab/sizes.h"
#include "lab/text.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTotalsLegend =
    "Requests and FFMA are instructions of a warp, as the source has them. sector: 32\n"
    "bytes of global memory. wavefront: one pass through the banks of shared memory;\n"
    "ideal: the fewest for these widths and addresses; ways: wavefronts over ideal.\n"
    "words: what a lane loads from shared memory. result: an element of C. DRAM, at\n"
    "best: A, B and C move once, C twice if it is read. x: times the first kernel's.\n";

constexpr const char* kCompiledLegend =
    "What nvcc makes of it: one round of the innermost loop that holds the FFMAs.\n"
    "Where scalar loads of the source are fewer and wider here, it has merged them;\n"
    "wavefronts / FFMA: the least that these accesses to shared memory then take.\n"
    "Bank conflict: an FFMA that reads two registers of one bank, a clock more.\n"
    "Stall: how long ptxas has a warp wait behind the loop's instructions.\n";

constexpr const char* kBoundLegend =
    "No run with these counts and cold operands (not in L2 before) can be faster: the\n"
    "largest of the times, in us, that a part takes at least. instructions: all of\n"
    "the main loop, as compiled. DRAM: A, B and what is read of C once, and of C's\n"
    "writes what L2 cannot hold. launch: an empty kernel, where measured. What a\n"
    "measured rate lacks to 100 % is latency and waiting. Derived, and what is\n"
    "assumed: docs/bound.md.\n";

constexpr const char* kSitesLegend =
    "sectors, wavefronts: of one request. ideal: the fewest that its width and its\n"
    "addresses allow. ways: the one over the other; a 4-way conflict takes 4 times as\n"
    "long. A v behind the width: volatile, which the compiler keeps as it is.\n";

std::string blocks_run(const Count& count) {
    if (!count.sampled()) return {};
    return fmt::format("{}: {} of {} blocks run, each for all that do the same.\n", count.label,
                       count.counters.blocks_run, count.counters.blocks);
}

std::string sites_text(const Count& count, Format format) {
    const std::string title =
        fmt::format("{} ({}), {}", title_of(*count.rung), count.label, file_of(*count.rung));
    return format == Format::md ? title + "\n\n" + sites_markdown(count).markdown()
                                : title + '\n' + sites_plain(count);
}

/// Tables of a few rows each, side by side as far as they fit. With `leader` the first row leads
/// each of them.
std::string tables(std::span<const CountRow* const> rows, bool leader, Format format,
                   const std::function<Table(std::span<const CountRow* const>)>& table_of) {
    std::string text;
    for (size_t next = 0; next < rows.size();) {
        std::vector<const CountRow*> some;
        if (leader && next > 0) some.push_back(rows.front());
        while (next < rows.size() && some.size() < kSideBySide) some.push_back(rows[next++]);
        const Table table = table_of(some);
        text += (format == Format::md ? table.markdown() : table.plain(kReportWidth)) + '\n';
    }
    return text;
}

std::string bounds_text(std::span<const CountRow* const> rows, const Gpu& gpu, Format format) {
    std::vector<const CountRow*> bounded;
    std::string others;
    for (const CountRow* row : rows)
        if (row->bound)
            bounded.push_back(row);
        else
            others +=
                fmt::format("{} {}.\n", row->count.label, reason_not_to_run(gpu, *row->count.rung));
    if (bounded.empty()) return '\n' + others;
    return '\n' +
           tables(bounded, false, format,
                  [&](std::span<const CountRow* const> some) { return bound_table(some, gpu); }) +
           others + kBoundLegend;
}

}  // namespace

std::string text_of(std::span<const CountRow> all, const Gpu* gpu, Format format) {
    std::vector<const CountRow*> rows;
    for (const CountRow& row : all)
        if (row.count.ok()) rows.push_back(&row);
    std::string text;
    if (!rows.empty()) {
        const Case& test = rows.front()->count.test;
        text += fmt::format("Size {}{}, counted in CPU mode\n", shape_label(test),
                            test.beta != 0 ? ", beta not 0" : "");
        text += tables(rows, true, format, totals_table);
        for (const CountRow* row : rows) text += blocks_run(row->count);
        text += kTotalsLegend;
        // The engine's kernels are in no table of the compiler's work.
        if (std::any_of(rows.begin(), rows.end(),
                        [](const CountRow* row) { return row->compiled; }))
            text += '\n' + tables(rows, false, format, compiled_table) + kCompiledLegend;
        if (std::any_of(rows.begin(), rows.end(), [&](const CountRow* row) {
                return row->compiled &&
                       row->compiled->architecture != (gpu ? gpu->architecture : kArchitecture);
            }))
            text += kStandInLegend;
        if (gpu) text += bounds_text(rows, *gpu, format);
    }
    for (const CountRow* row : rows) text += '\n' + sites_text(row->count, format);
    if (!rows.empty()) text += '\n' + std::string(kSitesLegend);
    for (const CountRow& row : all) {
        const Count& count = row.count;
        if (count.ok()) continue;
        const std::string sentence =
            fmt::format("{} {}: failed: {}", count.label, shape_label(count.test), count.failure);
        for (const std::string& line : wrap(sentence, kReportWidth)) text += line + '\n';
    }
    return text;
}

Table csv_table(std::span<const CountRow> rows) {
    const Json totals = json_of(Totals{});
    std::vector<Table::Column> columns;
    const auto name = [&](const std::string& title) { columns.push_back({title, Align::left}); };
    for (const char* title : {"rung", "variant", "m", "n", "k", "beta", "blocks_run"}) name(title);
    for (const auto& item : totals.items()) name(item.key());
    for (const char* title :
         {"limiter", "bound_us", "bound_gflops", "measured_gflops", "status", "reason"})
        name(title);
    Table table(columns);
    const auto cell = [](double value) {
        return std::isnan(value) ? "" : fmt::format("{}", value);
    };
    for (const auto& [count, compiled, bound, measured] : rows) {
        std::vector<std::string> cells{count.rung->id,
                                       count.variant->name,
                                       std::to_string(count.test.m),
                                       std::to_string(count.test.n),
                                       std::to_string(count.test.k),
                                       fmt::format("{}", count.test.beta),
                                       std::to_string(count.counters.blocks_run)};
        const Json values = json_of(count.totals);
        for (const auto& item : values.items())
            cells.push_back(!count.ok() || item.value().is_null() ? "" : item.value().dump());
        cells.push_back(bound ? bound->limiter : "");
        cells.push_back(cell(bound ? bound->us : kNone));
        cells.push_back(cell(bound ? bound->gflops : kNone));
        cells.push_back(cell(measured.value_or(kNone)));
        cells.push_back(name_of(count.ok() ? Outcome::ok : Outcome::failed));
        cells.push_back(count.failure);
        table.add(std::move(cells));
    }
    return table;
}

namespace {

Json json_of(const Count& count, const std::optional<Compiled>& compiled) {
    if (!compiled || !compiled->main_loop) return nullptr;
    const Instructions& loop = *compiled->main_loop;
    Json json{{"architecture", compiled->architecture},
              {"registers", compiled->registers},
              {"ffma_reuse", compiled->ffma_reuse},
              {"ffma_bank_conflicts", compiled->bank_conflicts},
              {"stalls_per_ffma", compiled->stalls},
              {"main_loop", {{"instructions", loop.all}, {"ffma", loop.ffma}, {"mma", loop.mma}}}};
    const auto add = [&](const std::string& name, const Widths& widths) {
        for (size_t i = 0; i < widths.size(); ++i)
            json["main_loop"][fmt::format("{}_{}", name, 32 << i)] = widths[i];
    };
    add("shared_loads", loop.shared_loads);
    add("shared_stores", loop.shared_stores);
    add("global_loads", loop.global_loads);
    json["main_loop"]["barriers"] = loop.barriers;
    const auto ffma = static_cast<double>(count.totals.ffma);
    json["shared_wavefronts_per_ffma"] =
        ffma > 0 ? Json(least_shared_wavefronts(count, compiled) / ffma) : Json(nullptr);
    return json;
}

}  // namespace

Json json_of(const CountRow& row, const Gpu* gpu) {
    const Count& count = row.count;
    const Case& test = count.test;
    Json json{{"rung", count.rung->id},
              {"variant", count.variant->name},
              {"shape", {test.m, test.n, test.k}},
              {"alpha", test.alpha},
              {"beta", test.beta},
              {"case", describe(test)},
              {"status", name_of(count.ok() ? Outcome::ok : Outcome::failed)},
              {"reason", count.failure}};
    json["sampled"] = count.sampled() ? Json{{"blocks_run", count.counters.blocks_run},
                                             {"blocks", count.counters.blocks}}
                                      : Json(nullptr);
    json["totals"] = count.ok() ? json_of(count.totals) : Json(nullptr);
    json["sites"] = Json::array();
    const SourceLines source(*count.rung);
    for (const simt::SiteCounters& site : count.counters.sites)
        json["sites"].push_back({{"file", file_of(*count.rung, site.header)},
                                 {"line", site.line},
                                 {"column", site.column},
                                 {"operation", name_of(site.operation)},
                                 {"operand", site.operand},
                                 {"width_bits", site.width_bits},
                                 {"volatile", site.is_volatile},
                                 {"requests", site.requests},
                                 {"bytes", site.bytes},
                                 {"sectors", site.sectors},
                                 {"wavefronts", site.wavefronts},
                                 {"ideal_wavefronts", site.ideal_wavefronts},
                                 {"source", source.at(site)}});
    json["compiled"] = json_of(count, row.compiled);
    json["bound"] = row.bound && gpu ? json_of(*row.bound, *gpu, row.measured) : Json(nullptr);
    return json;
}

}  // namespace tilewright::lab
