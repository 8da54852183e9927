// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a rung's header says is counted, beside what is.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/kernel.h"
#include "lab/counting.h"

namespace tilewright::lab {

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
