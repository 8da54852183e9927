// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Totals from counters made by hand, and how counting ends for kernels that fail.
#include "lab/totals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/count_report.h"
#include "lab/counting.h"
#include "lab/quantities.h"

namespace tilewright::lab {
namespace {

using simt::Operation;

/// Two sites of each kind of shared access, and one of each global one.
simt::Counters by_hand() {
    simt::Counters counters;
    counters.sites = {
        {Operation::global_load, 10, 1, "A", 128, false, 4, 4 * 512, 64, 0, 0},
        {Operation::global_store, 20, 1, "C", 32, false, 8, 8 * 128, 256, 0, 0},
        {Operation::shared_load, 30, 1, "As", 32, false, 100, 12800, 0, 200, 100},
        {Operation::shared_load, 31, 1, "Bs", 128, true, 50, 25600, 0, 400, 200},
        {Operation::shared_store, 32, 1, "As", 64, false, 10, 2560, 0, 20, 20},
        {Operation::copy_load, 33, 1, "B", 128, false, 2, 1024, 32, 0, 0},
        {Operation::copy_store, 33, 1, "Bs", 128, false, 2, 1024, 0, 8, 8},
    };
    counters.ffma = 1000;
    counters.barriers = 6;
    counters.blocks = 3;
    return counters;
}

TEST(Totals, FollowFromTheSites) {
    const Totals t = totals_of(by_hand(), {.m = 16, .n = 8, .k = 4});
    const auto expect = [&](const char* key, double want) {
        EXPECT_DOUBLE_EQ(value_of(t, key), want) << key;
    };
    expect("sectors_per_load", 16);
    expect("sectors_per_store", 32);
    expect("global_bytes_asked", 2048 + 1024 + 1024);
    expect("global_bytes_moved", (64 + 256 + 32) * 32);
    expect("global_bytes_per_result", (64 + 256 + 32) * 32 / 128.0);
    expect("shared_load_requests", 150);
    expect("shared_load_requests_32", 100);
    expect("shared_load_requests_128", 50);
    expect("shared_store_requests_64", 10);
    expect("shared_load_wavefronts", 600);
    expect("shared_load_ways", 2);
    expect("shared_store_ways", 1);
    expect("wavefronts_per_store", (20 + 8) / (10 + 2.0));
    expect("copy_requests", 2);
    expect("copy_wavefronts", 8);
    expect("words_per_ffma", (100 + 50 * 4) / 1000.0);
    expect("ffma_per_shared_load", 1000 / 150.0);
    expect("barriers_per_block", 2);
    expect("intensity_shared", 2 * 16 * 8 * 4 / 38400.0);
    expect("intensity_l2", 1024 / (352 * 32.0));
    expect("intensity_dram", 1024 / (4.0 * (16 * 4 + 4 * 8 + 16 * 8)));
    EXPECT_TRUE(std::isnan(value_of(t, "no such thing")));
}

TEST(Totals, OfAnOperandAreThoseOfAMatrixWithItsSharedArray) {
    const Totals t = totals_of(by_hand(), {.m = 16, .n = 8, .k = 4}, "B");
    EXPECT_EQ(t.global_load.requests, 0u);
    EXPECT_EQ(t.copy_load.sectors, 32u);
    EXPECT_EQ(t.shared_load.wavefronts, 400u);
    EXPECT_EQ(t.ffma, 1000u);
    EXPECT_EQ(totals_of(by_hand(), {}, "As").shared_load.wavefronts, 200u);
}

TEST(Totals, OldCMovesToo) {
    const Totals t = totals_of({}, {.m = 16, .n = 8, .k = 4, .beta = 2});
    EXPECT_EQ(t.compulsory_bytes, 4.0 * (16 * 4 + 4 * 8 + 2 * 16 * 8));
    EXPECT_EQ(totals_of({}, {.m = 16, .n = 8, .k = 4, .alpha = 0}).flop, 0);
}

TEST(Totals, WhatIsNotThereIsNull) {
    const auto json = json_of(totals_of({}, {}));
    EXPECT_EQ(json["ffma"], 0);
    EXPECT_TRUE(json["sectors_per_load"].is_null());
    EXPECT_TRUE(json["intensity_dram"].is_null());
}

TEST(Totals, EachQuantityHasItsKey) {
    std::vector<std::string> keys;
    for (const QuantityGroup& group : quantities())
        for (const Quantity& quantity : group.quantities)
            if (quantity.key) keys.push_back(quantity.key);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(Counting, AFailureHasItsReasonAndTheOthersTheirCounts) {
    constexpr Variant kFails[] = {{"default", {}, [](const Problem&, const Execution&) {
                                       return Status{StatusCode::execution_failed, "out of bounds"};
                                   }}};
    const auto device = open_cpu(CpuMode::counted);
    KernelDefinition broken = *device->kernels().front();
    broken.id = "broken", broken.variants = kFails;
    const KernelDefinition& right = *device->kernels().front();
    const Case test{.m = 8, .n = 8, .k = 8};
    const std::vector<CountRow> counts{{count(*device, {&broken, &kFails[0]}, test)},
                                       {count(*device, {&right, &right.variants.front()}, test)}};
    EXPECT_FALSE(counts[0].count.ok());
    EXPECT_TRUE(counts[1].count.ok());
    EXPECT_TRUE(json_of(counts[0], nullptr)["totals"].is_null());
    EXPECT_EQ(json_of(counts[0], nullptr)["status"], "failed");
    EXPECT_EQ(json_of(counts[1], nullptr)["totals"]["ffma"],
              8 * 8);  // a warp a column, 8 of its lanes
    const std::string text = text_of(counts, nullptr, Format::table);
    EXPECT_NE(text.find("broken 8: failed: out of bounds"), std::string::npos) << text;
    EXPECT_EQ(csv_table(counts).csv().find("nan"), std::string::npos);
}

TEST(Counting, SampledCountsSaySo) {
    const auto device = open_cpu(CpuMode::counted);
    CountRow row;
    Count& count = row.count;
    count.test = {.m = 8, .n = 8, .k = 8};
    count.rung = device->kernels().front();
    count.variant = &count.rung->variants.front();
    count.label = "k1";
    count.counters = by_hand();
    count.counters.blocks_run = 2;
    EXPECT_EQ(json_of(row, nullptr)["sampled"]["blocks_run"], 2);
    EXPECT_EQ(json_of(row, nullptr)["sampled"]["blocks"], 3);
    const std::string text = text_of({&row, 1}, nullptr, Format::table);
    EXPECT_NE(text.find("2 of 3 blocks run"), std::string::npos);
    count.counters.blocks_run = 3;
    EXPECT_TRUE(json_of(row, nullptr)["sampled"].is_null());
}

}  // namespace
}  // namespace tilewright::lab
