// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The verifier itself: planted wrong kernels must fail, and for the right reason.
#include "lab/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lab/hard_cases.h"

namespace tilewright::lab {
namespace {

/// What each planted kernel is a small change of. Runs on the host, whose memory CPU mode uses.
Status plain(Problem p) {
    const int64_t k_end = p.alpha == 0 ? 0 : p.k;
    for (int64_t i = 0; i < p.m; ++i) {
        for (int64_t j = 0; j < p.n; ++j) {
            float acc = 0;
            for (int64_t k = 0; k < k_end; ++k)
                acc = std::fma(p.A[i * p.lda + k], p.B[k * p.ldb + j], acc);
            float& c = p.C[i * p.ldc + j];
            c = std::fma(p.alpha, acc, p.beta == 0 ? 0 : p.beta * c);
        }
    }
    return {};
}

Status right(const Problem& p, const Execution&) {
    return plain(p);
}

Status drops_the_last_product(const Problem& p, const Execution&) {
    Problem shorter = p;
    --shorter.k;
    return plain(shorter);
}
Status writes_a_nan(const Problem& p, const Execution&) {
    Status status = plain(p);
    p.C[span_of(p.m, p.n, p.ldc) - 1] = std::numeric_limits<float>::quiet_NaN();
    return status;
}
Status writes_an_inf(const Problem& p, const Execution&) {
    Status status = plain(p);
    p.C[0] = std::numeric_limits<float>::infinity();
    return status;
}
Status writes_nothing(const Problem&, const Execution&) {
    return {};
}
Status leaves_out_the_last_element(const Problem& p, const Execution&) {
    const int64_t last = span_of(p.m, p.n, p.ldc) - 1;
    const float before = p.C[last];
    Status status = plain(p);
    p.C[last] = before;
    return status;
}
Status swaps_m_and_n(const Problem& p, const Execution&) {
    Problem swapped = p;
    std::swap(swapped.m, swapped.n);
    std::swap(swapped.lda, swapped.ldb);
    return plain(swapped);
}
Status takes_b_as_transposed(const Problem& p, const Execution&) {
    std::vector<float> b(span_of(p.k, p.n, p.ldb));
    for (int64_t k = 0; k < p.k; ++k)
        for (int64_t j = 0; j < p.n; ++j) b[k * p.ldb + j] = p.B[j * p.ldb + k];
    Problem transposed = p;
    transposed.B = b.data();
    return plain(transposed);
}
Status reads_c_at_beta_zero(const Problem& p, const Execution&) {
    const std::vector<float> before(p.C, p.C + span_of(p.m, p.n, p.ldc));
    Status status = plain(p);
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) p.C[i * p.ldc + j] += p.beta * before[i * p.ldc + j];
    return status;
}
Status ignores_beta(const Problem& p, const Execution&) {
    Problem without = p;
    without.beta = 0;
    return plain(without);
}
Status reads_a_at_alpha_zero(const Problem& p, const Execution&) {
    Status status = plain(p);
    if (p.A && p.k > 0) p.C[0] += 0.0f * p.A[0];
    return status;
}
Status writes_behind_a_row(const Problem& p, const Execution&) {
    Status status = plain(p);
    p.C[2 * p.ldc + p.n] = 0;
    return status;
}
Status writes_before_c(const Problem& p, const Execution&) {
    Status status = plain(p);
    p.C[-2] = 0;
    return status;
}
Status writes_after_c(const Problem& p, const Execution&) {
    Status status = plain(p);
    p.C[p.m * p.ldc] = 0;
    return status;
}
Status changes_a(const Problem& p, const Execution&) {
    Status status = plain(p);
    const_cast<float*>(p.A)[p.lda + 1] += 1;
    return status;
}
Status changes_b_and_nothing_else(const Problem& p, const Execution&) {
    Status status = plain(p);
    const_cast<float*>(p.B)[0] = -p.B[0];
    return status;
}
Status reads_behind_a_row_of_a(const Problem& p, const Execution&) {
    Problem longer = p;
    ++longer.k;  // times a row of B that lies in the guard
    return plain(longer);
}
Status rounds_to_half(const Problem& p, const Execution&) {
    Status status = plain(p);
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) {
            float& c = p.C[i * p.ldc + j];
            c = static_cast<float>(std::round(c * 2048)) / 2048;
        }
    return status;
}
Status multiplies_by_nan_free_zero(const Problem& p, const Execution&) {
    // "0 times anything is 0": skips the products with a zero of B.
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) {
            float acc = 0;
            for (int64_t k = 0; k < p.k; ++k)
                if (std::isfinite(p.A[i * p.lda + k]))
                    acc += p.A[i * p.lda + k] * p.B[k * p.ldb + j];
            p.C[i * p.ldc + j] = p.alpha * acc;
        }
    return {};
}
Status flushes_denormals(const Problem& p, const Execution&) {
    Status status = plain(p);
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j)
            if (std::fabs(p.C[i * p.ldc + j]) < 0x1p-126f) p.C[i * p.ldc + j] = 0;
    return status;
}
/// What each product of a batch is in the planted kernels.
Problem product_of(const Problem& p, int64_t i) {
    Problem one = p;
    one.A += i * p.stride_a, one.B += i * p.stride_b, one.C += i * p.stride_c;
    one.batch = 1;
    return one;
}
Status batched(const Problem& p, const Execution&) {
    for (int64_t i = 0; i < p.batch; ++i) static_cast<void>(plain(product_of(p, i)));
    return {};
}
Status takes_the_first_b_for_all(const Problem& p, const Execution& execution) {
    Problem shared = p;
    shared.stride_b = 0;
    return batched(shared, execution);
}
Status leaves_out_the_last_product_of_all(const Problem& p, const Execution& execution) {
    Problem fewer = p;
    --fewer.batch;
    return batched(fewer, execution);
}
Status writes_between_products(const Problem& p, const Execution& execution) {
    Status status = batched(p, execution);
    p.C[p.stride_c - 1] = 0;
    return status;
}
Status leaves_a_counter(const Problem& p, const Execution& execution) {
    execution.counters[7] = 1;
    return plain(p);
}
Work no_work(const Problem&, const Execution&) {
    return {};
}
Status refuses(const Problem&, const Execution&) {
    return {StatusCode::not_supported, "only squares"};
}
Status throws(const Problem&, const Execution&) {
    throw DeviceError("the device is gone");
}

