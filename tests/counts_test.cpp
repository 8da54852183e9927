// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the rungs' headers say is counted, is: each number here follows from the tile sizes by hand.
#include <gtest/gtest.h>

#include <vector>

#include "ladder/ladder.h"
#include "simt/machine.h"

namespace tilewright {
namespace {

struct Expected {
    const char* id;
    const char* variant;
    uint64_t global_loads, sectors;  // of loads
    uint64_t shared_loads, load_wavefronts;
    uint64_t shared_stores, store_wavefronts;
    uint64_t barriers;
};

constexpr int kSize = 256;
constexpr uint64_t kProducts = uint64_t{kSize} * kSize * kSize / 32;  // FFMAs of a warp

constexpr Expected kExpected[] = {
    // A 32 sectors a request and B 1, then A 1 and B 4
    {"k1", "default", 2 * kProducts, 33 * kProducts, 0, 0, 0, 0, 0},
    {"k2", "default", 2 * kProducts, 5 * kProducts, 0, 0, 0, 0, 0},
    // words loaded for each FFMA: 2, 9/8, 1/4, and 24/128 in k10
    {"k3", "default", 32768, 131072, 2 * kProducts, 2 * kProducts, 32768, 32768, 1024},
    {"k4", "default", 16384, 65536, kProducts * 9 / 8, kProducts * 9 / 8, 16384, 16384, 1024},
    // A 2 wavefronts a load and B 4
    {"k5", "default", 8192, 32768, 131072, 65536 * (2 + 4), 8192, 8192, 256},
    // float4: A 4 and B 8; the transposed store of A 2 a store, B 4
    {"k6", "default", 2048, 32768, 32768, 16384 * (4 + 8), 4096 + 1024, 4096 * 2 + 1024 * 4, 256},
    {"k7", "default", 2048, 32768, 16384 + 65536, 16384 * 4 + 65536, 8192, 8192 * 2, 256},
    {"k8", "default", 2048, 32768, 16384 + 65536, 16384 * 4 + 65536 * 4, 8192, 4096 * 2 + 4096 * 4,
     256},
    {"k8", "a4", 2048, 32768, 32768, 16384 * (4 + 8), 4096 + 1024, 4096 * 1 + 1024 * 4, 256},
    // BK 16: the transposed store 4 a store
    {"k9", "a6000", 2048, 32768, 32768, 16384 * (4 + 8), 4096 + 1024, 4096 * 4 + 1024 * 4, 128},
    // FFMA : LDS.128 = 128 : 6, and no conflict
    {"k10", "default", 2048, 32768, kProducts * 6 / 128, kProducts * 6 / 128 * 4, 4096 + 1024,
     4096 * 4 + 1024 * 4, 128},
};

class Counts : public testing::TestWithParam<Expected> {};

TEST_P(Counts, AreThoseOfTheHeader) {
    const Expected& expected = GetParam();
    const auto found = ladder::match(ladder::rungs(ladder::Target::cpu_counted), expected.id);
    ASSERT_EQ(found.size(), 1u);
    const Variant* variant = nullptr;
    for (const Variant& each : found.front()->variants)
        if (std::string(each.name) == expected.variant) variant = &each;
    ASSERT_TRUE(variant);

    struct alignas(256) Matrix {
        float words[kSize * kSize] = {};
    };
    const auto a = std::make_unique<Matrix>(), b = std::make_unique<Matrix>(),
               c = std::make_unique<Matrix>();
    simt::Machine machine;
    const Problem problem{.m = kSize,
                          .n = kSize,
                          .k = kSize,
                          .A = a->words,
                          .lda = kSize,
                          .B = b->words,
                          .ldb = kSize,
                          .C = c->words,
                          .ldc = kSize};
    const Status status = variant->run(problem, {&machine});
    ASSERT_TRUE(status.ok()) << status.reason;

    const simt::Counters counters = machine.take_counters();
    using simt::Operation;
    const auto global = counters.total(Operation::global_load);
    const auto load = counters.total(Operation::shared_load);
    const auto store = counters.total(Operation::shared_store);
    EXPECT_EQ(global.requests, expected.global_loads);
    EXPECT_EQ(global.sectors, expected.sectors);
    EXPECT_EQ(load.requests, expected.shared_loads);
    EXPECT_EQ(load.wavefronts, expected.load_wavefronts);
    EXPECT_EQ(store.requests, expected.shared_stores);
    EXPECT_EQ(store.wavefronts, expected.store_wavefronts);
    EXPECT_EQ(counters.barriers, expected.barriers);
    EXPECT_EQ(counters.ffma, kProducts);
}

INSTANTIATE_TEST_SUITE_P(Rungs, Counts, testing::ValuesIn(kExpected), [](const auto& test) {
    return std::string(test.param.id) + "_" + test.param.variant;
});

}  // namespace
}  // namespace tilewright
