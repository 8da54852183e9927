// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/count_report.h"

#include <fmt/format.h>

#include <cmath>

#include "lab/lesson.h"
#include "lab/registry.h"
#include "lab/results.h"
#include "lab/sizes.h"
#include "lab/text.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;
using simt::Operation;

constexpr size_t kWidth = 80;
constexpr size_t kSideBySide = 3;  // kernels in one table: more do not fit

constexpr const char* kTotalsLegend =
    "Requests and FFMA are instructions of a warp, as the source has them. sector: 32\n"
    "bytes of global memory. wavefront: one pass through the banks of shared memory;\n"
    "ideal: the fewest for these widths; conflict ways: wavefronts over ideal. words:\n"
    "what a lane loads from shared memory. result: an element of C. DRAM, at best: A,\n"
    "B and C move once, C twice if it is read. x: times what the first kernel has.\n";

constexpr const char* kSitesLegend =
    "sectors, wavefronts: of one request. ideal: the wavefronts that its width needs.\n"
    "ways: the one over the other; a 4-way conflict takes 4 times as long. A v behind\n"
    "the width: volatile, which the compiler keeps as it is.\n";

/// Whole as long as it can be read at a glance.
std::string number(double value, int digits) {
    if (std::isnan(value)) return "-";
    if (digits > 0) return fmt::format("{:.{}f}", value, digits);
    return value < 1e8 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string change(double before, double now) {
    if (std::isnan(before) || std::isnan(now)) return "";
    if (before == now) return "=";
    if (before == 0) return "new";
    if (now == 0) return "gone";
    const double factor = now / before;
    return factor < 0.095  ? fmt::format("x{:.3f}", factor)
           : factor < 9.95 ? fmt::format("x{:.2f}", factor)
                           : fmt::format("x{:.0f}", factor);
}

/// The first kernel, and what became of its quantities in the others.
Table totals_table(std::span<const Count* const> counts) {
    std::vector<Table::Column> columns{{"", Align::left}, {counts.front()->label}};
    for (const Count* count : counts.subspan(1)) {
        columns.push_back({count->label});
        columns.push_back({"x " + counts.front()->label});
    }
    Table table(columns);
    for (const QuantityGroup& group : quantities()) {
        std::vector<std::vector<std::string>> rows;
        for (const Quantity& quantity : group.quantities) {
            if (!quantity.label) continue;
            const double first = quantity.value(counts.front()->totals);
            std::vector<std::string> cells{std::string("  ") + quantity.label,
                                           number(first, quantity.digits)};
            bool any = first > 0;
            for (const Count* count : counts.subspan(1)) {
                const double value = quantity.value(count->totals);
                any = any || value > 0;
                cells.push_back(number(value, quantity.digits));
                cells.push_back(change(first, value));
            }
            if (any) rows.push_back(std::move(cells));
        }
        if (rows.empty()) continue;
        std::vector<std::string> title(columns.size());
        title.front() = group.title;
        table.add(std::move(title));
        for (auto& row : rows) table.add(std::move(row));
    }
    return table;
}

std::string spaced(std::string name) {
    for (char& c : name) c = c == '_' ? ' ' : c;
    return name;
}

double per_request(uint64_t part, const simt::SiteCounters& site) {
    return part > 0 ? static_cast<double>(part) / static_cast<double>(site.requests) : kNone;
}

std::string width_of(const simt::SiteCounters& site) {
    if (site.width_bits == 0) return "";
    return std::to_string(site.width_bits) + (site.is_volatile ? "v" : "");
}

std::vector<std::string> site_cells(const simt::SiteCounters& site) {
    const double ways = site.ideal_wavefronts > 0 ? static_cast<double>(site.wavefronts) /
                                                        static_cast<double>(site.ideal_wavefronts)
                                                  : kNone;
    return {spaced(name_of(site.operation)),
            site.operand,
            width_of(site),
            number(static_cast<double>(site.requests), 0),
            number(per_request(site.sectors, site), 2),
            number(per_request(site.wavefronts, site), 2),
            number(per_request(site.ideal_wavefronts, site), 2),
            number(ways, 2)};
}

std::string source_line(const std::vector<std::string>& source, uint32_t line) {
    if (line == 0 || line > source.size()) return {};
    const std::string& text = source[line - 1];
    const size_t start = text.find_first_not_of(' ');
    return start == text.npos ? std::string() : text.substr(start);
}

std::string shortened(const std::string& line, size_t width) {
    return line.size() <= width ? line : line.substr(0, width - 3) + "...";
}

const std::vector<Table::Column>& site_columns() {
    static const std::vector<Table::Column> columns{
        {"access", Align::left}, {"of", Align::left}, {"bits"}, {"requests"}, {"sectors"},
        {"wavefronts"},          {"ideal"},           {"ways"}};
    return columns;
}

/// The table's lines, each source line before its accesses.
std::string sites_plain(const Count& count) {
    constexpr size_t kIndent = 7;
    Table table(site_columns());
    for (const auto& site : count.counters.sites) table.add(site_cells(site));
    const std::vector<std::string> lines = split_lines(table.plain(kWidth - kIndent));
    const std::vector<std::string> source = split_lines(source_of(*count.rung));
    const std::string indent(kIndent, ' ');
    std::string text = indent + lines.front() + '\n';
    uint32_t shown = 0;
    for (size_t i = 0; i < count.counters.sites.size(); ++i) {
        const uint32_t line = count.counters.sites[i].line;
        if (line != std::exchange(shown, line))
            text += fmt::format("{:>5}  {}\n", line,
                                shortened(source_line(source, line), kWidth - kIndent));
        text += indent + lines[i + 1] + '\n';
    }
    return text;
}

Table sites_markdown(const Count& count) {
    std::vector<Table::Column> columns = site_columns();
    columns.insert(columns.begin(), {"line"});
    columns.push_back({"source", Align::left});
    Table table(columns);
    const std::vector<std::string> source = split_lines(source_of(*count.rung));
    for (const auto& site : count.counters.sites) {
        std::vector<std::string> cells = site_cells(site);
        cells.insert(cells.begin(), std::to_string(site.line));
        cells.push_back('`' + source_line(source, site.line) + '`');
        table.add(std::move(cells));
    }
    return table;
}

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

}  // namespace

