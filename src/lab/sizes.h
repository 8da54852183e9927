// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Sizes and shapes as a person types them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::lab {

struct Shape {
    int64_t m, n, k;
    bool operator==(const Shape&) const = default;
};

std::string text_of(const Shape& shape);  ///< "128x256x512"

/// Two for each multiply-add; a double, as 64 bits overflow from 2^21 cubed on.
double flops(const Shape& shape);

/// A list of sizes and ranges: "100,200", "128:4096*2" (doubling), "256:1024:256" (steps). Throws
/// UsageError.
std::vector<int64_t> parse_sizes(std::string_view text);

/// "MxNxK". Throws UsageError.
Shape parse_shape(std::string_view text);

std::string text_of_bytes(size_t bytes);  ///< "1.5 GiB"

}  // namespace tilewright::lab
