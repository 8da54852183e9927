// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What was counted of some kernels, as tables that show what changed and where, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "lab/counting.h"
#include "lab/options.h"
#include "lab/table.h"

namespace tilewright::lab {

/// The totals side by side, then each kernel's accesses under their source lines. Counts of one
/// case; those that failed are told at the end.
std::string text_of(std::span<const Count> counts, Format format);

/// One line a kernel with the keys of the JSON's totals.
Table csv_table(std::span<const Count> counts);

nlohmann::ordered_json json_of(const Count& count);

}  // namespace tilewright::lab