std::string text_of(std::span<const Count> counts, Format format) {
    std::vector<const Count*> right;
    for (const Count& count : counts)
        if (count.ok()) right.push_back(&count);
    std::string text;
    if (!right.empty()) {
        const Case& test = right.front()->test;
        text += fmt::format("Size {}{}, counted in CPU mode\n", shape_label(test),
                            test.beta != 0 ? ", beta not 0" : "");
        for (size_t i = 1; i == 1 || i < right.size(); i += kSideBySide - 1) {
            std::vector<const Count*> some{right.front()};
            for (size_t j = i; j < std::min(right.size(), i + kSideBySide - 1); ++j)
                some.push_back(right[j]);
            const Table table = totals_table(some);
            text += (format == Format::md ? table.markdown() : table.plain(kWidth)) + '\n';
        }
        for (const Count* count : right) text += blocks_run(*count);
        text += kTotalsLegend;
    }
    for (const Count* count : right) text += '\n' + sites_text(*count, format);
    if (!right.empty()) text += '\n' + std::string(kSitesLegend);
    for (const Count& count : counts)
        if (!count.ok())
            for (const std::string& line : wrap(fmt::format("{} {}: failed: {}", count.label,
                                                            shape_label(count.test), count.failure),
                                                kWidth))
                text += line + '\n';
    return text;
}

Table csv_table(std::span<const Count> counts) {
    std::vector<Table::Column> columns;
    for (const char* name : {"rung", "variant", "m", "n", "k", "beta", "blocks_run"})
        columns.push_back({name, Align::left});
    const Json names = json_of(Totals{});
    for (const auto& item : names.items()) columns.push_back({item.key(), Align::left});
    columns.push_back({"status", Align::left});
    columns.push_back({"reason", Align::left});
    Table table(columns);
    for (const Count& count : counts) {
        std::vector<std::string> cells{count.rung->id,
                                       count.variant->name,
                                       std::to_string(count.test.m),
                                       std::to_string(count.test.n),
                                       std::to_string(count.test.k),
                                       fmt::format("{}", count.test.beta),
                                       std::to_string(count.counters.blocks_run)};
        const Json totals = json_of(count.totals);
        for (const auto& item : totals.items())
            cells.push_back(!count.ok() || item.value().is_null() ? "" : item.value().dump());
        cells.push_back(name_of(count.ok() ? Outcome::ok : Outcome::failed));
        cells.push_back(count.failure);
        table.add(std::move(cells));
    }
    return table;
}

Json json_of(const Count& count) {
    const Case& test = count.test;
    Json json{{"rung", count.rung->id},
              {"variant", count.variant->name},
              {"shape", {test.m, test.n, test.k}},
              {"alpha", test.alpha},
              {"beta", test.beta},
              {"status", name_of(count.ok() ? Outcome::ok : Outcome::failed)},
              {"reason", count.failure}};
    json["sampled"] = count.sampled() ? Json{{"blocks_run", count.counters.blocks_run},
                                             {"blocks", count.counters.blocks}}
                                      : Json(nullptr);
    json["totals"] = count.ok() ? json_of(count.totals) : Json(nullptr);
    json["sites"] = Json::array();
    const std::string file = file_of(*count.rung);
    const std::vector<std::string> source = split_lines(source_of(*count.rung));
    for (const simt::SiteCounters& site : count.counters.sites)
        json["sites"].push_back({{"file", file},
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
                                 {"source", source_line(source, site.line)}});
    return json;
}

}  // namespace tilewright::lab
