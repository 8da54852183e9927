// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A matrix among canaries: whoever reads around it gets NaN, whoever writes there is found out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/case.h"

namespace tilewright::lab {

/// Elements of a buffer that holds guard, offset, matrix and guard; nullopt when they exceed 64
/// bits or a size is negative.
std::optional<int64_t> guarded_elements(const MatrixLayout& layout);

/// The host's image of such a buffer. Each of its elements starts as a canary: a NaN whose payload
/// tells operand and place, so that no canary is another's copy or what arithmetic yields.
class GuardedMatrix {
  public:
    GuardedMatrix(Operand operand, const MatrixLayout& layout);

    /// Of element (0, 0) within the buffer.
    int64_t origin() const { return origin_; }
    /// Element (0, 0).
    float* first() { return image_.data() + origin_; }
    const float* first() const { return image_.data() + origin_; }
    const std::vector<float>& image() const { return image_; }
    const MatrixLayout& layout() const { return layout_; }

    /// Elements whose bits differ from the image's.
    struct Changes {
        int64_t count = 0;
        int64_t first = -1;  ///< Index into the buffer.

        Changes& operator+=(const Changes& later);
    };
    /// Of elements [begin, end) of the buffer, which `after` points to.
    Changes changes(const float* after, int64_t begin, int64_t end) const;
    /// Outside the matrices: guards, and the slack behind rows. `after` is the whole buffer. Matrices
    /// of a batch must not overlap.
    Changes changes_around(const float* after) const;

    bool is_canary(float value, int64_t index) const;

    /// "C[3][5]", "C[3][8] (behind its row)", "2 elements before C", "C(1)[3][5]" of a batch, ...
    std::string place(int64_t index) const;

  private:
    Operand operand_;
    MatrixLayout layout_;
    int64_t origin_;
    std::vector<float> image_;
};

}  // namespace tilewright::lab
