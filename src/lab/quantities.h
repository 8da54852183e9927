// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The quantities the ladder is about: how claims, JSON and tables call each, and what it is. Counts
// keep asynchronous copies apart; in ratios, a copy loads from global memory and stores to shared.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "lab/totals.h"

namespace tilewright::lab {

struct Quantity {
    /// In claims; null: none is made. In a name that ends in " of X", X stands for a matrix or a
    /// shared array; without it, all count.
    const char* name;
    const char* key;  ///< In JSON and CSV; null: not there.
    const char* label;  ///< In tables; null: not there.
    int digits;  ///< Behind the point.
    double (*value)(const Totals&);  ///< kNone when nothing of the kind was counted.
};

/// Quantities of one level, from what is asked of it to what follows.
struct QuantityGroup {
    const char* title;
    std::span<const Quantity> quantities;
};
std::span<const QuantityGroup> quantities();

/// The quantity of this key; null where there is none.
const Quantity* quantity_of(std::string_view key);

/// Its value; kNone where there is none.
double value_of(const Totals& totals, std::string_view key);

/// The value of what a claim names. Throws UsageError with the names there are when there is none
/// like this.
std::optional<double> claimed_quantity(const simt::Counters& counters, const Case& test,
                                       std::string_view name);

/// A key and a value for each quantity that has one; null where nothing was counted.
nlohmann::ordered_json json_of(const Totals& totals);

}  // namespace tilewright::lab
