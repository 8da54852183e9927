// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Rows of words, printed for a terminal, a spreadsheet or a document.
#pragma once

#include <string>
#include <vector>

namespace tilewright::lab {

enum class Align { left, right };

class Table {
  public:
    struct Column {
        std::string title;
        Align align = Align::right;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// One cell a column.
    void add(std::vector<std::string> cells);

    /// Columns two spaces apart; a left-aligned last column is wrapped to keep lines within
    /// `width`.
    std::string plain(size_t width = 80) const;
    std::string markdown() const;
    std::string csv() const;  ///< As RFC 4180, but with plain newlines.

  private:
    std::vector<size_t> widths() const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace tilewright::lab
