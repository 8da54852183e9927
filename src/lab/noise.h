// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// By how much two measured medians may differ though nothing has changed.
#pragma once

namespace tilewright::lab {

/// As a share: two runs of the same code differ by so much whatever their spread within a run.
/// docs/measuring.md has where it comes from.
inline constexpr double kBetweenRuns = 0.015;

struct Sampled {
    double median_us = 0;  ///< Above 0.
    double spread_us = 0;  ///< Between the first and the third quartile.
    int samples = 0;
};

/// As a share of the median: the largest of kBetweenRuns, either spread, and three standard errors of
/// the difference.
double noise_between(const Sampled& before, const Sampled& after);

}  // namespace tilewright::lab
