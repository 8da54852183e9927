// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a rung's header says is counted, beside what is.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/kernel.h"
#include "lab/counting.h"

namespace tilewright::lab {

/// A number that counters give: "sectors/load of A". In a name that ends in X, X stands for a
/// matrix or a shared array.
struct NamedQuantity {
    const char* name;
    const char* meaning;
    /// nullopt when nothing of the kind was counted.
    std::optional<double> (*value)(const simt::Counters&, const Case&, std::string_view x);
};
std::span<const NamedQuantity> named_quantities();

/// Throws UsageError with the names there are when there is none like this.
std::optional<double> quantity(const simt::Counters& counters, const Case& test,
                               std::string_view name);

/// The case that claims are made for.
Case case_of_claims();

/// Runs it in CPU mode.
Count count_for_claims(const Candidate& candidate);

struct CheckedClaim {
    const char* quantity;
    double claimed;
    std::optional<double> counted;
    bool holds;
};
std::vector<CheckedClaim> check_claims(std::span<const Claim> claims,
                                       const simt::Counters& counters);

}  // namespace tilewright::lab
