// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// lab/noise.h of rows as files have them.
#pragma once

#include <optional>

#include "lab/report/results_file.h"

namespace tilewright::lab::report {

/// Absent where a row does not say its spread or number of samples.
std::optional<double> noise_between(const MeasuredRow& before, const MeasuredRow& after);

}  // namespace tilewright::lab::report
