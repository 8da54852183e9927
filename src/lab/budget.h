// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Shares the time that a run may take among its kernels and shapes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lab/case.h"

namespace tilewright::lab {

class Budget {
  public:
    /// Seconds since some moment in the past.
    using Clock = std::function<double()>;
    static double steady_seconds();

    /// For `kernels` at each of the cases, from now on.
    Budget(double seconds, size_t kernels, std::span<const Case> cases,
           Clock clock = steady_seconds);

    /// Told before the case is prepared and its kernels are verified.
    void begin(const Case& test);

    /// Told after that: what to measure of each kernel, so that this and the cases to come keep
    /// within what is left. At most 0.25 s; at least what makes a row, even if there is no time.
    double min_seconds() const;

  private:
    double expected_fixed(const Case& test) const;

    Clock clock_;
    double end_;
    double kernels_;
    std::vector<Case> left_;  ///< The case at hand first.
    bool is_first_ = true;
    double begun_ = 0;
};

}  // namespace tilewright::lab
