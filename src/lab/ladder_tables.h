// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The tables that `tilewright ladder` prints from its rows.
#pragma once

#include <span>
#include <vector>

#include "lab/results.h"

namespace tilewright::lab {

/// The source text's table at one size: rate, times the parent's, per cent of cuBLAS and peak.
/// `rungs` tell parents; `rows` are those of this size.
Table rate_table(std::span<const KernelDefinition* const> rungs, std::span<const Row> rows);

/// GFLOP/s by rung and size.
Table sweep_table(std::span<const KernelDefinition* const> rungs, std::span<const Row> rows);

/// What CPU mode counted on one case, a line a rung.
Table counted_table(std::span<const Row> rows, const Case& test);

}  // namespace tilewright::lab
