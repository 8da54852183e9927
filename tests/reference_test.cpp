// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The FP64 reference against plain loops in long double, and what the bound lets pass.
#include "reference/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "reference/bound.h"

namespace tilewright::reference {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// Matrices with room behind each row, and the problem they make.
struct Host {
    Host(int64_t m, int64_t n, int64_t k, float alpha, float beta, float low = -1, float high = 1) {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> draw(low, high);
        A.resize(m * (k + 1)), B.resize(k * (n + 2)), C.resize(m * (n + 3));
        for (auto* matrix : {&A, &B, &C})
            for (float& x : *matrix) x = draw(random);
        problem = {.m = m,
                   .n = n,
                   .k = k,
                   .alpha = alpha,
                   .A = A.data(),
                   .lda = k + 1,
                   .B = B.data(),
                   .ldb = n + 2,
                   .beta = beta,
                   .C = C.data(),
                   .ldc = n + 3};
    }
    std::vector<float> A, B, C;
    Problem problem;
};

std::vector<int64_t> all_rows(int64_t m) {
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < m; ++i) rows.push_back(i);
    return rows;
}

/// One element in FP32: fma after fma, as the kernels do it, leaving out the last `dropped`
/// products.
float in_float(const Problem& p, int64_t row, int64_t col, int64_t dropped = 0) {
    float acc = 0;
    for (int64_t k = 0; k < p.k - dropped; ++k)
        acc = std::fma(p.A[row * p.lda + k], p.B[k * p.ldb + col], acc);
    const float c = p.beta == 0 ? 0 : p.C[row * p.ldc + col];
    return std::fma(p.alpha, acc, p.beta * c);
}

/// How many elements of `product` are within tolerance.
int64_t accepted(const Rows& expected, const Tolerance& tolerance, auto product) {
    int64_t count = 0;
    for (size_t r = 0; r < expected.index.size(); ++r)
        for (int64_t col = 0; col < expected.columns; ++col) {
            const size_t at = r * expected.columns + col;
            count += accepts(product(expected.index[r], col), expected.want[at],
                             expected.magnitude[at], tolerance);
        }
    return count;
}

TEST(Reference, AgreesWithLongDouble) {
    // Around the edges of its own blocks of 64 rows, 256 columns and 32 products.
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                                  {3, 5, 7},
                                  {65, 257, 33},
                                  {64, 256, 32},
                                  {130, 3, 95},
                                  {2, 515, 4}}) {
        const Host host(m, n, k, -1.5f, 0.25f);
        const Problem& p = host.problem;
        const Rows rows = gemm(p, all_rows(m));
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                long double want = 0, magnitude = 0;
                for (int64_t l = 0; l < k; ++l) {
                    const long double product =
                        static_cast<long double>(p.A[i * p.lda + l]) * p.B[l * p.ldb + j];
                    want += product;
                    magnitude += std::fabs(product);
                }
                const long double c = static_cast<long double>(p.beta) * p.C[i * p.ldc + j];
                want = p.alpha * want + c;
                magnitude = std::fabs(p.alpha) * magnitude + std::fabs(c);
                const auto error = static_cast<double>(1e-14L * magnitude);
                ASSERT_NEAR(rows.want[i * n + j], static_cast<double>(want), error);
                ASSERT_NEAR(rows.magnitude[i * n + j], static_cast<double>(magnitude), error);
            }
        }
    }
}

