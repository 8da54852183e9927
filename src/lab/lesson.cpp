// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/lesson.h"

#include <algorithm>

#include "lab/text.h"
#include "lab/text_diff.h"
#include "simt/counters.h"

namespace tilewright::lab {

namespace {

bool starts_with_any(std::string_view line, std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view each) { return line.starts_with(each); });
}

void trim_blank_lines(std::vector<std::string>& lines) {
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    const auto text = std::find_if(lines.begin(), lines.end(),
                                   [](const std::string& line) { return !line.empty(); });
    lines.erase(lines.begin(), text);
}

std::string_view name_in(std::string_view path) {
    path.remove_prefix(path.find_last_of("/\\") + 1);
    return path;
}

}  // namespace

std::string_view source_of(const KernelDefinition& rung) {
    for (const EmbeddedFile& file : embedded_files())
        if (name_in(file.path) == name_in(rung.file)) return file.text;
    return {};
}

EmbeddedFile shared_header(uint32_t header) {
    for (const EmbeddedFile& file : embedded_files())
        if (header != 0 && simt::header_of(file.path.data(), file.path.size()) == header)
            return file;
    return {};
}

std::string header_in(std::string_view source) {
    std::vector<std::string> lines;
    for (const std::string& line : split_lines(source)) {
        if (!line.starts_with("//")) break;
        if (line.find("SPDX-") != line.npos) continue;
        lines.push_back(line.substr(line.starts_with("// ") ? 3 : 2));
    }
    trim_blank_lines(lines);
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

std::vector<std::string> lesson_in(std::string_view source) {
    const std::vector<std::string> lines = split_lines(source);
    auto line = std::find_if(lines.begin(), lines.end(), [](const std::string& each) {
        return each.starts_with("namespace ");
    });
    std::vector<std::string> lesson;
    if (line == lines.end()) return lesson;
    for (++line; line != lines.end(); ++line) {
        // From here on: the rung's name in several spellings, and prose that the header has too.
        if (starts_with_any(*line, {"constexpr const char* kAliases", "constexpr Claim kClaims",
                                    "extern const Kernel"}))
            break;
        if (!starts_with_any(*line, {"#if !defined(__CUDACC_RTC__)"})) lesson.push_back(*line);
    }
    trim_blank_lines(lesson);
    return lesson;
}

size_t added_lines(const KernelDefinition& rung, const KernelDefinition& parent) {
    return count_lines(diff_lines(lesson_of(parent), lesson_of(rung)), Change::added);
}

}  // namespace tilewright::lab
