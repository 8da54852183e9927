// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// CPU mode's counters of each kernel: the files' own, and those that come with the program, because
// counting the whole ladder takes minutes.
#pragma once

#include <string_view>
#include <vector>

#include "lab/report/results_file.h"

namespace tilewright::lab::report {

/// results/counts.json, written by cmake/embed_report.cmake.
std::string_view embedded_counts();

/// Of each kernel the one with the most multiply-adds; the files' before those of the program.
/// `from` gets a sentence part that says where they come from.
std::vector<CountedKernel> counts_for(const std::vector<ResultsFile>& files, std::string& from);

/// Null where it was not counted.
const CountedKernel* counted_kernel(const std::vector<CountedKernel>& counts, std::string_view rung,
                                    std::string_view variant);

}  // namespace tilewright::lab::report