TEST(Reference, ReadsTransposesAndBatches) {
    // Three products, of which B is one and the same; 130 rows go over its own blocks.
    constexpr int64_t kM = 130, kN = 9, kK = 33, kBatch = 3;
    Host host(kM * kBatch, kN, kK, -1.5f, 0.25f);
    const Rows want = gemm(host.problem, all_rows(kM * kBatch));
    Problem batch = host.problem;
    batch.m = kM, batch.batch = kBatch;
    batch.stride_a = kM * batch.lda, batch.stride_c = kM * batch.ldc;
    EXPECT_EQ(gemm(batch, all_rows(kM * kBatch)).want, want.want);
    std::vector<float> a(kK * kM * kBatch), b(kN * kK);
    for (int64_t i = 0; i < kM * kBatch; ++i)
        for (int64_t k = 0; k < kK; ++k)
            a[(i / kM * kK + k) * kM + i % kM] = host.A[i * batch.lda + k];
    for (int64_t k = 0; k < kK; ++k)
        for (int64_t j = 0; j < kN; ++j) b[j * kK + k] = host.B[k * batch.ldb + j];
    batch.transpose_a = batch.transpose_b = true;
    batch.A = a.data(), batch.lda = kM, batch.stride_a = kK * kM;
    batch.B = b.data(), batch.ldb = kK;
    const Rows rows = gemm(batch, all_rows(kM * kBatch));
    EXPECT_EQ(rows.want, want.want);
    EXPECT_EQ(rows.magnitude, want.magnitude);
    EXPECT_EQ(gemm(batch, {129, 130, 389}).want.back(), want.want.back());
}

TEST(Reference, DoesNotDependOnThreadsOrRowsAskedFor) {
    const Host host(150, 300, 70, 1, 1);
    const Rows all = gemm(host.problem, all_rows(150), 1);
    EXPECT_EQ(all.want, gemm(host.problem, all_rows(150), 5).want);
    const Rows some = gemm(host.problem, {149, 3});
    EXPECT_TRUE(std::equal(some.want.begin(), some.want.begin() + 300, &all.want[149 * 300]));
    EXPECT_TRUE(std::equal(some.want.begin() + 300, some.want.end(), &all.want[3 * 300]));
}

TEST(Reference, BetaZeroDoesNotReadC) {
    for (const float beta : {0.0f, -0.0f}) {
        Host host(3, 4, 5, 1, beta);
        std::fill(host.C.begin(), host.C.end(), kNan);
        for (const double want : gemm(host.problem, all_rows(3)).want)
            EXPECT_TRUE(std::isfinite(want));
        host.problem.C = nullptr;
        EXPECT_EQ(gemm(host.problem, all_rows(3)).want.size(), 12u);
    }
}

TEST(Reference, NothingToMultiplyReadsNeitherAnorB) {
    for (Host host : {Host(3, 4, 5, 0, 2), Host(3, 4, 5, -0.0f, 2), Host(3, 4, 0, 1, 2)}) {
        host.problem.A = host.problem.B = nullptr;
        host.problem.C = host.C.data();
        const Rows rows = gemm(host.problem, all_rows(3));
        EXPECT_EQ(rows.want[0], 2.0 * host.C[0]);
        EXPECT_EQ(rows.magnitude[0], std::fabs(2.0 * host.C[0]));
    }
}

TEST(Reference, KeepsNanAndInf) {
    Host host(3, 3, 2, 1, 0);
    host.A[0] = kNan;
    host.A[host.problem.lda] = kInf;
    const Rows rows = gemm(host.problem, all_rows(3));
    EXPECT_TRUE(std::isnan(rows.want[0]));
    EXPECT_TRUE(std::isinf(rows.want[3]));
    EXPECT_TRUE(std::isfinite(rows.want[6]));
    host.B[0] = 0;  // 0 * Inf
    EXPECT_TRUE(std::isnan(gemm(host.problem, {1}).want[0]));
}

TEST(Rows, AllOfThemUpTo1024Cubed) {
    EXPECT_EQ(pick_rows(1024, 1024, 1024, 1), all_rows(1024));
    EXPECT_EQ(pick_rows((1 << 21) + 1, 1, 1, 1).size(), (1u << 21) + 1);
    EXPECT_TRUE(pick_rows(0, 5, 5, 1).empty());
    EXPECT_TRUE(pick_rows(3, 0, 0, 1).empty());
    EXPECT_TRUE(pick_rows(3000000000, 0, 0, 1).empty()) << "and soon";
}

TEST(Rows, BeyondThatEndsAndTileBoundaries) {
    const auto rows = pick_rows(8191, 8192, 8192, 1);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_LE(rows.size(), 32u);
    EXPECT_GE(rows.size(), 30u);
    for (const int64_t row : {0, 8190, 127, 128, 63, 64, 31, 32, 255, 256, 8063, 8064})
        EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << row;
    EXPECT_NE(rows, pick_rows(8191, 8192, 8192, 2));
    EXPECT_EQ(pick_rows(1 << 20, 1 << 20, 1 << 20, 1).size(), 4u);
}

