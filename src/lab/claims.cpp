// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/claims.h"

#include <cmath>

#include "lab/quantities.h"

namespace tilewright::lab {

Case case_of_claims() {
    return {.m = 256, .n = 256, .k = 256};
}

Count count_for_claims(const Candidate& candidate) {
    return count(*open_cpu(CpuMode::counted), candidate, case_of_claims());
}

std::vector<CheckedClaim> check_claims(std::span<const Claim> claims,
                                       const simt::Counters& counters) {
    constexpr double kRounding = 1e-9;
    std::vector<CheckedClaim> checked;
    for (const Claim& claim : claims) {
        const auto counted = claimed_quantity(counters, case_of_claims(), claim.quantity);
        const bool holds =
            counted && std::abs(*counted - claim.value) <= kRounding * std::abs(claim.value);
        checked.push_back({claim.quantity, claim.value, counted, holds});
    }
    return checked;
}

}  // namespace tilewright::lab
