// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What cases say of themselves, the data they draw, and which of them are drawn.
#include "lab/case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/hard_cases.h"
#include "lab/options.h"
#include "lab/usage.h"
#include "lab/verify.h"

namespace tilewright::lab {
namespace {

TEST(Case, DescribesItselfAsOptions) {
    EXPECT_EQ(describe({.m = 1, .n = 2, .k = 3}),
              "--shape 1x2x3 --alpha 1 --beta 0 --dist uniform --seed 1");
    EXPECT_EQ(describe({.m = 129,
                        .n = 65,
                        .k = 0,
                        .slack_a = 3,
                        .slack_b = 1,
                        .slack_c = 4,
                        .offset_b = 2,
                        .alpha = 0.1f,
                        .beta = -0.0f,
                        .distribution = Distribution::integers,
                        .seed = 9}),
              "--shape 129x65x0 --lda 4 --ldb 66 --ldc 69 --offset 0,2,0 --alpha 0.1 --beta -0 "
              "--dist integers --seed 9");
    for (const Distribution distribution : kDistributions)
        EXPECT_EQ(distribution_of(name_of(distribution)), distribution);
    EXPECT_FALSE(distribution_of("unifrom"));
}

TEST(Case, DescribesWhatIsNotPlain) {
    const Case test{.m = 4,
                    .n = 5,
                    .k = 6,
                    .slack_a = 1,
                    .transpose_a = true,
                    .batch = 3,
                    .gap_a = 2,
                    .gap_b = -30,
                    .gap_c = 4,
                    .device_scalars = true,
                    .parts = 2};
    EXPECT_EQ(describe(test),
              "--shape 4x5x6 --lda 5 --transa T --batch 3 --stride-a 32 --stride-b 0 --stride-c 24 "
              "--device-scalars --parts 2 --alpha 1 --beta 0 --dist uniform --seed 1");
    EXPECT_FALSE(test.is_plain());
    EXPECT_EQ(test.layout(Operand::A).span(), 2 * 32 + 5 * 5 + 4);
    EXPECT_EQ(test.layout(Operand::B).span(), 30);
    Options options;
    options.shapes = {"4x5x6"}, options.lda = "5", options.transa = "T", options.batch = "3";
    options.stride_a = "32", options.stride_b = "0", options.stride_c = "24";
    options.device_scalars = true, options.parts = "2";
    EXPECT_EQ(cases_of(options), std::vector<Case>{test});
    options.stride_c = "19";
    EXPECT_THROW(cases_of(options), UsageError);
}

TEST(Case, SizesOfABatchThatExceed64BitsNeedTooMuchMemory) {
    constexpr int64_t kHuge = int64_t{1} << 40;
    EXPECT_FALSE(memory_need({.m = kHuge, .n = 1, .k = 1, .batch = kHuge}));
    EXPECT_FALSE(memory_need({.m = kHuge, .n = kHuge, .k = 1, .batch = 2}));
    EXPECT_FALSE(memory_need({.m = 1, .n = 1, .k = 1, .batch = 2, .gap_a = -2}));
    EXPECT_TRUE(memory_need({.m = 1, .n = 1, .k = 1, .batch = 0}));
}

TEST(Case, DataDoesNotDependOnLayout) {
    Case test{.m = 5, .n = 7, .k = 3, .beta = 1};
    const PreparedCase tight(test);
    test.slack_c = 3, test.offset_c = 2;
    const PreparedCase padded(test);
    const auto &a = tight.matrix(Operand::C), &b = padded.matrix(Operand::C);
    for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 7; ++j) EXPECT_EQ(a.first()[i * 7 + j], b.first()[i * 10 + j]);
}

TEST(Case, UniformDataHasFullSignificands) {
    const PreparedCase prepared({.m = 100, .n = 100, .k = 100});
    const float* a = prepared.matrix(Operand::A).first();
    std::set<float> distinct(a, a + 10000);
    EXPECT_GT(distinct.size(), 9900u);
    EXPECT_LT(*distinct.begin(), -0.99f);
    EXPECT_GT(*distinct.rbegin(), 0.99f);
    const auto odd = std::count_if(a, a + 10000, [](float x) {
        return std::fmod(std::fabs(x) * 0x1p24f, 2.0f) == 1;  // the last bit below 1
    });
    EXPECT_NEAR(static_cast<double>(odd), 5000, 300);
}

TEST(HardCases, AreTheSameForTheSameSeed) {
    const TileConfig tile{.block = {64, 64, 8}};
    EXPECT_EQ(hard_cases(tile, kQuick, 5), hard_cases(tile, kQuick, 5));
    EXPECT_NE(hard_cases(tile, kQuick, 5), hard_cases(tile, kQuick, 6));
    EXPECT_EQ(hard_cases(tile, kQuick, 5).size(), kQuick.cases);
    EXPECT_EQ(hard_cases({}, kThorough, 5).size(), kThorough.cases);
}

TEST(HardCases, OfRungsArePlainAndOthersAreNot) {
    const TileConfig tile{.block = {64, 64, 8}};
    for (const Case& test : hard_cases(tile, kThorough, 5))
        EXPECT_TRUE(test.is_plain()) << describe(test);
    Effort effort = kQuick;
    effort.any_problem = true;
    std::set<std::array<bool, 2>> transposes;
    std::set<int64_t> batches, parts;
    int on_device = 0, shared = 0;
    for (const Case& test : hard_cases(tile, effort, 5)) {
        transposes.insert({test.transpose_a, test.transpose_b});
        batches.insert(test.batch);
        parts.insert(test.parts);
        on_device += test.device_scalars;
        shared += test.batch > 1 && test.k > 0 && test.layout(Operand::B).stride == 0;
        EXPECT_TRUE(memory_need(test)) << describe(test);
    }
    EXPECT_EQ(transposes.size(), 4u);
    EXPECT_EQ(batches, (std::set<int64_t>{0, 1, 2, 3}));
    EXPECT_TRUE(parts.contains(1) && parts.contains(2) && parts.contains(3)) << parts.size();
    EXPECT_GE(on_device, 4);
    EXPECT_GE(shared, 1);
}

TEST(HardCases, StayWithinTheirEffort) {
    const TileConfig tile{.block = {128, 256, 16}};
    for (const Case& test : hard_cases(tile, {.cases = 60, .work = 1 << 21}, 5))
        EXPECT_LE(padded_work(test, tile), 1 << 26) << describe(test);
    const auto tall = hard_cases(tile, {.cases = 20, .work = 1 << 21, .many_tiles = true}, 5);
    const auto tiles = [&](const Case& test) { return test.m / 128; };
    EXPECT_EQ(std::count_if(tall.begin(), tall.end(), [&](auto& c) { return tiles(c) > 65535; }),
              1);
}

TEST(HardCases, PutEachPairTogether) {
    const TileConfig tile{.block = {64, 32, 8}};
    std::set<std::pair<int64_t, int64_t>> mn, mk, nk;
    std::set<std::pair<std::string, std::string>> factors;
    std::set<std::array<bool, 3>> aligned;
    for (const Case& test : hard_cases(tile, kThorough, 1)) {
        mn.insert({test.m, test.n});
        mk.insert({test.m, test.k});
        nk.insert({test.n, test.k});
        factors.insert({std::to_string(test.alpha), std::to_string(test.beta)});
        const auto on_16_bytes = [&](Operand operand) {
            const MatrixLayout layout = test.layout(operand);
            return layout.ld % 4 == 0 && layout.offset == 0;
        };
        if (test.m >= 64 && test.n >= 32 && test.k >= 8)
            aligned.insert(
                {on_16_bytes(Operand::A), on_16_bytes(Operand::B), on_16_bytes(Operand::C)});
    }
    for (const int64_t m : {1, 63, 64, 65, 129})
        for (const int64_t n : {1, 31, 32, 33, 65}) EXPECT_TRUE(mn.count({m, n})) << m << "x" << n;
    for (const int64_t k : {0, 1, 7, 8, 9, 27}) {
        for (const int64_t m : {1, 63, 64, 65, 129})
            EXPECT_TRUE(mk.count({m, k})) << m << " k " << k;
        for (const int64_t n : {1, 31, 32, 33, 65})
            EXPECT_TRUE(nk.count({n, k})) << n << " k " << k;
    }
    EXPECT_EQ(factors.size(), 36u);
    EXPECT_GE(aligned.size(), 5u);  // all, all but one, none
}

}  // namespace
}  // namespace tilewright::lab
