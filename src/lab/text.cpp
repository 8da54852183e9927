// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/text.h"

#include <algorithm>

namespace tilewright::lab {

size_t edit_distance(std::string_view a, std::string_view b) {
    // Rows of the usual table: distances of prefixes of a to all prefixes of b.
    std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, last);
        std::swap(last, row);
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> names) {
    std::vector<std::pair<size_t, std::string>> ranked;
    for (const std::string& name : names) {
        const bool contained = word.size() > 1 && name.find(word) != name.npos;
        ranked.emplace_back(contained ? 0 : edit_distance(word, name), name);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> result;
    for (const auto& [distance, name] : ranked) {
        if (result.size() == 3 || distance > ranked.front().first + 1) break;
        if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
    }
    return result;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
    const std::vector<std::string> near = nearest(word, names);
    if (near.empty()) return {};
    std::string text = "did you mean ";
    for (size_t i = 0; i < near.size(); ++i)
        text += (i == 0 ? "'" : i + 1 == near.size() ? " or '" : ", '") + near[i] + "'";
    return text + "?";
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return lines;
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const size_t start = text.find_first_not_of(' ');
        if (start == text.npos) break;
        text.remove_prefix(start);
        const std::string_view word = text.substr(0, text.find(' '));
        std::string& line = lines.back();
        if (line.empty())
            line = word;
        else if (line.size() + 1 + word.size() <= width)
            line.append(" ").append(word);
        else
            lines.emplace_back(word);
        text.remove_prefix(word.size());
    }
    return lines;
}

std::string wrapped(std::string_view text, const std::string& margin, size_t width) {
    std::string lines;
    for (const std::string& line : wrap(text, width - margin.size())) lines += margin + line + '\n';
    return lines;
}

std::string join(std::span<const std::string> words, std::string_view between) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += between;
        text += word;
    }
    return text;
}

}  // namespace tilewright::lab
