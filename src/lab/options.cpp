// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/options.h"

#include <algorithm>
#include <cstdlib>

#include "lab/shape_file.h"
#include "lab/sizes.h"
#include "lab/text.h"

namespace tilewright::lab {

namespace {

/// Elements beyond the least leading dimension; an empty text asks for none.
int64_t slack(const std::string& text, const char* option, Operand operand, const Case& test) {
    if (text.empty()) return 0;
    const auto ld = parse_number<int64_t>(text, option);
    const int64_t least = std::max<int64_t>(1, test.layout(operand).cols);
    if (ld < least)
        throw UsageError(
            fmt::format("{}: {} is less than the {} columns that {} of shape {} has "
                        "as it is stored",
                        option, ld, least, "ABC"[static_cast<int>(operand)],
                        text_of(Shape{test.m, test.n, test.k})));
    return ld - least;
}

/// Elements beyond the usual stride of a batch. Products of C must not lie in each other.
int64_t gap(const std::string& text, const char* option, Operand operand, const Case& test) {
    if (text.empty()) return 0;
    if (test.batch == 1) throw UsageError(fmt::format("{}: a batch of one has no stride", option));
    const auto stride = parse_number<int64_t>(text, option);
    const int64_t usual = test.layout(operand).stride;
    if (stride < (operand == Operand::C ? usual : 0))
        throw UsageError(operand == Operand::C
                             ? fmt::format("{}: {} is less than the {} elements of a product",
                                           option, stride, usual)
                             : fmt::format("{}: {} is negative", option, stride));
    return stride - usual;
}

void set_batch_and_parts(const Options& o, Case& test) {
    test.transpose_a = is_transposed(o.transa, "--transa");
    test.transpose_b = is_transposed(o.transb, "--transb");
    test.batch = parse_number<int64_t>(o.batch, "--batch");
    test.parts = parse_number<int>(o.parts, "--parts");
    test.device_scalars = o.device_scalars;
    if (test.batch < 0) throw UsageError(fmt::format("--batch: {} is negative", test.batch));
    if (test.parts < 1) throw UsageError(fmt::format("--parts: {} is less than 1", test.parts));
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

/// Nothing is asked for that lines of a shape file say too.
bool is_plain(const Options& o) {
    const Options usual;
    return o.transa == usual.transa && o.transb == usual.transb && o.batch == usual.batch &&
           o.lda.empty() && o.ldb.empty() && o.ldc.empty() && o.stride_a.empty() &&
           o.stride_b.empty() && o.stride_c.empty();
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

Format format_among(const Options& o, const std::vector<std::string>& names) {
    const size_t dot = o.output.rfind('.');
    const std::string ending = dot == o.output.npos ? "" : o.output.substr(dot + 1);
    for (size_t i = 0; i < names.size(); ++i)
        if (o.format.empty() ? names[i] == ending : names[i] == o.format)
            return static_cast<Format>(i);
    if (o.format.empty()) return Format::table;
    throw UsageError(
        fmt::format("--format: no format '{}'; {}", o.format, did_you_mean(o.format, names)));
}

}  // namespace

bool is_transposed(const std::string& word, const char* option) {
    if (word == "N" || word == "n") return false;
    if (word == "T" || word == "t" || word == "C" || word == "c") return true;
    throw UsageError(fmt::format("{}: '{}' is not N, T or C", option, word));
}

uint64_t seed_of(const Options& o) {
    return parse_number<uint64_t>(o.seed, "--seed");
}

uint64_t shuffle_of(const Options& o) {
    return parse_number<uint64_t>(o.shuffle, "--shuffle");
}

std::vector<Case> cases_of(const Options& o) {
    Case test;
    test.alpha = parse_number<float>(o.alpha, "--alpha");
    test.beta = parse_number<float>(o.beta, "--beta");
    test.seed = seed_of(o);
    set_batch_and_parts(o, test);
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
        test.slack_a = test.slack_b = test.slack_c = test.gap_a = test.gap_b = test.gap_c = 0;
        test.slack_a = slack(o.lda, "--lda", Operand::A, test);
        test.slack_b = slack(o.ldb, "--ldb", Operand::B, test);
        test.slack_c = slack(o.ldc, "--ldc", Operand::C, test);
        test.gap_a = gap(o.stride_a, "--stride-a", Operand::A, test);
        test.gap_b = gap(o.stride_b, "--stride-b", Operand::B, test);
        test.gap_c = gap(o.stride_c, "--stride-c", Operand::C, test);
        cases.push_back(test);
    }
    if (o.shape_file.empty()) return cases;
    if (!is_plain(o))
        throw UsageError(
            "--shapes: the file says what is transposed, and its batches and leading "
            "dimensions; no such option goes with it");
    const std::vector<Case> of_file = read_shapes(o.shape_file, test);
    cases.insert(cases.end(), of_file.begin(), of_file.end());
    return cases;
}

std::string device_of(const Options& o) {
    const char* variable = std::getenv("DEVICE");
    return o.device.empty() && variable ? variable : o.device;
}

std::unique_ptr<Device> open_device(const Options& o, CpuMode mode) try {
    return open_device(device_of(o), mode);
} catch (const NoDevice& error) {
    if (device_of(o) == o.device) throw;
    throw NoDevice(fmt::format("DEVICE in the environment: {}", error.what()));
}

Format format_of(const Options& o) {
    return format_among(o, {"table", "json", "csv", "md"});
}

Format row_format_of(const Options& o) {
    return format_among(o, {"table", "json", "csv", "md", "jsonl"});
}

double parse_seconds(const std::string& text, const char* option) {
    std::string number = text;
    const double unit = number.ends_with('m') ? 60 : 1;
    if (number.ends_with('s') || number.ends_with('m')) number.pop_back();
    const double seconds = parse_number<double>(number, option) * unit;
    if (!(seconds > 0 && seconds <= 86400))
        throw UsageError(fmt::format("{}: {} is not between 0 and 86400 s", option, text));
    return seconds;
}

std::optional<double> budget_of(const Options& o) {
    if (o.budget.empty()) return std::nullopt;
    if (!o.min_time.empty())
        throw UsageError("--budget chooses --min-time: one of the two, not both");
    return parse_seconds(o.budget, "--budget");
}

double min_time_of(const Options& o) {
    if (o.min_time.empty()) return o.sustained ? 1 : 0.25;
    const auto seconds = parse_number<double>(o.min_time, "--min-time");
    if (!(seconds >= 0 && seconds <= 3600))
        throw UsageError(fmt::format("--min-time: {} is not between 0 and 3600 s", o.min_time));
    return seconds;
}

}  // namespace tilewright::lab
