// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What was asked for on the command line, and what that means. Knows no parser.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/case.h"
#include "lab/device.h"
#include "lab/usage.h"

namespace tilewright::lab {

enum class Format { table, json, csv, md, jsonl };

struct Options {
    std::string command;  ///< As typed, with relative paths: results record it.
    std::vector<std::string> rungs;  ///< Words for select_rungs or select_kernels.
    bool engine = false;  ///< List's and tune's: the engine's kernels.
    std::string before, after;  ///< The rungs of diff; one alone is the later.
    std::vector<std::string> results;  ///< Files that report reads.
    bool compare = false;
    std::string png;  ///< The folder for report's figures.
    std::string device;

    std::string sizes;  ///< Square shapes, see parse_sizes.
    std::vector<std::string> shapes;  ///< "MxNxK"
    std::string shape_file;
    std::string variant = "default";  ///< A name, or "all".
    std::string gpu;  ///< A word of gpus.h, or explain's "all".
    std::string transa = "N", transb = "N", dist = "uniform", offsets;
    std::string lda, ldb, ldc, alpha = "1", beta = "0", seed = "1";  ///< Texts: see cases_of.
    std::string batch = "1", stride_a, stride_b, stride_c, parts = "1";
    bool device_scalars = false;

    std::vector<std::string> product;  ///< Dispatch's: two operations and M, N, K.
    bool prepared_a = false, prepared_b = false;
    std::string offset_a = "0", offset_b = "0", offset_c = "0";
    std::string compute = "fp32", workspace, multiprocessors, compute_capability, tensor_rate;

    bool thorough = false, fast = false;  ///< Of verify, as is the next.
    std::string shuffle = "0";  ///< CPU mode: draws the threads' order; 0 keeps the natural one.

    std::string min_time;  ///< Seconds for each kernel and shape.
    std::string budget;  ///< Seconds for the whole run.
    bool hot = false, cold = false;

    // Bench's.
    std::string against;  ///< A kernel's word, cublas or none.
    std::string compute_modes;  ///< Of the library and the engine's kernels.
    bool sustained = false, profile = false;
    std::string rerun;  ///< "FILE" or "FILE:ROW".

    std::string timeout = "20";  ///< Tune's, as are the next.
    std::string export_to, import_from, merge_from;
    std::string architecture;
    bool why = false, explain = false, fresh = false;

    std::string format, output;
    bool quiet = false;
};

/// The word for open_device; DEVICE in the environment stands in for the option.
std::string device_of(const Options& options);
/// That device. Throws NoDevice, which says so where the environment chose it.
std::unique_ptr<Device> open_device(const Options& options, CpuMode mode = CpuMode::counted);

/// The format asked for, else what the output file's name ends in, else a table.
Format format_of(const Options& options);
/// The same of a verb with rows, which may be JSON lines.
Format row_format_of(const Options& options);

/// The whole text as a number. Throws UsageError, which names the option.
template <class Number>
Number parse_number(const std::string& text, const char* option) {
    if (std::is_unsigned_v<Number> && text.starts_with('-'))
        throw UsageError(fmt::format("{}: {} is negative", option, text));
    Number value{};
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range)
        throw UsageError(fmt::format("{}: '{}' is out of range", option, text));
    if (error != std::errc{} || at != end)
        throw UsageError(fmt::format("{}: '{}' is not a number", option, text));
    return value;
}

/// N or T of a word; C is T, as nothing is complex.
bool is_transposed(const std::string& word, const char* option);

double min_time_of(const Options& options);
/// "60", "60s" or "2m". Throws UsageError, which names the option.
double parse_seconds(const std::string& text, const char* option);
/// Bench's and ladder's; nullopt where none was given.
std::optional<double> budget_of(const Options& options);
uint64_t seed_of(const Options& options);
uint64_t shuffle_of(const Options& options);

/// A case for each shape asked for, with everything else as the options say; none when there is no
/// shape. Throws UsageError.
std::vector<Case> cases_of(const Options& options);

}  // namespace tilewright::lab
