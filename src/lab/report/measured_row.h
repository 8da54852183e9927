// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A row of a results file, and what it is called.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::lab::report {

/// One kernel on one case.
struct MeasuredRow {
    std::string rung, variant, arithmetic;
    int64_t m = 0, n = 0, k = 0, batch = 1, parts = 1;
    bool transpose_a = false, transpose_b = false;
    double alpha = 1, beta = 0;
    bool device_scalars = false;
    std::array<int64_t, 3> ld{};  ///< 0: not told.
    std::string dist, memory, launch;
    bool sustained = false;  ///< Timed for seconds, at the clock that the GPU then keeps.
    std::string chosen;  ///< The kernel that the library's dispatch took.
    std::string opponent, throttling, status, reason;
    int samples = 0;
    std::optional<double> median_us, spread_us, gflops, percent_of_cublas, percent_of_opponent,
        percent_of_peak, sm_mhz, watts, max_error, bound;

    bool timed() const { return status == "ok" && gflops && median_us; }
    /// M = N = K, one product, nothing transposed.
    bool is_square() const {
        return m == n && n == k && batch == 1 && !transpose_a && !transpose_b;
    }
};

/// Of all products.
double flop_of(const MeasuredRow& row);

/// "4096" for a cube, else "MxNxK"; then what is not plain: " TN x3 parts=2".
std::string shape_label(const MeasuredRow& row);

/// What has a bar or a line of its own: "k5", "library fp16x3" where the id does not tell the
/// arithmetic, "k5 sustained".
std::string contender_of(const MeasuredRow& row);

/// The contender, and behind a slash another variant than the default: "k9/a100".
std::string kernel_label(const MeasuredRow& row);

/// What makes a time differ though kernel and shape are the same: "hot, alpha=2, beta=1". Empty for
/// what most people measure. Ratios are of rows with the same.
std::string conditions_of(const MeasuredRow& row);

/// What is measured, without the kernel: two rows with the same can be compared.
std::string case_key(const MeasuredRow& row);

}  // namespace tilewright::lab::report
