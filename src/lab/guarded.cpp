// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/guarded.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilewright::lab {

namespace {

/// Room for a whole row written astray, within reason; keeps 256-byte alignment.
int64_t guard_elements(const MatrixLayout& layout) {
    constexpr int64_t kAlignment = 256 / sizeof(float);
    const int64_t row = std::clamp<int64_t>(layout.ld, 0, 1 << 16);
    return (1024 + row + kAlignment - 1) / kAlignment * kAlignment;
}

/// Quiet, so that passing it through a register leaves its bits alone.
uint32_t canary(Operand operand, int64_t index) {
    const uint32_t scattered = static_cast<uint32_t>(index) * 2654435761u >> 14;
    return 0x7fd00000 | static_cast<uint32_t>(operand) << 18 | scattered;
}

}  // namespace

std::optional<int64_t> guarded_elements(const MatrixLayout& layout) {
    if (layout.rows < 0 || layout.cols < 0 || layout.ld < std::max<int64_t>(1, layout.cols) ||
        layout.offset < 0 || layout.count < 0 || layout.stride < 0)
        return std::nullopt;
    int64_t elements = 0, others = 0;  // an upper bound of the span, as rows * ld
    if (__builtin_mul_overflow(layout.rows, layout.ld, &elements) ||
        __builtin_mul_overflow(layout.count, layout.stride, &others) ||
        __builtin_add_overflow(elements, others, &elements) ||
        __builtin_add_overflow(elements, layout.offset + 2 * guard_elements(layout), &elements))
        return std::nullopt;
    return layout.span() + layout.offset + 2 * guard_elements(layout);
}

GuardedMatrix::GuardedMatrix(Operand operand, const MatrixLayout& layout)
    : operand_(operand),
      layout_(layout),
      origin_(guard_elements(layout) + layout.offset),
      image_(guarded_elements(layout).value()) {
    for (int64_t i = 0; i < std::ssize(image_); ++i)
        image_[i] = std::bit_cast<float>(canary(operand, i));
}

GuardedMatrix::Changes& GuardedMatrix::Changes::operator+=(const Changes& later) {
    if (count == 0) first = later.first;
    count += later.count;
    return *this;
}

GuardedMatrix::Changes GuardedMatrix::changes(const float* after, int64_t begin,
                                              int64_t end) const {
    Changes found;
    if (begin >= end || std::memcmp(after, &image_[begin], (end - begin) * sizeof(float)) == 0)
        return found;
    for (int64_t i = begin; i < end; ++i)
        if (std::bit_cast<uint32_t>(after[i - begin]) != std::bit_cast<uint32_t>(image_[i]))
            found += {1, i};
    return found;
}

GuardedMatrix::Changes GuardedMatrix::changes_around(const float* after) const {
    const auto compare = [&](int64_t begin, int64_t end) {
        return changes(after + begin, begin, end);
    };
    Changes found = compare(0, origin_);
    const int64_t rows = layout_.cols > 0 ? layout_.rows * layout_.count : 0;
    for (int64_t row = 0; row + 1 < rows; ++row)
        found += compare(origin_ + layout_.begin_of(row) + layout_.cols,
                         origin_ + layout_.begin_of(row + 1));
    found += compare(origin_ + layout_.span(), std::ssize(image_));
    return found;
}

bool GuardedMatrix::is_canary(float value, int64_t index) const {
    return std::bit_cast<uint32_t>(value) == canary(operand_, index);
}

std::string GuardedMatrix::place(int64_t index) const {
    const char name = "ABC"[static_cast<int>(operand_)];
    const int64_t at = index - origin_;
    if (at < 0) return fmt::format("{} elements before {}", -at, name);
    if (at >= layout_.span())
        return fmt::format("{} elements after the last of {}", at - layout_.span() + 1, name);
    const int64_t matrix = layout_.stride > 0 ? at / layout_.stride : 0;
    const int64_t inside = at - matrix * layout_.stride;
    const std::string of = layout_.count > 1 ? fmt::format("({})", matrix) : "";
    if (inside >= span_of(layout_.rows, layout_.cols, layout_.ld))
        return fmt::format("behind {}{}", name, of);
    const int64_t row = inside / layout_.ld, col = inside % layout_.ld;
    return fmt::format("{}{}[{}][{}]{}", name, of, row, col,
                       col < layout_.cols ? "" : " (behind its row)");
}

}  // namespace tilewright::lab
