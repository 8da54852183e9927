// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/header.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/text.h"

namespace tilewright::lab {

namespace {

constexpr size_t kIndent = 9;  // labels stand in front of it
constexpr std::string_view kLabels[] = {"Before",  "Idea", "For",     "Design",
                                        "Picture", "Cost", "Look at", "Next"};

std::string_view label_of(std::string_view line) {
    for (const std::string_view label : kLabels)
        if (line.starts_with(fmt::format("{:<{}}", label, kIndent))) return label;
    return {};
}

bool is_prose(std::string_view line) {
    return !line.empty() && line.front() != ' ' && line.find("  ") == line.npos;
}

}  // namespace

Header::Header(std::string_view text) : sections_(1) {
    const std::string indent(kIndent, ' ');
    for (const std::string& line : split_lines(text)) {
        const std::string_view label = label_of(line);
        if (!label.empty()) sections_.push_back({std::string(label), {}});
        const bool indented = !label.empty() || line.starts_with(indent);
        sections_.back().lines.push_back(indented ? line.substr(kIndent) : line);
    }
    for (Section& each : sections_)
        while (!each.lines.empty() && each.lines.back().empty()) each.lines.pop_back();
}

const Header::Section* Header::find(std::string_view label) const {
    const auto found = std::find_if(sections_.begin(), sections_.end(),
                                    [&](const Section& each) { return each.label == label; });
    return found == sections_.end() ? nullptr : &*found;
}

std::string Header::section(std::string_view label) const {
    const Section* found = find(label);
    return found ? join(found->lines, " ") : std::string();
}

std::string Header::plain(std::string_view label, size_t width) const {
    const Section* found = find(label);
    if (!found) return {};
    std::string text, prose;
    const auto add = [&](const std::string& line) {
        const std::string_view name = text.empty() ? std::string_view(found->label) : "";
        text += found->label.empty() ? line : fmt::format("{:<{}}{}", name, kIndent, line);
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    };
    const auto add_prose = [&] {
        if (prose.empty()) return;
        const size_t indent = found->label.empty() ? 0 : kIndent;
        for (const std::string& line : wrap(prose, width - indent)) add(line);
        prose.clear();
    };
    for (const std::string& line : found->lines) {
        if (is_prose(line)) {
            prose += ' ' + line;
            continue;
        }
        add_prose();
        add(line);
    }
    add_prose();
    return text;
}

}  // namespace tilewright::lab
