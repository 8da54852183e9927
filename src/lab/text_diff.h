// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Which lines one text has and the other has not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tilewright::lab {

enum class Change { kept, removed, added };

struct DiffLine {
    Change change;
    std::string text;
    bool operator==(const DiffLine&) const = default;
};

/// A shortest edit that makes `before` into `after`; where both are possible, removals come first.
/// Takes time and memory for each pair of lines: for files that people read.
std::vector<DiffLine> diff_lines(const std::vector<std::string>& before,
                                 const std::vector<std::string>& after);

size_t count_lines(std::span<const DiffLine> diff, Change change);

/// As diff -u prints it, without file names: hunks with so many kept lines around them.
std::string unified(std::span<const DiffLine> diff, size_t context, bool colours);

}  // namespace tilewright::lab
