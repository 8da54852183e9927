// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What was counted of some kernels, as tables that show what changed and where, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "lab/count_tables.h"
#include "lab/options.h"
#include "lab/table.h"

namespace tilewright::lab {

/// Of the compiled code that is shown where no GPU is named.
inline constexpr const char* kArchitecture = "90a";

/// The totals side by side, bounds where there are, then each kernel's accesses under their source
/// lines. Rows of one case and one GPU; those that failed are told at the end.
std::string text_of(std::span<const CountRow> rows, const Gpu* gpu, Format format);

/// One line a kernel with the keys of the JSON's totals and bound.
Table csv_table(std::span<const CountRow> rows);

nlohmann::ordered_json json_of(const CountRow& row, const Gpu* gpu);

}  // namespace tilewright::lab
