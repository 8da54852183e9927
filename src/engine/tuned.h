// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What was measured to be fastest: entries of the tuning database, as text and as a table that dispatch
// asks. docs/tuning.md says what the fields mean. Knows no file and no device.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem.h"

namespace tilewright::engine {

/// Whose times: a GPU of the same name may have fewer SMs (MIG), or run other code.
struct TunedDevice {
    std::string name;
    int multiprocessors = 0;
    int compute_capability = 0;  ///< Times ten.

    bool operator==(const TunedDevice&) const = default;
};

/// What a choice was measured for.
struct ProblemClass {
    Arithmetic mode = Arithmetic::fp32;
    bool transpose_a = false, transpose_b = false;
    bool aligned = true;  ///< All rows of A, B and C lie on 16 bytes.
    int64_t m = 0, n = 0, k = 0, batch = 1;

    auto operator<=>(const ProblemClass&) const = default;
};
ProblemClass class_of(const Problem& problem);
/// "NT 128 x 4096 x 4096, batch 3, fp16x3, unaligned"
std::string text_of(const ProblemClass& problem);

struct TunedEntry {
    std::string subject;  ///< kEngine, or a rung's id: the library uses the former alone.
    TunedDevice device;
    std::string version;  ///< kernels_version() of the library that was measured.
    ProblemClass problem;
    std::string kernel;  ///< As name_of(Choice) makes it, or a rung's variant.
    double median_us = 0, spread_us = 0;  ///< Spread: between the first and the third quartile.
    int samples = 0;
    std::string date;  ///< "2026-12-01T13:57:32Z": of two for the same, the later holds.

    bool operator==(const TunedEntry&) const = default;
};
inline constexpr const char* kEngine = "engine";
/// "0.2.0+5f0c1e2d3a4b": the library's, and a digest of its kernels' texts, which change between
/// releases.
const char* kernels_version();

/// Whether one replaces the other.
bool same_key(const TunedEntry& a, const TunedEntry& b);

/// The first line of the text, and the schema in it.
inline constexpr std::string_view kTunedMagic = "tilewright-tuning";
inline constexpr int kTunedSchema = 1;

struct TunedText {
    std::vector<TunedEntry> entries;
    std::vector<std::string> rejected;  ///< Lines that are no entries.
    /// Sentences: what was ignored, and why.
    std::vector<std::string> complaints;
    bool foreign = false;  ///< Not ours, or of a newer schema: nothing of it was read.
};
/// Never throws but for memory.
TunedText parse_tuned(std::string_view text);
std::string text_of(const std::vector<TunedEntry>& entries);
/// One line of it, with its newline.
std::string line_of(const TunedEntry& entry);

/// How near an entry is that stands in for another shape; see docs/tuning.md.
inline constexpr double kNearFactor = 1.25;

/// One device's entries of the engine, of this version.
class Tuned {
  public:
    Tuned() = default;
    Tuned(std::vector<TunedEntry> entries, const TunedDevice& device);

    bool empty() const { return entries_.empty(); }
    const TunedEntry* exact(const ProblemClass& problem) const;
    /// Of other sizes, all within kNearFactor; the nearest first.
    std::vector<const TunedEntry*> near(const ProblemClass& problem) const;

  private:
    std::vector<TunedEntry> entries_;  ///< By problem.
};

/// Sum of the sizes' ratios as logarithms; none where anything else than sizes differs.
std::optional<double> distance(const ProblemClass& a, const ProblemClass& b);

}  // namespace tilewright::engine
