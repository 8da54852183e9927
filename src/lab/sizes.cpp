// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/sizes.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "lab/usage.h"

namespace tilewright::lab {

namespace {

constexpr size_t kMostSizes = 10000;

int64_t parse_size(std::string_view word, std::string_view whole) {
    const auto fail = [&](std::string_view reason) {
        return word == whole ? UsageError(fmt::format("'{}' {}", word, reason))
                             : UsageError(fmt::format("'{}' in '{}' {}", word, whole, reason));
    };
    int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc::result_out_of_range) throw fail("is too large for 64 bits");
    if (error != std::errc{} || at != end) throw fail("is not a number");
    if (value < 0) throw fail("is negative");
    return value;
}

void add_range(std::string_view item, std::vector<int64_t>& sizes) {
    const size_t colon = item.find(':');
    const size_t mark = item.find_first_of(":*", colon + 1);
    const int64_t first = parse_size(item.substr(0, colon), item);
    if (mark == item.npos)
        throw UsageError(fmt::format(
            "the range '{}' has no step: write {}*2 to double or {}:128 to add", item, item, item));
    const int64_t last = parse_size(item.substr(colon + 1, mark - colon - 1), item);
    const int64_t step = parse_size(item.substr(mark + 1), item);
    const bool multiply = item[mark] == '*';
    if (last < first) throw UsageError(fmt::format("the range '{}' ends before it starts", item));
    if (step < (multiply ? 2 : 1) || (multiply && first == 0))
        throw UsageError(fmt::format("the range '{}' would never end", item));
    for (int64_t size = first;;) {
        if (sizes.size() == kMostSizes)
            throw UsageError(fmt::format("'{}' makes more than {} sizes", item, kMostSizes));
        sizes.push_back(size);
        const bool overflow = multiply ? __builtin_mul_overflow(size, step, &size)
                                       : __builtin_add_overflow(size, step, &size);
        if (overflow || size > last) return;
    }
}

}  // namespace

std::string text_of(const Shape& shape) {
    return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

double flops(const Shape& shape) {
    return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
           static_cast<double>(shape.k);
}

std::vector<int64_t> parse_sizes(std::string_view text) {
    std::vector<int64_t> sizes;
    for (std::string_view rest = text;;) {
        const size_t comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        if (item.find(':') == item.npos)
            sizes.push_back(parse_size(item, item));
        else
            add_range(item, sizes);
        if (comma == rest.npos) return sizes;
        rest.remove_prefix(comma + 1);
    }
}

Shape parse_shape(std::string_view text) {
    const size_t first = text.find_first_of("xX");
    const size_t second = first == text.npos ? first : text.find_first_of("xX", first + 1);
    if (second == text.npos)
        throw UsageError(fmt::format("'{}' is no shape: write MxNxK, such as 128x256x64", text));
    return {parse_size(text.substr(0, first), text),
            parse_size(text.substr(first + 1, second - first - 1), text),
            parse_size(text.substr(second + 1), text)};
}

std::string text_of_bytes(size_t bytes) {
    const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    double value = static_cast<double>(bytes) / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace tilewright::lab
