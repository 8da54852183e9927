// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/count_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lab/least_work.h"
#include "lab/lesson.h"
#include "lab/quantities.h"
#include "lab/text.h"

namespace tilewright::lab {

namespace {

/// Whole as long as it can be read at a glance.
std::string number(double value, int digits) {
    if (std::isnan(value)) return "-";
    if (digits > 0) return fmt::format("{:.{}f}", value, digits);
    if (value < 1e8) return fmt::format("{:.0f}", value);
    const double power = std::floor(std::log10(value));
    return fmt::format("{:.3f}e{:.0f}", value / std::pow(10, power), power);
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

std::string shortened(const std::string& line, size_t width) {
    return line.size() <= width ? line : line.substr(0, width - 3) + "...";
}

const std::vector<Table::Column>& site_columns() {
    static const std::vector<Table::Column> columns{
        {"access", Align::left}, {"of", Align::left}, {"bits"}, {"requests"}, {"sectors"},
        {"wavefronts"},          {"ideal"},           {"ways"}};
    return columns;
}

}  // namespace

SourceLines::SourceLines(const KernelDefinition& rung) : own_(split_lines(source_of(rung))) {
    for (const EmbeddedFile& file : embedded_files())
        if (const uint32_t header = simt::header_of(file.path.data(), file.path.size()))
            shared_[header] = split_lines(file.text);
}

std::string SourceLines::at(const simt::SiteCounters& site) const {
    const auto shared = shared_.find(site.header);
    if (site.header && shared == shared_.end()) return {};
    const std::vector<std::string>& lines = site.header ? shared->second : own_;
    if (site.line == 0 || site.line > lines.size()) return {};
    const std::string& text = lines[site.line - 1];
    const size_t start = text.find_first_not_of(' ');
    return start == text.npos ? std::string() : text.substr(start);
}

Table totals_table(std::span<const CountRow* const> rows) {
    const Count& leader = rows.front()->count;
    std::vector<Table::Column> columns{{"", Align::left}, {leader.label}};
    for (const CountRow* row : rows.subspan(1)) {
        columns.push_back({row->count.label});
        columns.push_back({"x " + leader.label});
    }
    Table table(columns);
    for (const QuantityGroup& group : quantities()) {
        std::vector<std::vector<std::string>> lines;
        for (const Quantity& quantity : group.quantities) {
            if (!quantity.label) continue;
            const double first = quantity.value(leader.totals);
            std::vector<std::string> cells{std::string("  ") + quantity.label,
                                           number(first, quantity.digits)};
            bool any = first > 0;
            for (const CountRow* row : rows.subspan(1)) {
                const double value = quantity.value(row->count.totals);
                any = any || value > 0;
                cells.push_back(number(value, quantity.digits));
                cells.push_back(change(first, value));
            }
            if (any) lines.push_back(std::move(cells));
        }
        if (lines.empty()) continue;
        std::vector<std::string> title(columns.size());
        title.front() = group.title;
        table.add(std::move(title));
        for (auto& line : lines) table.add(std::move(line));
    }
    return table;
}

Table compiled_table(std::span<const CountRow* const> rows) {
    std::vector<Table::Column> columns{{"", Align::left}};
    std::vector<std::string> architectures{"compiled for"};
    for (const CountRow* row : rows) {
        columns.push_back({row->count.label});
        architectures.push_back(row->compiled ? "sm_" + row->compiled->architecture : "-");
    }
    Table table(columns);
    table.add(std::move(architectures));
    const auto add = [&](const std::string& label, int digits, const auto& value_of) {
        std::vector<std::string> cells{label};
        bool any = false;
        for (const CountRow* row : rows) {
            const bool known = row->compiled && row->compiled->main_loop;
            const double value = known ? value_of(*row->compiled) : kNone;
            any = any || value > 0;
            cells.push_back(number(value, digits));
        }
        if (any) table.add(std::move(cells));
    };
    add("registers", 0, [](const Compiled& c) { return c.registers; });
    add("main loop: FFMA", 0, [](const Compiled& c) { return c.main_loop->ffma; });
    add("main loop: mma", 0, [](const Compiled& c) { return c.main_loop->mma; });
    add("  with a reuse flag, %", 0, [](const Compiled& c) { return c.ffma_reuse * 100; });
    add("  in a bank conflict, %", 0, [](const Compiled& c) { return c.bank_conflicts * 100; });
    add("  clocks of stall for each", 2, [](const Compiled& c) { return c.stalls; });
    const auto add_widths = [&](const char* name, Widths Instructions::*widths) {
        for (size_t i = 0; i < 3; ++i)
            add(fmt::format("  {}.{}", name, 32 << i), 0,
                [&](const Compiled& c) { return (*c.main_loop.*widths)[i]; });
    };
    add_widths("LDS", &Instructions::shared_loads);
    add_widths("STS", &Instructions::shared_stores);
    add_widths("LDG", &Instructions::global_loads);
    add("  barriers", 0, [](const Compiled& c) { return c.main_loop->barriers; });
    add("  all, on the shortest way", 0, [](const Compiled& c) { return c.main_loop->all; });
    add("  all for each FFMA", 2, [](const Compiled& c) {
        return c.main_loop->ffma > 0 ? c.main_loop->all / c.main_loop->ffma : kNone;
    });
    std::vector<std::string> wavefronts{"wavefronts / FFMA"};
    for (const CountRow* row : rows)
        wavefronts.push_back(number(row->compiled && row->count.totals.ffma > 0
                                        ? least_shared_wavefronts(row->count, row->compiled) /
                                              static_cast<double>(row->count.totals.ffma)
                                        : kNone,
                                    3));
    table.add(std::move(wavefronts));
    return table;
}

Table bound_table(std::span<const CountRow* const> rows, const Gpu& gpu) {
    std::vector<Table::Column> columns{{gpu.name, Align::left}};
    for (const CountRow* row : rows) columns.push_back({row->count.label});
    Table table(columns);
    const auto add = [&](const std::string& label, const auto& cell_of) {
        std::vector<std::string> cells{label};
        for (const CountRow* row : rows) cells.push_back(cell_of(*row));
        table.add(std::move(cells));
    };
    add("GFLOP/s, at most", [](const CountRow& row) { return number(row.bound->gflops, 0); });
    add("GFLOP/s, measured",
        [](const CountRow& row) { return number(row.measured.value_or(kNone), 0); });
    add("  % of at most", [](const CountRow& row) {
        return number(row.measured.value_or(kNone) / row.bound->gflops * 100, 1);
    });
    add("limiter", [](const CountRow& row) { return row.bound->limiter_label(); });
    for (size_t i = 0; i < rows.front()->bound->terms.size(); ++i)
        add(fmt::format("  us: {}", rows.front()->bound->terms[i].label), [&](const CountRow& row) {
            const double us = row.bound->terms[i].us;
            return number(us > 0 ? us : kNone, 2);
        });
    add("busiest SM / mean", [](const CountRow& row) { return number(row.bound->waves, 2); });
    return table;
}

std::string sites_plain(const Count& count) {
    constexpr size_t kIndent = 7;
    Table table(site_columns());
    for (const auto& site : count.counters.sites) table.add(site_cells(site));
    const std::vector<std::string> lines = split_lines(table.plain(kReportWidth - kIndent));
    const SourceLines source(*count.rung);
    const std::string indent(kIndent, ' ');
    std::string text = indent + lines.front() + '\n';
    uint32_t shown = 0;
    uint32_t header = 0;
    for (size_t i = 0; i < count.counters.sites.size(); ++i) {
        const simt::SiteCounters& site = count.counters.sites[i];
        if (site.header != std::exchange(header, site.header)) {
            text += fmt::format("in {}\n", file_of(*count.rung, site.header));
            shown = 0;
        }
        if (site.line != std::exchange(shown, site.line))
            text += fmt::format("{:>5}  {}\n", site.line,
                                shortened(source.at(site), kReportWidth - kIndent));
        text += indent + lines[i + 1] + '\n';
    }
    return text;
}

Table sites_markdown(const Count& count) {
    std::vector<Table::Column> columns = site_columns();
    columns.insert(columns.begin(), {"line"});
    columns.push_back({"source", Align::left});
    Table table(columns);
    const SourceLines source(*count.rung);
    for (const auto& site : count.counters.sites) {
        std::vector<std::string> cells = site_cells(site);
        cells.insert(cells.begin(),
                     (site.header ? file_of(*count.rung, site.header) + ':' : std::string()) +
                         std::to_string(site.line));
        cells.push_back('`' + source.at(site) + '`');
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace tilewright::lab
