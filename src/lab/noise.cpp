// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/noise.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lab {

namespace {

/// Of a median, as a share of it; 0 where the number of samples is not known. The spread is 1.349
/// standard deviations of normal data; a median of n samples has 1.2533 / sqrt(n) of one.
double standard_error(const Sampled& row) {
    if (row.samples < 1) return 0;
    return 1.2533 / 1.349 * row.spread_us / row.median_us / std::sqrt(row.samples);
}

}  // namespace

double noise_between(const Sampled& before, const Sampled& after) {
    return std::max({kBetweenRuns, before.spread_us / before.median_us,
                     after.spread_us / after.median_us,
                     3 * std::hypot(standard_error(before), standard_error(after))});
}

}  // namespace tilewright::lab
