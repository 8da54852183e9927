// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// By how much two measured medians may differ though nothing has changed.
#pragma once

#include <optional>

#include "lab/report/results_file.h"

namespace tilewright::lab::report {

/// Two runs of the same code differ by so much whatever their spread within a run: of 34 such pairs in
/// results/ whose clocks were alike, all but one differed by less.
inline constexpr double kBetweenRuns = 0.015;

/// As a share of the first median: the largest of kBetweenRuns, either spread, and three standard
/// errors of the difference. Absent where a row does not say its spread or number of samples.
std::optional<double> noise_between(const MeasuredRow& before, const MeasuredRow& after);

}  // namespace tilewright::lab::report
