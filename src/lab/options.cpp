// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "lab/sizes.h"
#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

template <class Number>
Number parse_number(const std::string& text, const char* option) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range)
        throw UsageError(fmt::format("{}: '{}' is out of range", option, text));
    if (error != std::errc{} || at != end)
        throw UsageError(fmt::format("{}: '{}' is not a number", option, text));
    return value;
}

void reserve_transpose(const std::string& word, const char* option) {
    if (word == "N" || word == "n") return;
    if (word == "T" || word == "t" || word == "C" || word == "c")
        throw UsageError(fmt::format("{}: transposed operands come with a later version", option));
    throw UsageError(fmt::format("{}: '{}' is not N, T or C", option, word));
}

/// Elements beyond the least leading dimension; an empty text asks for none.
int64_t slack(const std::string& text, const char* option, int64_t least, const Shape& shape) {
    if (text.empty()) return 0;
    const auto ld = parse_number<int64_t>(text, option);
    if (ld < least)
        throw UsageError(fmt::format("{}: {} is less than the {} columns of shape {}", option, ld,
                                     least, text_of(shape)));
    return ld - least;
}

void set_offsets(const std::string& text, Case& test) {
    if (text.empty()) return;
    const std::vector<int64_t> offsets = parse_sizes(text);
    if (offsets.size() != 3 ||
        std::any_of(offsets.begin(), offsets.end(), [](int64_t value) { return value > 1 << 20; }))
        throw UsageError(fmt::format("--offset: '{}' is not three small numbers a,b,c", text));
    test.offset_a = static_cast<int>(offsets[0]);
    test.offset_b = static_cast<int>(offsets[1]);
    test.offset_c = static_cast<int>(offsets[2]);
}

std::vector<Shape> shapes_of(const Options& options) {
    std::vector<Shape> shapes;
    const char* option = "--sizes";
    try {
        if (!options.sizes.empty())
            for (int64_t size : parse_sizes(options.sizes)) shapes.push_back({size, size, size});
        option = "--shape";
        for (const std::string& word : options.shapes) shapes.push_back(parse_shape(word));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
    return shapes;
}

}  // namespace

uint64_t seed_of(const Options& o) {
    return parse_number<uint64_t>(o.seed, "--seed");
}

std::vector<Case> cases_of(const Options& o) {
    reserve_transpose(o.transa, "--transa");
    reserve_transpose(o.transb, "--transb");
    Case test;
    test.alpha = parse_number<float>(o.alpha, "--alpha");
    test.beta = parse_number<float>(o.beta, "--beta");
    test.seed = seed_of(o);
    set_offsets(o.offsets, test);
    const auto distribution = distribution_of(o.dist);
    if (!distribution) {
        std::vector<std::string> names;
        for (Distribution each : kDistributions) names.push_back(name_of(each));
        throw UsageError(
            fmt::format("--dist: no data '{}'; {}", o.dist, did_you_mean(o.dist, names)));
    }
    test.distribution = *distribution;
    std::vector<Case> cases;
    for (const Shape& shape : shapes_of(o)) {
        test.m = shape.m, test.n = shape.n, test.k = shape.k;
        test.slack_a = slack(o.lda, "--lda", std::max<int64_t>(1, shape.k), shape);
        test.slack_b = slack(o.ldb, "--ldb", std::max<int64_t>(1, shape.n), shape);
        test.slack_c = slack(o.ldc, "--ldc", std::max<int64_t>(1, shape.n), shape);
        cases.push_back(test);
    }
    return cases;
}

std::string device_of(const Options& o) {
    const char* variable = std::getenv("DEVICE");
    return o.device.empty() && variable ? variable : o.device;
}

Format format_of(const Options& o) {
    const std::vector<std::string> names{"table", "json", "csv", "md"};
    const size_t dot = o.output.rfind('.');
    const std::string ending = dot == o.output.npos ? "" : o.output.substr(dot + 1);
    for (size_t i = 0; i < names.size(); ++i)
        if (o.format.empty() ? names[i] == ending : names[i] == o.format)
            return static_cast<Format>(i);
    if (o.format.empty()) return Format::table;
    throw UsageError(
        fmt::format("--format: no format '{}'; {}", o.format, did_you_mean(o.format, names)));
}

double min_time_of(const Options& o) {
    const auto seconds = parse_number<double>(o.min_time, "--min-time");
    if (!(seconds >= 0 && seconds <= 3600))
        throw UsageError(fmt::format("--min-time: {} is not between 0 and 3600 s", o.min_time));
    return seconds;
}

}  // namespace tilewright::lab
