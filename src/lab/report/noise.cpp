// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/noise.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lab::report {

namespace {

/// Of a median, as a share of it. The spread is the distance of the quartiles, 1.349 standard
/// deviations of normal data; a median of n samples has 1.2533 / sqrt(n) of one.
double standard_error(const MeasuredRow& row) {
    return 1.2533 / 1.349 * *row.spread_us / *row.median_us / std::sqrt(row.samples);
}

}  // namespace

std::optional<double> noise_between(const MeasuredRow& before, const MeasuredRow& after) {
    for (const MeasuredRow* row : {&before, &after})
        if (!row->median_us || *row->median_us <= 0 || !row->spread_us || row->samples < 1)
            return {};
    return std::max({kBetweenRuns, *before.spread_us / *before.median_us,
                     *after.spread_us / *after.median_us,
                     3 * std::hypot(standard_error(before), standard_error(after))});
}

}  // namespace tilewright::lab::report
