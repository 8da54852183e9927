// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The tables that `tilewright count` prints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/bound.h"
#include "lab/compiled.h"
#include "lab/counting.h"
#include "lab/table.h"

namespace tilewright::lab {

inline constexpr size_t kReportWidth = 80;
inline constexpr size_t kSideBySide = 3;  ///< Kernels in one table: more do not fit.

struct CountRow {
    Count count;
    std::optional<Compiled> compiled;  ///< As the committed table has it.
    std::optional<Bound> bound;
    std::optional<double> measured;  ///< GFLOP/s of a committed result.
};

/// The quantities of the first kernel, and what became of them in the others.
Table totals_table(std::span<const CountRow* const> rows);

/// What the compiler made of each: the GPU's side of the totals.
Table compiled_table(std::span<const CountRow* const> rows);

/// Bound, measured rate and the terms of each, which all have a bound.
Table bound_table(std::span<const CountRow* const> rows, const Gpu& gpu);

/// The kernel's accesses, each source line before its own.
std::string sites_plain(const Count& count);
Table sites_markdown(const Count& count);

/// The lines that a rung's accesses stand in.
class SourceLines {
  public:
    explicit SourceLines(const KernelDefinition& rung);
    /// Without its indentation; empty where there is none.
    std::string at(const simt::SiteCounters& site) const;

  private:
    std::vector<std::string> own_;
    std::map<uint32_t, std::vector<std::string>> shared_;  ///< By simt::header_of().
};

}  // namespace tilewright::lab
