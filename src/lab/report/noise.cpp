// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/noise.h"

#include "lab/noise.h"

namespace tilewright::lab::report {

std::optional<double> noise_between(const MeasuredRow& before, const MeasuredRow& after) {
    for (const MeasuredRow* row : {&before, &after})
        if (!row->median_us || *row->median_us <= 0 || !row->spread_us || row->samples < 1)
            return {};
    const auto sampled = [](const MeasuredRow& row) {
        return Sampled{*row.median_us, *row.spread_us, row.samples};
    };
    return lab::noise_between(sampled(before), sampled(after));
}

}  // namespace tilewright::lab::report
