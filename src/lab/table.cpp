// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "lab/text.h"

namespace tilewright::lab {

namespace {

constexpr size_t kGap = 2, kLeastWrapped = 20;

std::string padded(const std::string& cell, size_t width, Align align) {
    return align == Align::right ? fmt::format("{:>{}}", cell, width)
                                 : fmt::format("{:<{}}", cell, width);
}

void end_line(std::string& text) {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
}

std::string quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\n") == cell.npos) return cell;
    std::string text = "\"";
    for (char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

std::string escaped(const std::string& cell) {
    std::string text;
    for (char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
    return text;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
    assert(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::widths() const {
    std::vector<size_t> widths;
    for (size_t i = 0; i < columns_.size(); ++i) {
        widths.push_back(columns_[i].title.size());
        for (const auto& row : rows_) widths[i] = std::max(widths[i], row[i].size());
    }
    return widths;
}

std::string Table::plain(size_t width) const {
    const std::vector<size_t> widths = this->widths();
    const size_t last = columns_.size() - 1;
    size_t before = 0;
    for (size_t i = 0; i < last; ++i) before += widths[i] + kGap;
    const size_t room = std::max(width > before ? width - before : 0, kLeastWrapped);

    std::string text;
    const auto add_line = [&](const auto& cell_of) {
        std::string line;
        for (size_t i = 0; i < last; ++i)
            line += padded(cell_of(i), widths[i], columns_[i].align) + std::string(kGap, ' ');
        if (columns_[last].align == Align::right) {
            text += line + padded(cell_of(last), widths[last], Align::right);
            return end_line(text);
        }
        for (const std::string& part : wrap(cell_of(last), room)) {
            text += line + part;
            end_line(text);
            line.assign(before, ' ');
        }
    };
    add_line([&](size_t i) { return columns_[i].title; });
    for (const auto& row : rows_) add_line([&](size_t i) { return row[i]; });
    return text;
}

std::string Table::markdown() const {
    std::string text = "|";
    for (const Column& column : columns_) text += " " + escaped(column.title) + " |";
    text += "\n|";
    for (const Column& column : columns_) text += column.align == Align::right ? "---:|" : "---|";
    text += '\n';
    for (const auto& row : rows_) {
        text += '|';
        for (const std::string& cell : row) text += " " + escaped(cell) + " |";
        text += '\n';
    }
    return text;
}

std::string Table::csv() const {
    std::string text;
    const auto add_line = [&](const auto& cell_of) {
        for (size_t i = 0; i < columns_.size(); ++i) text += (i ? "," : "") + quoted(cell_of(i));
        text += '\n';
    };
    add_line([&](size_t i) { return columns_[i].title; });
    for (const auto& row : rows_) add_line([&](size_t i) { return row[i]; });
    return text;
}

}  // namespace tilewright::lab
