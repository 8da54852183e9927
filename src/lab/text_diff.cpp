// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/text_diff.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::lab {

namespace {

constexpr const char *kRed = "\033[31m", *kGreen = "\033[32m", *kCyan = "\033[36m",
                     *kPlain = "\033[0m";

std::string line_text(const DiffLine& line, bool colours) {
    const char mark = " -+"[static_cast<int>(line.change)];
    if (!colours || line.change == Change::kept) return fmt::format("{}{}\n", mark, line.text);
    return fmt::format("{}{}{}{}\n", line.change == Change::added ? kGreen : kRed, mark, line.text,
                       kPlain);
}

}  // namespace

std::vector<DiffLine> diff_lines(const std::vector<std::string>& before,
                                 const std::vector<std::string>& after) {
    const size_t rows = before.size(), cols = after.size();
    // common[i][j]: the longest common subsequence of what follows line i and line j.
    std::vector<std::vector<unsigned>> common(rows + 1, std::vector<unsigned>(cols + 1, 0));
    for (size_t i = rows; i-- > 0;)
        for (size_t j = cols; j-- > 0;)
            common[i][j] = before[i] == after[j] ? common[i + 1][j + 1] + 1
                                                 : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<DiffLine> diff;
    size_t i = 0, j = 0;
    while (i < rows || j < cols) {
        if (i < rows && j < cols && before[i] == after[j]) {
            diff.push_back({Change::kept, before[i]});
            ++i, ++j;
        } else if (i < rows && (j == cols || common[i + 1][j] >= common[i][j + 1])) {
            diff.push_back({Change::removed, before[i++]});
        } else {
            diff.push_back({Change::added, after[j++]});
        }
    }
    return diff;
}

size_t count_lines(std::span<const DiffLine> diff, Change change) {
    return static_cast<size_t>(std::count_if(
        diff.begin(), diff.end(), [&](const DiffLine& line) { return line.change == change; }));
}

std::string unified(std::span<const DiffLine> diff, size_t context, bool colours) {
    const auto changed = [&](size_t i) { return diff[i].change != Change::kept; };
    std::string text;
    size_t before = 1, after = 1;  // line numbers of diff[i]
    for (size_t i = 0; i < diff.size();) {
        size_t next = i;
        while (next < diff.size() && !changed(next)) ++next;
        if (next == diff.size()) break;
        const size_t start = std::max(i, next > context ? next - context : 0);
        before += start - i, after += start - i;
        // The hunk goes on while the next change is so near that the contexts touch.
        size_t last = next;
        for (size_t j = next; j < diff.size() && j <= last + 2 * context + 1; ++j)
            if (changed(j)) last = j;
        const size_t end = std::min(last + 1 + context, diff.size());
        const auto hunk = diff.subspan(start, end - start);
        const size_t removed = hunk.size() - count_lines(hunk, Change::added);
        const size_t added = hunk.size() - count_lines(hunk, Change::removed);
        text += fmt::format("{}@@ -{},{} +{},{} @@{}\n", colours ? kCyan : "", before, removed,
                            after, added, colours ? kPlain : "");
        for (const DiffLine& line : hunk) text += line_text(line, colours);
        before += removed, after += added;
        i = end;
    }
    return text;
}

}  // namespace tilewright::lab
