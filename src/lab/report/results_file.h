// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Results files as the other verbs wrote them, read back. The one place that knows their fields: what
// a row lacks is absent, and what it has besides is ignored.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::lab::report {

using Json = nlohmann::ordered_json;

/// One kernel on one case.
struct MeasuredRow {
    std::string rung, name, variant, arithmetic;
    int64_t m = 0, n = 0, k = 0, batch = 1, parts = 1;
    bool transpose_a = false, transpose_b = false;
    double alpha = 1, beta = 0;
    std::array<int64_t, 3> ld{};  ///< 0: not told.
    std::string dist, memory, launch, throttling, status, reason;
    int samples = 0;
    std::optional<double> median_us, min_us, spread_us, gflops, percent_of_cublas, percent_of_peak,
        sm_mhz, watts, max_error, bound;

    bool timed() const { return status == "ok" && gflops && median_us; }
    /// M = N = K, one product, nothing transposed.
    bool is_square() const {
        return m == n && n == k && batch == 1 && !transpose_a && !transpose_b;
    }
    bool operator==(const MeasuredRow&) const = default;
};

/// "4096" for a cube, else "MxNxK"; then what is not plain: " TN x3 parts=2".
std::string shape_label(const MeasuredRow& row);
/// "k5", or "k9/a100" for another variant than the default.
std::string kernel_label(const MeasuredRow& row);
/// What is measured, without the kernel: two rows with the same can be compared.
std::string case_key(const MeasuredRow& row);

/// Among a kernel's counters: of shared memory, after the compiler has merged scalar accesses.
inline constexpr const char* kCompiledWavefronts = "shared_wavefronts_per_ffma";

/// CPU mode's counters of one kernel, by the keys of lab/quantities.h.
struct CountedKernel {
    std::string rung, variant;
    int64_t m = 0, n = 0, k = 0;
    std::map<std::string, double> totals;
};

struct ResultsFile {
    std::string path, name;  ///< As given, and its last part.
    Json environment;
    std::vector<MeasuredRow> rows;
    std::vector<CountedKernel> counts;

    std::string date() const;  ///< "2026-12-01T00:30:38Z"; empty where it is not told.
    std::string text(const char* key) const;  ///< Of the environment; empty likewise.
    std::optional<double> number(const char* key) const;
};

/// Throws UsageError, which names the file and what is wrong with it.
ResultsFile parse_results(const std::string& path, std::string_view text);
ResultsFile read_results(const std::string& path);

}  // namespace tilewright::lab::report
