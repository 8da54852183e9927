// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What was asked for on the command line, and what that means. Knows no parser.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/case.h"

namespace tilewright::lab {

enum class Format { table, json, csv, md };

struct Options {
    std::string command;  ///< As typed, with relative paths: results record it.
    std::vector<std::string> rungs;  ///< Words for ladder::match.
    std::string before, after;  ///< The rungs of diff; one alone is the later.
    std::string device;

    std::string sizes;  ///< Square shapes, see parse_sizes.
    std::vector<std::string> shapes;  ///< "MxNxK"
    std::string variant = "default";  ///< A name, or "all".
    std::string gpu;  ///< A word of gpus.h, or explain's "all".
    std::string transa = "N", transb = "N", dist = "uniform", offsets;
    std::string lda, ldb, ldc, alpha = "1", beta = "0", seed = "1";  ///< Texts: see cases_of.

    bool thorough = false, fast = false;  ///< Of verify, as is the next.
    uint64_t shuffle = 0;  ///< CPU mode: draws the threads' order; 0 keeps the natural one.

    std::string min_time = "0.25";  ///< Seconds for each kernel and shape.
    bool hot = false, cold = false;

    std::string format, output;
    bool quiet = false;
};

/// The word for open_device; DEVICE in the environment stands in for the option.
std::string device_of(const Options& options);

/// The format asked for, else what the output file's name ends in, else a table.
Format format_of(const Options& options);

double min_time_of(const Options& options);
uint64_t seed_of(const Options& options);

/// A case for each shape asked for, with everything else as the options say; none when there is no
/// shape. Throws UsageError.
std::vector<Case> cases_of(const Options& options);

}  // namespace tilewright::lab
