// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the headers say of other variants than the default, whose counts are claimed. Each number
// follows from the tile sizes by hand.
#include <gtest/gtest.h>

#include <vector>

#include "lab/claims.h"
#include "lab/selection.h"
#include "ladder/ladder.h"

namespace tilewright::lab {
namespace {

simt::Counters count(const char* id, const char* variant) {
    const KernelDefinition& rung =
        select_rung(ladder::rungs(ladder::Target::cpu_counted), std::string(id));
    return count_for_claims(select_candidates({&rung}, variant).front()).counters;
}

struct OfVariant {
    const char *id, *variant;
    std::vector<Claim> claims;
};

TEST(Counts, OfOtherVariantsFollowFromTheirSizes) {
    const OfVariant expected[] = {
        // the padding of A: a row of 132 words starts 4 banks behind the one before
        {"k8",
         "a4",
         {{"loads/k", 4},
          {"wavefronts/k", 2 * 2 + 2 * 8},
          {"ways/store of As", 1},
          {"wavefronts stored/load of B", 4},
          {"barriers/block", 64}}},
        // 4 steps along m of 4 x 4, and one along n
        {"k10",
         "a100",
         {{"words/FFMA", (16.0 + 4) / 64},
          {"FFMA/k", 64},
          {"loads/k", 5},
          {"wavefronts/k", 4 * 2 + 1 * 4},
          {"barriers/block", 32}}},
    };
    for (const OfVariant& each : expected)
        for (const CheckedClaim& claim : check_claims(each.claims, count(each.id, each.variant)))
            EXPECT_TRUE(claim.holds) << each.id << '/' << each.variant << ": " << claim.quantity
                                     << " is counted as " << claim.counted.value_or(-1);
}

}  // namespace
}  // namespace tilewright::lab
