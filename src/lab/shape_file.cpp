// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/shape_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "lab/options.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

constexpr const char* kForm = "row|col N|T N|T M N K [batch=] [slack=] [alpha=] [beta=] [graph]";

/// One line's words, taken from the front.
class Words {
  public:
    explicit Words(const std::string& line) : line_(line.substr(0, line.find('#'))) {}

    bool next(std::string& word) { return static_cast<bool>(line_ >> word); }
    std::string take(const char* what) {
        std::string word;
        if (!next(word)) throw UsageError(fmt::format("{} is missing: a line is {}", what, kForm));
        return word;
    }
    int64_t take_size(const char* what) {
        const auto size = parse_number<int64_t>(take(what), what);
        if (size < 0) throw UsageError(fmt::format("{}: {} is negative", what, size));
        return size;
    }

  private:
    std::istringstream line_;
};

void set_option(const std::string& word, Case& test) {
    if (word == "graph") return;
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    if (key == "batch" || key == "slack") {
        const auto number = parse_number<int64_t>(value, key.c_str());
        if (number < 0) throw UsageError(fmt::format("{}: {} is negative", key, number));
        if (key == "batch")
            test.batch = number;
        else
            test.slack_a = test.slack_b = test.slack_c = number;
    } else if (key == "alpha") {
        test.alpha = parse_number<float>(value, "alpha");
    } else if (key == "beta") {
        test.beta = parse_number<float>(value, "beta");
    } else {
        throw UsageError(
            fmt::format("'{}' is none of batch=, slack=, alpha=, beta= and graph", word));
    }
}

Case parse_line(Words& words, const std::string& layout, const Case& base) {
    Case test = base;
    if (layout != "row" && layout != "col")
        throw UsageError(fmt::format("'{}' is no layout: row or col", layout));
    test.transpose_a = is_transposed(words.take("transA"), "transA");
    test.transpose_b = is_transposed(words.take("transB"), "transB");
    test.m = words.take_size("M"), test.n = words.take_size("N"), test.k = words.take_size("K");
    for (std::string word; words.next(word);) set_option(word, test);
    if (layout == "row") return test;
    // Read row by row, a column-major matrix is its transpose: C^T = B^T A^T.
    std::swap(test.m, test.n);
    std::swap(test.transpose_a, test.transpose_b);
    return test;
}

}  // namespace

std::vector<Case> parse_shapes(std::istream& text, const std::string& name, const Case& base) {
    std::vector<Case> cases;
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        Words words(line);
        std::string layout;
        if (!words.next(layout)) continue;
        try {
            cases.push_back(parse_line(words, layout, base));
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}:{}: {}", name, number, error.what()));
        }
    }
    if (cases.empty())
        throw UsageError(fmt::format("{}: there is no shape in it; a line is {}", name, kForm));
    return cases;
}

std::vector<Case> read_shapes(const std::string& path, const Case& base) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw UsageError(fmt::format("--shapes: {} is a folder", path));
    std::ifstream file(path);
    if (!file)
        throw UsageError(fmt::format("--shapes: cannot read {}: {}", path, std::strerror(errno)));
    return parse_shapes(file, path, base);
}

}  // namespace tilewright::lab