Variant variant(Status (*run)(const Problem&, const Execution&)) {
    return {"planted", {}, run};
}

struct Planted {
    const char* name;
    Status (*run)(const Problem&, const Execution&);
    Case test;
    const char* reason;  ///< Part of the verdict's.
};
void PrintTo(const Planted& planted, std::ostream* out) {
    *out << planted.name;
}

bool says(const Verdict& verdict, const char* part) {
    return verdict.reason.find(part) != std::string::npos;
}

constexpr Case kGeneral{
    .m = 9, .n = 5, .k = 7, .slack_a = 1, .slack_b = 2, .slack_c = 3, .alpha = 0.5f, .beta = 3};

Case with(auto... changes) {
    Case test = kGeneral;
    (changes(test), ...);
    return test;
}
const auto beta_zero = [](Case& test) { test.beta = 0; };
const auto beta_minus_zero = [](Case& test) { test.beta = -0.0f; };
const auto alpha_zero = [](Case& test) { test.alpha = 0; };
auto of(Distribution distribution) {
    return [=](Case& test) { test.distribution = distribution; };
}

const Planted kPlanted[] = {
    {"drops_the_last_product", drops_the_last_product, kGeneral, "45 of 45 elements wrong"},
    {"drops_the_last_product_integers", drops_the_last_product, with(of(Distribution::integers)),
     "elements wrong: first C["},
    {"writes_a_nan", writes_a_nan, kGeneral, "1 of 45 elements wrong: first C[8][4] = nan"},
    {"writes_a_nan_beta_zero", writes_a_nan, with(beta_zero), "first C[8][4] = nan"},
    {"writes_a_nan_integers", writes_a_nan, with(of(Distribution::integers)), "C[8][4] = nan"},
    {"writes_an_inf", writes_an_inf, kGeneral, "1 of 45 elements wrong: first C[0][0] = inf"},
    {"writes_nothing", writes_nothing, kGeneral, "45 of 45 elements wrong"},
    {"writes_nothing_beta_zero", writes_nothing, with(beta_zero),
     "45 of 45 elements are the NaN that C held before"},
    {"leaves_out_the_last_element", leaves_out_the_last_element, with(beta_zero),
     "1 of 45 elements are the NaN that C held before"},
    {"swaps_m_and_n", swaps_m_and_n, kGeneral, "elements wrong"},
    {"takes_b_as_transposed", takes_b_as_transposed, kGeneral, "elements wrong"},
    {"reads_c_at_beta_zero", reads_c_at_beta_zero, with(beta_zero), "45 of 45 elements wrong"},
    {"reads_c_at_beta_minus_zero", reads_c_at_beta_zero, with(beta_minus_zero), "= nan"},
    {"ignores_beta", ignores_beta, kGeneral, "45 of 45 elements wrong"},
    {"reads_a_at_alpha_zero", reads_a_at_alpha_zero, with(alpha_zero), "first C[0][0] = nan"},
    {"writes_behind_a_row", writes_behind_a_row, kGeneral,
     "1 written outside C: first C[2][5] (behind its row)"},
    {"writes_before_c", writes_before_c, kGeneral,
     "1 written outside C: first 2 elements before C"},
    {"writes_after_c", writes_after_c, kGeneral, "first 4 elements after the last of C"},
    {"changes_a", changes_a, kGeneral, "1 written into an input: first A[1][1]"},
    {"changes_b", changes_b_and_nothing_else, kGeneral, "1 written into an input: first B[0][0]"},
    {"reads_behind_a_row_of_a", reads_behind_a_row_of_a, kGeneral, "= nan"},
    {"rounds_to_half", rounds_to_half, kGeneral, "elements wrong"},
    {"drops_nan_and_inf", multiplies_by_nan_free_zero, with(of(Distribution::specials), beta_zero),
     "elements wrong"},
    {"flushes_denormals", flushes_denormals, with(of(Distribution::denormal)), "elements wrong"},
};

