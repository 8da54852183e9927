// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Whether modes that claim FP32's accuracy have it: on data on which errors do not cancel, for every
// kind of K, however operands lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/accuracy.h"

namespace tilewright::test {
namespace {

using reference::Factors;
using reference::HardData;
using reference::make_factors;

const HardData& data_named(const std::string& name) {
    return *std::ranges::find(reference::hard_data(), name, &HardData::name);
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const HardData& data : reference::hard_data()) all.emplace_back(data.name);
    return all;
}

/// Small elements of a row of A that alone meet B: pieces of FP16 lack their bits. A single product, whose
/// errors no others cancel. docs/accuracy.md has bounds for both.
constexpr const char* kBeyondFp16x3[] = {"graded", "quarter_unmet", "far_unmet", "one_in_common"};

class Accuracy : public testing::TestWithParam<std::string> {};

TEST_P(Accuracy, IsFp32sForEitherOperand) {
    const Ways ways{.fp16x3 = std::ranges::count(kBeyondFp16x3, GetParam()) == 0};
    for (const int64_t k : {64, 100, 300}) {
        const Factors factors = make_factors(data_named(GetParam()), 70, 90, k, 1);
        expect_accurate(factors, {}, ways);
        expect_accurate(exchanged(factors), {}, ways);
    }
    expect_accurate(make_factors(data_named(GetParam()), 70, 90, 1000, 2), {}, ways);
}

INSTANTIATE_TEST_SUITE_P(Each, Accuracy, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(AccuracyOfSums, IsFp32sForEachK) {
    for (const int64_t k : {1, 2, 3, 7, 16, 31, 32, 33, 63, 64, 65, 100, 128, 129, 300, 1000})
        for (const char* data : {"normal", "wide"})
            expect_accurate(make_factors(data_named(data), 33, 40, k, k),
                            k % 2 ? Call{} : Call{.alpha = 0.7f, .beta = -1.3f});
}

TEST(AccuracyOfSums, IsFp32sForLongOnes) {
    expect_accurate(make_factors(data_named("normal"), 20, 24, 4096, 1), {}, {.most_k = 4096});
    expect_accurate(make_factors(data_named("positive"), 20, 24, 4096, 1));
    expect_accurate(make_factors(data_named("positive"), 3, 5, 65536, 1));
    expect_accurate(make_factors(data_named("normal"), 3, 5, 65536, 1));
}

TEST(AccuracyOfSums, DoesNotDependOnHowOperandsLie) {
    for (const bool ta : {false, true})
        for (const bool tb : {false, true})
            for (const char* data : {"scaled", "peak"})
                expect_accurate(make_factors(data_named(data), 71, 93, 129, 1),
                                {.ta = ta, .tb = tb});
}

}  // namespace
}  // namespace tilewright::test
