// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/ladder_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/quantities.h"
#include "lab/registry.h"

namespace tilewright::lab {

namespace {

const Row* row_of(std::span<const Row> rows, std::string_view rung) {
    for (const Row& row : rows)
        if (row.rung == rung) return &row;
    return nullptr;
}

std::string number(const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string rate_cell(const Row* row) {
    if (!row) return "-";
    return row->outcome == Outcome::ok ? number(row->gflops, 1) : name_of(row->outcome);
}

}  // namespace

Table rate_table(std::span<const KernelDefinition* const> rungs, std::span<const Row> rows) {
    std::vector<Table::Column> columns{{"rung", Align::left}, {"name", Align::left}};
    const bool mixed = mixes_arithmetic(rows);
    if (mixed) columns.push_back({"in", Align::left});
    for (const char* name : {"GFLOP/s", "x parent"}) columns.push_back({name});
    columns.push_back({"parent", Align::left});
    for (const char* name : {"%cuBLAS", "%peak"}) columns.push_back({name});
    Table table(std::move(columns));
    for (const KernelDefinition* rung : rungs) {
        const Row* row = row_of(rows, rung->id);
        if (!row) continue;
        const Row* parent = row_of(rows, rung->parent);
        std::optional<double> factor;
        if (parent && row->gflops && parent->gflops && row->arithmetic == parent->arithmetic)
            factor = *row->gflops / *parent->gflops;
        std::vector<std::string> cells{rung->id, title_of(*rung)};
        if (mixed) cells.emplace_back(name_of(row->arithmetic));
        for (const std::string& cell :
             {rate_cell(row), number(factor, 2), std::string(*rung->parent ? rung->parent : "-"),
              number(row->percent_of_cublas, 1), number(row->percent_of_peak, 1)})
            cells.push_back(cell);
        table.add(std::move(cells));
    }
    return table;
}

Table sweep_table(std::span<const KernelDefinition* const> rungs, std::span<const Row> rows) {
    std::vector<std::string> shapes;
    for (const Row& row : rows)
        if (std::find(shapes.begin(), shapes.end(), shape_label(row.test)) == shapes.end())
            shapes.push_back(shape_label(row.test));
    std::vector<Table::Column> columns{{"rung", Align::left}};
    for (const std::string& shape : shapes) columns.push_back({shape});
    Table table(std::move(columns));
    for (const KernelDefinition* rung : rungs) {
        const bool fp32 = rung->arithmetic == Arithmetic::fp32;
        std::vector<std::string> cells{
            fp32 ? rung->id : fmt::format("{} ({})", rung->id, name_of(rung->arithmetic))};
        for (const std::string& shape : shapes) {
            const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& each) {
                return each.rung == rung->id && shape_label(each.test) == shape;
            });
            cells.push_back(rate_cell(row == rows.end() ? nullptr : &*row));
        }
        table.add(std::move(cells));
    }
    return table;
}

Table counted_table(std::span<const Row> rows, const Case& test) {
    constexpr std::pair<const char*, const char*> kColumns[] = {
        {"loads", "global_load_requests"},
        {"sectors", "sectors_per_load"},
        {"B/result", "global_bytes_per_result"},
        {"wavefronts", "wavefronts_per_load"},
        {"words", "words_per_ffma"},
        {"barriers", "barriers_per_block"}};
    std::vector<Table::Column> columns{{"rung", Align::left}, {"name", Align::left}};
    for (const auto& [title, key] : kColumns) columns.push_back({title});
    Table table(std::move(columns));
    for (const Row& row : rows) {
        if (!row.counted || row.test != test) continue;
        std::vector<std::string> cells{row.label, row.name};
        for (const auto& [title, key] : kColumns) {
            const Quantity& quantity = *quantity_of(key);
            const double value = quantity.value(*row.counted);
            cells.push_back(value > 0 ? number(value, quantity.digits) : "-");
        }
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace tilewright::lab
