// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What each panel of the page shows, chosen and computed here, so that the page only draws it. A
// panel without data has "missing" instead: why, and the command that makes such data.
#pragma once

#include <vector>

#include "lab/report/results_file.h"
#include "lab/report/series.h"

namespace tilewright::lab::report {

/// The source texts' size, shown first where it was measured.
inline constexpr int64_t kTableSize = 4096;

/// All that a report is made of.
struct Material {
    std::vector<ResultsFile> files;
    std::vector<Series> series;
    std::vector<size_t> repeated;  ///< Rows of each file that a newer one has too.
    std::vector<CountedKernel> counts;  ///< The files', or else those that came with the program.
    std::string counts_from;  ///< "counted in ladder.json"
};

/// The ladder at one size, GFLOP/s over size, the heat map and the table: square products.
Json squares_panel(const Material& material);

/// Products that are no squares, by what is thin of them: the fastest of each kernel beside cuBLAS in
/// as accurate an arithmetic and the same conditions.
Json shapes_panel(const Material& material);

/// Square sizes in steps of 128: the library, a rung and cuBLAS.
Json sweep_panel(const Material& material);

/// Error against speed.
Json errors_panel(const Material& material);

/// All variants of a kernel at a size, with their tile configurations: of rows, and as tuned.
Json tuning_panel(const Material& material);

/// FLOP a byte, as counted, against what was measured, under the roofs of the GPU.
Json roofline_panel(const Material& material);

/// What was counted of each kernel, side by side.
Json counted_panel(const Material& material);

/// Every rung: idea, tiles, counters beside its parent's, and the lesson.
Json rungs_panel(const Material& material);

/// What the second series changed of the first, beyond noise.
Json comparison_panel(const Material& material);

/// Each file with its whole environment and what did not run.
Json files_panel(const Material& material);

/// In place of a panel's data.
Json missing(const std::string& why, const std::string& command);

}  // namespace tilewright::lab::report
