// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What was measured and committed in results/, carried in the program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/case.h"
#include "lab/gpus.h"

namespace tilewright::lab {

struct EmbeddedResults {
    std::string_view name, text;  ///< The file's name, and its JSON.
};
/// Written by cmake/embed_results.cmake, ordered by name: of one GPU, the newest last.
std::span<const EmbeddedResults> embedded_results();

struct Measured {
    std::string rung, variant;
    Case test;  ///< Shape, alpha and beta.
    double gflops;
};

/// All right results with a time and cold operands, in the order of the files, of this GPU: their
/// names contain its word between dashes.
std::vector<Measured> measured_on(const Gpu& gpu, std::span<const EmbeddedResults> results);

/// The newest for this shape; beta counts as 0 or not.
std::optional<double> measured_gflops(std::span<const Measured> all, std::string_view rung,
                                      std::string_view variant, const Case& test);

}  // namespace tilewright::lab
