// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What CPU mode counts beyond the rungs' claims: the totals of moving tiles, and what the headers say
// of other variants than the default. Each number follows from the tile sizes by hand.
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

struct Totals {
    const char* id;
    uint64_t global_loads, sectors;  // of loads
    uint64_t shared_stores, store_wavefronts;
};

constexpr Totals kTotals[] = {
    // an element of each tile for each thread and k-tile
    {"k3", 32768, 131072, 32768, 32768},
    {"k4", 16384, 65536, 16384, 16384},
    {"k5", 8192, 32768, 8192, 8192},
    // float4: four scalar stores of A, 2 wavefronts each, and one of B, 4
    {"k6", 2048, 32768, 4096 + 1024, 4096 * 2 + 1024 * 4},
    {"k7", 2048, 32768, 8192, 8192 * 2},
    {"k8", 2048, 32768, 8192, 4096 * 2 + 4096 * 4},
    // BK 16: stores of A take 4 wavefronts
    {"k9", 2048, 32768, 4096 + 1024, 4096 * 4 + 1024 * 4},
    {"k10", 2048, 32768, 4096 + 1024, 4096 * 4 + 1024 * 4},
};

TEST(Counts, OfTilesMovedFollowFromTheirSizes) {
    using simt::Operation;
    for (const Totals& expected : kTotals) {
        SCOPED_TRACE(expected.id);
        const simt::Counters counters = count(expected.id, "default");
        const auto load = counters.total(Operation::global_load);
        const auto store = counters.total(Operation::shared_store);
        EXPECT_EQ(load.requests, expected.global_loads);
        EXPECT_EQ(load.sectors, expected.sectors);
        EXPECT_EQ(store.requests, expected.shared_stores);
        EXPECT_EQ(store.wavefronts, expected.store_wavefronts);
    }
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
