// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is drawn in one colour: all that was measured on one device, or one file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/gpus.h"
#include "lab/report/results_file.h"

namespace tilewright::lab::report {

struct Series {
    std::string label;
    bool on_gpu = false;
    const Gpu* gpu = nullptr;  ///< Its public numbers; null where there are none.
    Json environment;  ///< Of the newest file.
    std::vector<size_t> files;  ///< Of the report's, oldest first.
    std::vector<MeasuredRow> rows;
    std::vector<TunedProblem> tuned;
};

enum class Grouping { by_device, by_file };

/// Files that have counts alone are in none. By device a row that a newer file repeats counts once, as the newer file has it. `repeated` gets
/// how many rows of each file that leaves out.
std::vector<Series> series_of(const std::vector<ResultsFile>& files, Grouping grouping,
                              std::vector<size_t>& repeated);

/// The GPU whose word stands in the device's name: "NVIDIA H200" is h200.
const Gpu* gpu_named(const std::string& device);

/// One row a contender for each size of square products: the default variant, or else the fastest;
/// of several cases the plainest, which is cold, with alpha = 1, beta = 0 and uniform data.
using Squares = std::map<std::pair<std::string, int64_t>, const MeasuredRow*>;
Squares squares_of(const Series& series);

/// Among rows of one contender and shape, as they come: whether `row` is to be shown rather than `best`.
bool is_plainer(const MeasuredRow& row, const MeasuredRow& best);

}  // namespace tilewright::lab::report
