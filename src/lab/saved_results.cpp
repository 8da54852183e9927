// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/saved_results.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

/// "parse error at line 1, column 2: ..." without the library's own number.
std::string reason_of(const Json::exception& error) {
    const std::string text = error.what();
    const size_t end = text.find("] ");
    return end == text.npos ? text : text.substr(end + 2);
}

bool is_environment(const Json& json) {
    return json.is_object() && json.contains("environment") && json["environment"].is_object();
}

Json parse_lines(const std::string& text, const std::string& name) {
    Json all;
    const std::vector<std::string> lines = split_lines(text);
    for (size_t i = 0; i < lines.size(); ++i) {
        const auto fail = [&](const std::string& what) {
            throw UsageError(fmt::format("{}:{}: {}", name, i + 1, what));
        };
        const bool broken_off = i + 1 == lines.size() && !text.ends_with('\n');
        const Json json = Json::parse(lines[i], nullptr, false);
        if (i == 0) {
            all = json;
            all["results"] = Json::array();
        } else if (json.is_object() && json.contains("rung")) {
            all["results"].push_back(json);
        } else if (json.is_discarded() && !broken_off) {
            fail("not JSON");
        } else if (!json.is_discarded()) {
            fail("no row: it has no \"rung\"");
        }
    }
    return all;
}

}  // namespace

Json parse_saved(const std::string& text, const std::string& name) {
    const Json first = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
    if (is_environment(first) && first.size() == 1) return parse_lines(text, name);
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::exception& error) {
        throw UsageError(fmt::format("{}: not JSON: {}", name, reason_of(error)));
    }
    if (!is_environment(json))
        throw UsageError(
            fmt::format("{}: not a results file of tilewright: it has no \"environment\"", name));
    if (json.contains("results") && !json["results"].is_array())
        throw UsageError(fmt::format("{}: \"results\" is no array", name));
    return json;
}

Json read_saved(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw UsageError(fmt::format("{}: it is a folder", path));
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UsageError(fmt::format("{}: {}", path, std::strerror(errno)));
    return parse_saved({std::istreambuf_iterator<char>(file), {}}, path);
}

}  // namespace tilewright::lab
