// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What `tilewright bench` prints of its rows for people.
#pragma once

#include <span>
#include <string>

#include "lab/options.h"
#include "lab/results.h"

namespace tilewright::lab {

/// Times and rates: one table, or one for each shape where lines would exceed 80 columns. Markdown
/// always is one.
std::string bench_table(std::span<const Row> rows, Format format = Format::table);

/// Power, clocks and energy of sustained rows; a sentence where nothing measures them, and empty
/// where no row is sustained.
std::string power_table(std::span<const Row> rows, Format format = Format::table);

/// What the columns mean that these rows have, and what the library took.
std::string bench_notes(std::span<const Row> rows, bool gpu);

}  // namespace tilewright::lab
