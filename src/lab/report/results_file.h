// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Results files as the other verbs wrote them, read back. The one place that knows their fields: what
// a row lacks is absent, and what it has besides is ignored.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/fields.h"
#include "lab/report/measured_row.h"
#include "lab/report/tuned.h"

namespace tilewright::lab::report {

/// Among a kernel's counters: of shared memory, after the compiler has merged scalar accesses.
inline constexpr const char* kCompiledWavefronts = "shared_wavefronts_per_ffma";

/// CPU mode's counters of one kernel, by the keys of lab/quantities.h.
struct CountedKernel {
    std::string rung, variant;
    int64_t m = 0, n = 0, k = 0;
    std::map<std::string, double> totals;
    std::map<std::string, double> main_loop;  ///< Instructions as compiled; empty: not recorded.
};

struct ResultsFile {
    std::string path, name;  ///< As given, and its last part.
    Json environment;
    std::vector<MeasuredRow> rows;
    std::vector<CountedKernel> counts;
    std::vector<TunedProblem> tuned;

    /// Else it is of no device's: counts are the same everywhere.
    bool has_times() const { return !rows.empty() || !tuned.empty(); }
    std::string date() const;  ///< "2026-12-01T00:30:38Z"; empty where it is not told.
    std::string text(const char* key) const;  ///< Of the environment; empty likewise.
};

/// Throws UsageError, which names the file and what is wrong with it.
ResultsFile parse_results(const std::string& path, std::string_view text);
ResultsFile read_results(const std::string& path);

}  // namespace tilewright::lab::report
