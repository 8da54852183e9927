// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the BLAS's words mean at their edges: when nothing is read, what infinities and NaNs become,
// batches and strides of all kinds. Of every kernel where kernels could differ.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/ways.h"

namespace tilewright::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Where nothing must be read, Prepared leaves NaNs: 0 * NaN would show.
TEST(Semantics, BetaOfZeroNeverReadsC) {
    for (const float beta : {0.0f, -0.0f}) {
        expect_right_in_every_way({.m = 1, .n = 1, .k = 1, .beta = beta});
        expect_right_in_every_way({.m = 33, .n = 17, .k = 65, .beta = beta});
        expect_right_in_every_way({.columns = true, .m = 33, .n = 20, .k = 0, .beta = beta});
        expect_right_in_every_way({.m = 5, .n = 8, .k = 4, .alpha = 0, .beta = beta});
        expect_right_in_every_way({.m = 4, .n = 4, .k = 500, .beta = beta});
    }
}

TEST(Semantics, WithoutProductsCIsScaled) {
    for (const float beta : {2.0f, 1.0f, -1.0f, 0.0f, kInf, kNan}) {
        expect_right_in_every_way({.m = 3, .n = 3, .k = 0, .beta = beta});
        expect_right_in_every_way({.m = 17, .n = 20, .k = 20, .alpha = 0, .beta = beta});
        expect_right_in_every_way(
            {.m = 5, .n = 7, .k = 9, .batch = 3, .alpha = -0.0f, .beta = beta});
    }
}

TEST(Semantics, AlphaDoesNotMatterWhereKIsZero) {
    for (const float alpha : {kInf, -kInf, kNan})
        for (const float beta : {0.0f, 2.0f})
            expect_right_in_every_way({.m = 5, .n = 6, .k = 0, .alpha = alpha, .beta = beta});
}

TEST(Semantics, InfinitiesAndNansGoThrough) {
    for (uint32_t seed = 1; seed <= 4; ++seed)
        expect_right_in_every_way({.ta = seed % 2 ? TILEWRIGHT_OP_N : TILEWRIGHT_OP_T,
                                   .tb = seed / 2 % 2 ? TILEWRIGHT_OP_N : TILEWRIGHT_OP_T,
                                   .m = 18,
                                   .n = 21,
                                   .k = 5,
                                   .beta = 1,
                                   .data = Data::special,
                                   .seed = seed});
    expect_right_in_every_way({.m = 4, .n = 4, .k = 2, .alpha = kInf});
    expect_right_in_every_way({.m = 4, .n = 4, .k = 2, .alpha = kNan, .beta = 1});
}

/// One product of two numbers, with the library's choice and every kernel.
void expect_product(float a, float b, float want) {
    Handle handle;
    Memory A(1), B(1), C(1);
    const float one = 1, zero = 0;
    for (const std::string& kernel : ways()) {
        A.data()[0] = a, B.data()[0] = b, C.data()[0] = kNan;
        const auto taken = take_kernel(handle, kernel);
        if (taken == TILEWRIGHT_STATUS_NOT_SUPPORTED) continue;  // the mode, by this device
        ASSERT_EQ(taken, TILEWRIGHT_STATUS_SUCCESS) << kernel;
        const auto status =
            tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, 1, 1,
                             1, &one, A.data(), 1, B.data(), 1, &zero, C.data(), 1);
        wait();
        if (status == TILEWRIGHT_STATUS_NOT_SUPPORTED && !kernel.empty()) continue;
        ASSERT_EQ(status, TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        if (std::isnan(want))
            EXPECT_TRUE(std::isnan(C.data()[0])) << a << " * " << b << ' ' << kernel;
        else
            EXPECT_EQ(C.data()[0], want) << a << " * " << b << ' ' << kernel;
    }
}

TEST(Semantics, SingleProductsAreThoseOfFp32) {
    expect_product(kInf, 0, kNan);
    expect_product(0, kNan, kNan);
    expect_product(std::bit_cast<float>(0x7f800001u), 1, kNan);  // a payload in low bits alone
    expect_product(kInf, 1, kInf);
    expect_product(3.4e38f, 1, 3.4e38f);
    expect_product(3.4e38f, 2, kInf);
    expect_product(0x1p-140f, 1, 0x1p-140f);  // denormals
    expect_product(1e-38f, 0x1p-3f, 1e-38f * 0x1p-3f);
    expect_product(0x1p-100f, 0x1p-49f, 0x1p-149f);
    expect_product(1024.5f, 1, 1024.5f);  // more digits than TF32 keeps
    expect_product(1 + 0x1p-12f, 1, 1 + 0x1p-12f);
    expect_product(1 + 0x1p-23f, 1 + 0x1p-23f, 1 + 0x1p-22f);
}

TEST(Semantics, NothingIsDoneWhereNothingIsAsked) {
    Handle handle;
    for (const int empty : {0, 1, 2, 3}) {
        Product p{.m = empty == 0 ? 0 : 5,
                  .n = empty == 1 ? 0 : 5,
                  .k = 5,
                  .batch = empty >= 2 ? 0 : 2,
                  .beta = 2};
        if (empty == 3) p.m = p.n = 0;
        Prepared prepared(p);
        EXPECT_EQ(prepared.run(handle), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        EXPECT_TRUE(prepared.is_untouched());
        EXPECT_STREQ(tilewright_last_kernel(handle), "none");
    }
}

TEST(Semantics, LayoutAndTransposesArePairsOfDifferentPrimes) {
    Handle handle;
    for (const bool columns : {false, true})
        for (const auto ta : {TILEWRIGHT_OP_N, TILEWRIGHT_OP_T, TILEWRIGHT_OP_C})
            for (const auto tb : {TILEWRIGHT_OP_N, TILEWRIGHT_OP_T, TILEWRIGHT_OP_C})
                for (const bool single : {false, true}) {
                    const Product p{.columns = columns,
                                    .ta = ta,
                                    .tb = tb,
                                    .m = 2,
                                    .n = 3,
                                    .k = 5,
                                    .batch = single ? 1 : 7,
                                    .alpha = 2,
                                    .beta = -1,
                                    .a = {.slack = 6},
                                    .b = {.slack = 8},
                                    .c = {.slack = 10},
                                    .single = single};
                    EXPECT_EQ(fault_of(handle, p), "") << describe(p);
                }
}

TEST(Semantics, OneCallIsOneUpdate) {
    Handle handle;
    const Product p{.m = 64, .n = 64, .k = 64, .beta = 1};
    Prepared prepared(p);
    ASSERT_EQ(prepared.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(prepared.fault(), "");
    const auto once = prepared.bits();
    ASSERT_EQ(prepared.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_NE(prepared.bits(), once);  // and the second one is another
}

TEST(Semantics, LongSumsAndPartsOfThemStayWithinTheBound) {
    Handle handle;
    for (const std::string& kernel : ways()) {
        const int64_t k = kernel.empty() ? 65536 : 2003;
        const Product p{.m = 8, .n = 8, .k = k, .data = Data::uniform, .kernel = kernel};
        EXPECT_EQ(fault_of(handle, p), "") << describe(p);
    }
}

}  // namespace
}  // namespace tilewright::test