TEST(Bound, StrayNanAndInfFail) {
    const Tolerance tolerance = reference::tolerance(Assumption::random, 64, 1);
    EXPECT_TRUE(accepts(1.0f, 1.0, 8.0, tolerance));
    for (const float got : {kNan, kInf, -kInf}) {
        EXPECT_FALSE(accepts(got, 1.0, 8.0, tolerance)) << got;
        EXPECT_FALSE(accepts(got, 1.0, 8.0, {})) << got;
        EXPECT_TRUE(std::isinf(relative_error(got, 1.0, 8.0, tolerance)));
    }
}

TEST(Bound, HoldsForFactorsThatAreNotFinite) {
    for (const float alpha :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        const Tolerance bound = tolerance(Assumption::random, 0, alpha);  // K = 0: C := beta * C
        EXPECT_TRUE(accepts(0.25f, 0.25, 0.25, bound));
        EXPECT_FALSE(accepts(0.5f, 0.25, 0.25, bound));
    }
}

TEST(Bound, SpecialsMustAgree) {
    const Tolerance tolerance = reference::tolerance(Assumption::worst_case, 64, 1);
    EXPECT_TRUE(accepts(kNan, kNan, kNan, tolerance));
    EXPECT_TRUE(accepts(kInf, kInf, kInf, tolerance));
    EXPECT_TRUE(accepts(-kInf, -kInf, kInf, tolerance));
    EXPECT_FALSE(accepts(-kInf, kInf, kInf, tolerance));
    EXPECT_FALSE(accepts(kNan, kInf, kInf, tolerance));
    EXPECT_FALSE(accepts(1.0f, kNan, kNan, tolerance));
    EXPECT_FALSE(accepts(std::numeric_limits<float>::max(), kInf, kInf, tolerance));
}

TEST(Bound, OverflowIsJudgedByWhatTheTermsCanReach) {
    const Tolerance tolerance = reference::tolerance(Assumption::random, 2, 1);
    const double big = 0x1p127;
    EXPECT_TRUE(accepts(kInf, 2 * big, 2 * big, tolerance));
    EXPECT_FALSE(accepts(-kInf, 2 * big, 2 * big, tolerance));
    EXPECT_FALSE(accepts(kNan, 2 * big, 2 * big, tolerance));
    EXPECT_FALSE(accepts(1.0f, 2 * big, 2 * big, tolerance));
    EXPECT_TRUE(accepts(kInf, 0.0, 4 * big, tolerance));  // 2^128 - 2^128, in either order
    EXPECT_TRUE(accepts(-kInf, 0.0, 4 * big, tolerance));
    EXPECT_TRUE(accepts(kNan, 0.0, 4 * big, tolerance));
    EXPECT_FALSE(accepts(kInf, 0.0, big, tolerance));
}

TEST(Bound, DenormalsMayBeRoundedButNotFlushed) {
    const Tolerance tolerance = reference::tolerance(Assumption::random, 1, 1);
    const double want = 0x1.8p-149;  // between two denormals
    EXPECT_TRUE(accepts(0x1p-149f, want, want, tolerance));
    EXPECT_TRUE(accepts(0x1p-148f, want, want, tolerance));
    EXPECT_FALSE(accepts(0.0f, 0x1p-140, 0x1p-140, tolerance));
}

TEST(Bound, SmallIntegersAreExact) {
    EXPECT_TRUE(accepts(-0.0f, 0.0, 0.0, {}));
    EXPECT_TRUE(accepts(16777215.0f, 16777215.0, 16777215.0, {}));
    EXPECT_FALSE(accepts(16777214.0f, 16777215.0, 16777215.0, {}));
}

