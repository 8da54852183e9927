// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Small work on words and lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::lab {

/// Letters to insert, delete, replace or swap with their neighbour to make one word the other.
size_t edit_distance(std::string_view a, std::string_view b);

/// Up to three names that a person may have meant, the nearest first; a name that contains the word
/// is as near as can be.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> names);

/// The sentence part for a word that is none of `names`: "did you mean 'bench' or 'list'?"
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

std::vector<std::string> split_lines(std::string_view text);

/// Breaks at spaces into lines of at most `width`; a longer word keeps its line.
std::vector<std::string> wrap(std::string_view text, size_t width);

/// The same as text, each line behind the margin.
std::string wrapped(std::string_view text, const std::string& margin = "", size_t width = 80);

std::string join(std::span<const std::string> words, std::string_view between);

}  // namespace tilewright::lab
