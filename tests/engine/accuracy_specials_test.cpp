// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Numbers that scales and pieces could get wrong in kind: Inf, NaN, zeros of both signs, denormals, the
// ends of FP32's range. Each kind of row of A meets each kind of column of B.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "engine/accuracy.h"

namespace tilewright::test {
namespace {

using reference::Factors;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int64_t kDepth = 100;  // a whole line of 64 and a part of one

/// Element k of a row or column, made of one in [1, 2): of one sign where sums reach FLT_MAX, so that
/// FP32's result does not depend on their order.
using Line = float (*)(float x, int64_t k);

float nan_of(uint32_t bits) {
    return std::bit_cast<float>(bits);
}
float mixed_sign(float x, int64_t k) {
    return k * 7 % 5 < 2 ? -x : x;
}

constexpr Line kLines[] = {
    mixed_sign,
    [](float, int64_t) { return 0.0f; },
    [](float, int64_t) { return -0.0f; },
    [](float x, int64_t k) { return k == 63 ? x : 0.0f; },
    [](float x, int64_t k) { return x * static_cast<float>(k + 1) * 0x1p-149f; },
    [](float x, int64_t k) { return k % 2 ? mixed_sign(x, k) : x * 0x1p-130f; },
    [](float x, int64_t) { return x * FLT_MIN; },
    [](float x, int64_t) { return x * 0x1p-95f; },
    [](float x, int64_t) { return x * 0x1p-70f; },
    [](float x, int64_t) { return x * 0x1p66f; },
    [](float x, int64_t) { return -x * 0x1p85f; },
    [](float x, int64_t) { return x * 0x1p95f; },
    [](float x, int64_t) { return x * 0x1p126f; },
    [](float, int64_t k) { return k == 70 ? FLT_MAX : 0x1p-20f; },
    [](float, int64_t) { return -FLT_MAX; },
    [](float x, int64_t k) { return k == 3 ? kInf : x; },
    [](float x, int64_t k) { return k == 99 ? -kInf : mixed_sign(x, k); },
    [](float x, int64_t k) { return k == 3 || k == 64 ? kInf : -x; },
    [](float x, int64_t k) { return k == 64   ? kInf
                                    : k == 65 ? -kInf
                                              : x; },
    [](float x, int64_t k) { return k == 5 ? nan_of(0x7fc00000u) : x; },
    [](float x, int64_t k) { return k == 64 ? nan_of(0x7f800001u) : x; },
    [](float x, int64_t k) { return k == 63 ? nan_of(0xffc12345u) : x; },
    [](float x, int64_t k) { return k == 98 ? nan_of(0x7fffffffu) : x * 0x1p-140f; },
    [](float x, int64_t k) { return k == 0 ? kInf : x * 0x1p120f; },
};

Factors all_lines() {
    constexpr int64_t kCount = std::size(kLines);
    Factors f{kCount, kCount, kDepth, std::vector<float>(kCount * kDepth),
              std::vector<float>(kDepth * kCount)};
    reference::Random random(1);
    std::uniform_real_distribution<float> uniform(1, 2);
    for (int64_t k = 0; k < kDepth; ++k)
        for (int64_t i = 0; i < kCount; ++i) {
            f.at_a(i, k) = kLines[i](uniform(random), k);
            f.at_b(k, i) = kLines[i](uniform(random), k);
        }
    return f;
}

TEST(AccuracyOfSpecials, EachKindMeetsEachOther) {
    const Factors factors = all_lines();
    for (int time = 0; time < 5; ++time)  // another kernel each, in CPU mode
        expect_accurate(factors, {.ta = time % 2 == 1, .tb = time / 2 % 2 == 1});
    expect_accurate(factors, {.alpha = 0x1p-20f, .beta = -2});
    expect_accurate(factors, {.alpha = -1, .beta = kInf});
    expect_accurate(factors, {.alpha = kInf});
}

TEST(AccuracyOfSpecials, WithoutAlphaNothingIsRead) {
    const Factors factors = all_lines();
    for (const float beta : {0.0f, 0.5f}) {
        Trial trial(factors, {.alpha = 0, .beta = beta});  // of a C of ones, or of NaNs
        for_each_way(kDepth, {}, [&](tilewright_handle_t handle, const std::string& kernel) {
            const auto got = trial.run(handle, kernel);
            if (!got) return false;
            EXPECT_EQ(std::ranges::count(*got, beta), std::ssize(*got))
                << tilewright_last_kernel(handle);
            return true;
        });
    }
}

/// That elements in row `row` and column `col`, those that are not -1, are NaN, and others the same.
void expect_same_around(const std::vector<float>& with, const std::vector<float>& without,
                        int64_t row, int64_t col, int64_t cols, const std::string& way) {
    for (int64_t at = 0; at < std::ssize(with); ++at) {
        if (at / cols == row || at % cols == col)
            ASSERT_TRUE(std::isnan(with[at])) << way << ", element " << at;
        else
            ASSERT_EQ(std::bit_cast<uint32_t>(with[at]), std::bit_cast<uint32_t>(without[at]))
                << way << ", element " << at;
    }
}

TEST(AccuracyOfSpecials, OneNanLeavesOtherRowsAndColumnsAsTheyAre) {
    constexpr int64_t kPlace = 7;
    for (const bool in_a : {true, false})
        for (int time = 0; time < 5; ++time) {
            Factors factors = make_factors(reference::hard_data().front(), 40, 50, kDepth, time);
            Trial without(factors);
            (in_a ? factors.at_a(kPlace, 66) : factors.at_b(66, kPlace)) = nan_of(0x7fa00001u);
            Trial with(factors);
            for_each_way(kDepth, {}, [&](tilewright_handle_t handle, const std::string& kernel) {
                const auto before = without.run(handle, kernel), after = with.run(handle, kernel);
                EXPECT_EQ(before.has_value(), after.has_value());
                if (!before || !after) return false;
                expect_same_around(*after, *before, in_a ? kPlace : -1, in_a ? -1 : kPlace,
                                   factors.n, tilewright_last_kernel(handle));
                return true;
            });
        }
}

/// Padded rows of B: a line of zeros is no reason to leave a column of small numbers to FP32, which would
/// show in its bits, as powers of two round nothing.
TEST(AccuracyOfSpecials, LineOfZerosMakesNoColumnUnfit) {
    constexpr int64_t kSize = 40, kK = 256;
    Factors small{kSize, kSize, kK, std::vector<float>(kSize * kK), std::vector<float>(kK * kSize)};
    reference::Random random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (int64_t k = 0; k < kK; ++k)
        for (int64_t i = 0; i < kSize; ++i) {
            small.at_a(i, k) = uniform(random);
            small.at_b(k, i) = k / 64 == 1 ? 0.0f : 0x1p-14f * uniform(random);
        }
    Factors large = small;
    for (int64_t k = 0; k < kK; ++k)
        for (int64_t i = 0; i < kSize; ++i) large.at_b(k, i) *= 0x1p20f;
    Trial of_small(small), of_large(large);
    for_each_way(kK, {}, [&](tilewright_handle_t handle, const std::string& kernel) {
        const auto got = of_small.run(handle, kernel), scaled = of_large.run(handle, kernel);
        if (!got || !scaled) return false;
        for (size_t i = 0; i < got->size(); ++i) {
            EXPECT_EQ((*got)[i] * 0x1p20f, (*scaled)[i]) << kernel;
            if ((*got)[i] * 0x1p20f != (*scaled)[i]) break;
        }
        return true;
    });
}

}  // namespace
}  // namespace tilewright::test
