// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/help.h"

#include <fmt/format.h>

#include "lab/text.h"

namespace tilewright::lab {

namespace {

constexpr size_t kWidth = 80;

/// A name and what it means, in two columns.
std::string entry(const std::string& name, const std::string& meaning, size_t column) {
    std::string text = "  " + name;
    if (text.size() + 2 > column)
        text += '\n' + std::string(column, ' ');
    else
        text.resize(column, ' ');
    bool first = true;
    for (const std::string& line : wrap(meaning, kWidth - column)) {
        text += (first ? "" : std::string(column, ' ')) + line + '\n';
        first = false;
    }
    return text;
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option), get_column_width());
}

/// Without what it excludes: its description says so where it is no matter of course.
std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    if (option->get_type_size() == 0) return {};  // a flag
    std::string text = " " + get_label(option->get_type_name());
    if (!option->get_default_str().empty()) text += '=' + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " " + get_label("REQUIRED");
    return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
    return entry(verb->get_display_name(true), verb->get_description(), get_column_width());
}

}  // namespace tilewright::lab