class PlantedFault : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, Fails) {
    const auto device = open_cpu(CpuMode::fast, 1);
    const Verdict verdict = verify(*device, variant(GetParam().run), GetParam().test);
    EXPECT_EQ(verdict.outcome, Outcome::wrong);
    EXPECT_TRUE(says(verdict, GetParam().reason)) << verdict.reason;
    // The same case passes when nothing is wrong.
    const Verdict good = verify(*device, variant(right), GetParam().test);
    EXPECT_TRUE(good.ok()) << good.reason;
}
INSTANTIATE_TEST_SUITE_P(All, PlantedFault, testing::ValuesIn(kPlanted),
                         [](const auto& info) { return info.param.name; });

TEST(Verify, RightKernelPassesEveryHardCase) {
    const auto device = open_cpu(CpuMode::fast, 1);
    const TileConfig tile{.block = {32, 48, 8}};
    for (const Case& test : hard_cases(tile, kThorough, 1)) {
        const Verdict verdict = verify(*device, variant(right), test);
        EXPECT_TRUE(verdict.ok()) << describe(test) << ": " << verdict.reason;
        EXPECT_EQ(verdict.checked, test.m * test.n);
        EXPECT_LE(verdict.max_error, verdict.bound);
    }
}

TEST(Verify, RefusalAndFaultAreFailures) {
    const auto device = open_cpu(CpuMode::fast, 1);
    Verdict verdict = verify(*device, variant(refuses), kGeneral);
    EXPECT_EQ(verdict.outcome, Outcome::failed);
    EXPECT_EQ(verdict.reason, "only squares");
    verdict = verify(*device, variant(throws), kGeneral);
    EXPECT_EQ(verdict.outcome, Outcome::failed);
    EXPECT_EQ(verdict.reason, "the device is gone");
}

TEST(Verify, TooLargeIsNotRun) {
    const auto device = open_cpu(CpuMode::fast, 1);
    constexpr int64_t kHuge = int64_t{1} << 40;
    for (const Case& test : {Case{.m = kHuge, .n = kHuge, .k = 1},
                             {.m = 1 << 20, .n = kHuge >> 8},
                             {.m = -1, .n = 3, .k = 3},
                             {.m = 3, .n = 3, .k = INT64_MAX}}) {
        const Verdict verdict = verify(*device, variant(right), test);
        EXPECT_EQ(verdict.outcome, Outcome::not_run) << describe(test);
        EXPECT_FALSE(verdict.reason.empty());
    }
    EXPECT_FALSE(memory_need({.m = kHuge, .n = kHuge, .k = 1}));
    EXPECT_GT(memory_need({.m = 1 << 20, .n = kHuge >> 8})->device, size_t{1} << 50);
}

TEST(Verify, LooksAtEachProductOfABatch) {
    const auto device = open_cpu(CpuMode::fast, 1);
    const Case test{.m = 4, .n = 3, .k = 5, .slack_c = 1, .batch = 3, .gap_a = 3, .gap_c = 2};
    EXPECT_TRUE(verify(*device, variant(batched), test).ok());
    const auto expect = [&](Status (*run)(const Problem&, const Execution&), const char* reason) {
        const Verdict verdict = verify(*device, variant(run), test);
        EXPECT_EQ(verdict.outcome, Outcome::wrong);
        EXPECT_TRUE(says(verdict, reason)) << verdict.reason;
    };
    expect(takes_the_first_b_for_all, "24 of 36 elements wrong: first C(1)[0][0]");
    expect(leaves_out_the_last_product_of_all, "12 of 36 elements are the NaN that C held before");
    expect(writes_between_products, "1 written outside C: first behind C(0)");
}

TEST(Verify, FindsCountersThatAreNotZeroAgain) {
    const auto device = open_cpu(CpuMode::fast, 1);
    Variant planted = variant(leaves_a_counter);
    planted.work = no_work;
    const Verdict verdict = verify(*device, planted, {.m = 4, .n = 3, .k = 5, .parts = 2});
    EXPECT_TRUE(says(verdict, "1 counters are not zero again")) << verdict.reason;
}

TEST(Verify, SampledRowsStillShowWhatNobodyWrote) {
    const auto device = open_cpu(CpuMode::fast, 1);
    const Case test{.m = 512, .n = 512, .k = 10000};
    const PreparedCase prepared(test);
    ASSERT_LT(prepared.expected().index.size(), 512u);
    const Verdict verdict = verify(*device, variant(writes_nothing), prepared);
    EXPECT_TRUE(says(verdict, "262144 of 262144 elements are the NaN that C held"))
        << verdict.reason;
}

}  // namespace
}  // namespace tilewright::lab
