// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// One product to verify or to time: shapes, layout, factors, and the data to draw.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem.h"
#include "reference/bound.h"

namespace tilewright::lab {

/// What A, B and C are filled with.
enum class Distribution {
    uniform,  ///< [-1, 1) with 24 significant bits
    positive,  ///< [0, 1): sums grow, and with them the rounding errors
    integers,  ///< -4 to 4: results are exact
    wide,  ///< uniform, times 2^-20 to 2^20
    denormal,  ///< products and C below 2^-126
    specials,  ///< uniform, with a NaN and both infinities planted in each matrix
};
inline constexpr std::array kDistributions{Distribution::uniform,  Distribution::positive,
                                           Distribution::integers, Distribution::wide,
                                           Distribution::denormal, Distribution::specials};

const char* name_of(Distribution distribution);
std::optional<Distribution> distribution_of(std::string_view name);

enum class Operand { A, B, C };

/// A row-major matrix inside a buffer, or a batch of them, as they are stored: element (0, 0) lies
/// `offset` elements behind a 256-byte boundary.
struct MatrixLayout {
    int64_t rows = 0, cols = 0, ld = 1, offset = 0;
    int64_t count = 1, stride = 0;  ///< Matrices; the next one's elements lie a stride behind.

    int64_t span() const {
        const int64_t one = span_of(rows, cols, ld);
        return one > 0 && count > 0 ? (count - 1) * stride + one : 0;
    }
    /// Where a row begins that is counted over all matrices.
    int64_t begin_of(int64_t row) const { return row / rows * stride + row % rows * ld; }
};

struct Case {
    int64_t m = 0, n = 0, k = 0;
    int64_t slack_a = 0, slack_b = 0, slack_c = 0;  ///< Leading dimension beyond the least.
    int offset_a = 0, offset_b = 0, offset_c = 0;  ///< See MatrixLayout.
    float alpha = 1, beta = 0;
    Distribution distribution = Distribution::uniform;
    uint64_t seed = 1;

    // What follows only the engine's kernels compute; see is_plain().
    bool transpose_a = false, transpose_b = false;  ///< A lies as k x m, B as n x k.
    int64_t batch = 1;
    int64_t gap_a = 0, gap_b = 0, gap_c = 0;  ///< Stride of the batch beyond rows * ld.
    bool device_scalars = false;  ///< Alpha and beta lie in the device's memory.
    int parts = 1;  ///< Of k, for different blocks: Execution::splits.

    MatrixLayout layout(Operand operand) const;
    /// What a rung computes too.
    bool is_plain() const {
        return !transpose_a && !transpose_b && batch == 1 && !device_scalars && parts == 1;
    }

    /// Whether A and B are read at all. Where they are not, they are null for an even seed and full
    /// of NaN for an odd one.
    bool has_product() const { return k > 0 && alpha != 0; }

    bool operator==(const Case&) const = default;
};

/// FLOP of a call.
double work_of(const Case& test);

/// The case as command-line options: what a report prints can be run again.
std::string describe(const Case& test);

/// The case on matrices whose elements (0, 0) lie there; `scalars` are alpha and beta where the
/// device is to read them.
Problem problem_of(const Case& test, const float* A, const float* B, float* C,
                   const float* scalars = nullptr);

/// Bytes that verifying a case takes; nullopt when a size or their sum exceeds 64 bits, or is
/// negative. The host's part does not count the device's in CPU mode.
struct MemoryNeed {
    size_t device, host;
};
std::optional<MemoryNeed> memory_need(const Case& test);

/// What the data and the arithmetic allow to promise of the result.
reference::Tolerance tolerance_of(const Case& test, Arithmetic arithmetic = Arithmetic::fp32);

/// Writes the operand's elements, and nothing between rows; `first` is element (0, 0). A value
/// depends on the distribution, the seed, the operand, its row and column alone; rows of a batch
/// are counted over all matrices. Where these overlap, the last one stays.
void fill(const Case& test, Operand operand, float* first);

}  // namespace tilewright::lab