/// The source project compares with an absolute tolerance of 0.01.
TEST(Bound, SeesWhatAnAbsoluteToleranceHides) {
    Host host(40, 40, 65, 1, 0);
    for (float& a : host.A) a *= 1e-6f;
    const Problem& p = host.problem;
    const auto right = [&](auto i, auto j) { return in_float(p, i, j); };
    const auto without_last = [&](auto i, auto j) { return in_float(p, i, j, 1); };
    const Rows expected = gemm(p, all_rows(40));
    EXPECT_EQ(accepted(expected, {.relative = 0, .absolute = 0.01}, without_last), 40 * 40);
    const Tolerance tolerance = reference::tolerance(Assumption::random, 65, 1);
    EXPECT_EQ(accepted(expected, tolerance, right), 40 * 40);
    // Not zero: a product may happen to be near zero.
    EXPECT_LT(accepted(expected, tolerance, without_last), 40 * 40 / 100);
}

TEST(Bound, LongPositiveSumsPass) {
    const Host host(24, 24, 32768, 1, 0, 0, 1);
    const Rows expected = gemm(host.problem, all_rows(24));
    for (const auto assumption : {Assumption::random, Assumption::worst_case})
        EXPECT_EQ(accepted(expected, tolerance(assumption, 32768, 1),
                           [&](auto i, auto j) { return in_float(host.problem, i, j); }),
                  24 * 24);
}

TEST(Bound, Tf32InputsFail) {
    const Host host(64, 64, 64, 1, 0);
    const Rows expected = gemm(host.problem, all_rows(64));
    Host coarse = host;
    for (auto* matrix : {&coarse.A, &coarse.B})
        for (float& x : *matrix)  // 10 of 23 bits
            x = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & ~0x1fffu);
    coarse.problem.A = coarse.A.data(), coarse.problem.B = coarse.B.data();
    EXPECT_LT(accepted(expected, tolerance(Assumption::random, 64, 1),
                       [&](auto i, auto j) { return in_float(coarse.problem, i, j); }),
              64 * 64 / 20);
}

TEST(Bound, GammaIsLargerThanTheRandomBoundOnlyFromEightProductsOn) {
    for (const int64_t k : {0, 1, 7})
        EXPECT_LE(tolerance(Assumption::worst_case, k, 1).relative,
                  tolerance(Assumption::random, k, 1).relative * (1 + 1e-6));
    for (const int64_t k : {8, 64, 32768})
        EXPECT_GT(tolerance(Assumption::worst_case, k, 1).relative,
                  tolerance(Assumption::random, k, 1).relative);
    EXPECT_TRUE(std::isinf(tolerance(Assumption::worst_case, 1 << 24, 1).relative));
}

TEST(Tf32Tolerance, AddsTheRoundingOfFactors) {
    for (const int64_t k : {1, 16, 100, 4096}) {
        const double fp32 = tolerance(Assumption::worst_case, k, 1).relative;
        const double tf32 = tolerance(Assumption::worst_case, k, 1, Arithmetic::tf32).relative;
        EXPECT_GE(tf32, fp32 + 0x1p-10);
        EXPECT_LE(tf32, fp32 + 0x1p-10 + 2.5 * static_cast<double>(k) * 0x1p-24);
        EXPECT_LE(tolerance(Assumption::random, k, 1, Arithmetic::tf32).relative, tf32 * 1.001);
    }
    EXPECT_LT(tolerance(Assumption::random, 4096, 1, Arithmetic::tf32).relative, 0x1p-12)
        << "independent roundings cancel: a product left out of 4096 must not pass";
}

TEST(Tf32x3Tolerance, DoesNotGrowWithKBeyondFp32s) {
    const auto above_fp32 = [](int64_t k) {
        return tolerance(Assumption::random, k, 1, Arithmetic::tf32x3).relative -
               tolerance(Assumption::random, k, 1).relative;
    };
    EXPECT_LT(above_fp32(8), above_fp32(64));
    EXPECT_DOUBLE_EQ(above_fp32(64), above_fp32(1 << 20));
}

TEST(Tf32Tolerance, IsNoneWhereNothingIsMultipliedOrRounded) {
    EXPECT_EQ(tolerance(Assumption::exact, 100, 1, Arithmetic::tf32).relative, 0);
    EXPECT_EQ(tolerance(Assumption::random, 0, 1, Arithmetic::tf32).relative,
              tolerance(Assumption::random, 0, 1).relative);
}

}  // namespace
}  // namespace tilewright::reference
