// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is refused, in which order, and with which words: a status of cuBLAS's value, and a sentence
// that names the argument and its value. Nothing is written then.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>

#include "engine/memory.h"

namespace tilewright::test {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

/// A good call of tilewright_sgemm_strided_batched, of which a test spoils an argument.
struct Arguments {
    int layout = TILEWRIGHT_ROW_MAJOR, ta = TILEWRIGHT_OP_N, tb = TILEWRIGHT_OP_N;
    int64_t m = 2, n = 3, k = 4;
    const float *alpha = nullptr, *A = nullptr;
    int64_t lda = 4, stride_a = 8;
    const float* B = nullptr;
    int64_t ldb = 3, stride_b = 12;
    const float* beta = nullptr;
    float* C = nullptr;
    int64_t ldc = 3, stride_c = 6, batch = 2;
};

class Refused : public testing::Test {
  protected:
    Refused() {
        scalars.data()[0] = 1, scalars.data()[1] = 2;
        for (Memory* memory : {&a, &b})
            for (int64_t i = 0; i < memory->elements(); ++i) memory->data()[i] = 1;
        good.alpha = scalars.data(), good.beta = scalars.data() + 1;
        good.A = a.data(), good.B = b.data(), good.C = c.data();
    }

    static tilewright_status_t call(tilewright_handle_t handle, const Arguments& x) {
        return tilewright_sgemm_strided_batched(
            handle, static_cast<tilewright_layout_t>(x.layout),
            static_cast<tilewright_operation_t>(x.ta), static_cast<tilewright_operation_t>(x.tb),
            x.m, x.n, x.k, x.alpha, x.A, x.lda, x.stride_a, x.B, x.ldb, x.stride_b, x.beta, x.C,
            x.ldc, x.stride_c, x.batch);
    }
    using Spoil = std::function<void(Arguments&)>;

    /// INVALID_VALUE, the sentence begins with these words, and C is as it was.
    void expect_refused(const std::string& words, const Spoil& spoil) {
        Arguments x = good;
        spoil(x);
        EXPECT_EQ(call(handle, x), TILEWRIGHT_STATUS_INVALID_VALUE) << words;
        const std::string error = tilewright_last_error(handle);
        EXPECT_EQ(error.substr(0, words.size()), words) << error;
        wait();
        for (int64_t i = c.first(); i < c.last(); ++i) ASSERT_FALSE(c.was_changed(i)) << words;
    }
    void expect_taken(const Spoil& spoil) {
        Arguments x = good;
        spoil(x);
        EXPECT_EQ(call(handle, x), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        EXPECT_STREQ(tilewright_last_error(handle), "");
        wait();
    }

    Handle handle;
    Memory a{64}, b{64}, c{64}, scalars{2};
    Arguments good;
};

TEST_F(Refused, NamesTheArgumentAndItsValue) {
    expect_refused("layout = 100", [](auto& x) { x.layout = 100; });
    expect_refused("layout = 0", [](auto& x) { x.layout = 0; });
    expect_refused("layout = 103", [](auto& x) { x.layout = 103; });
    for (const int operation : {3, -1, 7, int{'N'}, int{'t'}, 111, 112}) {
        const std::string value = std::to_string(operation);
        expect_refused("ta = " + value, [=](auto& x) { x.ta = operation; });
        expect_refused("tb = " + value, [=](auto& x) { x.tb = operation; });
    }
    for (const int64_t size : {int64_t{-1}, -(int64_t{1} << 32), kLeast}) {
        const std::string value = std::to_string(size);
        expect_refused("m = " + value, [=](auto& x) { x.m = size; });
        expect_refused("n = " + value, [=](auto& x) { x.n = size; });
        expect_refused("k = " + value, [=](auto& x) { x.k = size; });
        expect_refused("batch_count = " + value, [=](auto& x) { x.batch = size; });
        expect_refused("lda = " + value, [=](auto& x) { x.lda = size; });
        expect_refused("ldb = " + value, [=](auto& x) { x.ldb = size; });
        expect_refused("ldc = " + value, [=](auto& x) { x.ldc = size; });
    }
    expect_refused("alpha is a null pointer", [](auto& x) { x.alpha = nullptr; });
    expect_refused("beta is a null pointer", [](auto& x) { x.beta = nullptr; });
    expect_refused("A is a null pointer", [](auto& x) { x.A = nullptr; });
    expect_refused("B is a null pointer", [](auto& x) { x.B = nullptr; });
    expect_refused("C is a null pointer", [](auto& x) { x.C = nullptr; });
    expect_refused("stride_c = 0 with batch_count = 2", [](auto& x) { x.stride_c = 0; });
}

TEST_F(Refused, PointersOffAFloatsBoundary) {
    const auto off = [](const void* p) {
        return reinterpret_cast<float*>(reinterpret_cast<uintptr_t>(p) + 2);
    };
    expect_refused("A is not on 4 bytes", [&](auto& x) { x.A = off(x.A); });
    expect_refused("B is not on 4 bytes", [&](auto& x) { x.B = off(x.B); });
    expect_refused("C is not on 4 bytes", [&](auto& x) { x.C = off(x.C); });
}

TEST_F(Refused, LeadingDimensionsShorterThanWhatIsStored) {
    for (const bool columns : {false, true})
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                Arguments x = good;
                x.layout = columns ? TILEWRIGHT_COL_MAJOR : TILEWRIGHT_ROW_MAJOR;
                x.ta = ta, x.tb = tb;
                const int64_t a_length = columns == ta ? x.k : x.m;
                const int64_t b_length = columns == tb ? x.n : x.k;
                const int64_t c_length = columns ? x.m : x.n;
                x.lda = a_length, x.ldb = b_length, x.ldc = c_length;
                expect_taken([&](auto& y) { y = x; });
                c.restore();
                const auto value = [](int64_t v) { return std::to_string(v - 1); };
                expect_refused("lda = " + value(a_length), [&](auto& y) { y = x, --y.lda; });
                expect_refused("ldb = " + value(b_length), [&](auto& y) { y = x, --y.ldb; });
                expect_refused("ldc = " + value(c_length), [&](auto& y) { y = x, --y.ldc; });
            }
}

TEST_F(Refused, WhatIsEmptyIsCheckedToo) {
    for (const auto& empty :
         {Spoil([](auto& x) { x.m = 0; }), Spoil([](auto& x) { x.n = 0; }),
          Spoil([](auto& x) { x.batch = 0; }), Spoil([](auto& x) { x.k = 0; })}) {
        expect_refused("lda = 0", [&](auto& x) { empty(x), x.lda = 0; });
        expect_refused("ldb = 0", [&](auto& x) { empty(x), x.ldb = 0; });
        expect_refused("ldc = 0", [&](auto& x) { empty(x), x.ldc = 0; });
        expect_refused("ta = 5", [&](auto& x) { empty(x), x.ta = 5; });
    }
    expect_refused("lda = 1", [](auto& x) { x.m = x.n = 0, x.lda = 1; });  // k is 4
    expect_taken([](auto& x) { x.m = x.n = x.k = 0, x.lda = x.ldb = x.ldc = 1; });
    expect_refused("lda = 0", [](auto& x) { x.m = x.n = x.k = 0, x.lda = x.ldb = x.ldc = 0; });
    expect_refused("n = -1", [](auto& x) { x.m = 0, x.n = -1; });
    expect_refused("batch_count = -1", [](auto& x) { x.m = 0, x.batch = -1; });
}

TEST_F(Refused, WhatIsNotReadMayBeNull) {
    const float zero = 0;
    expect_taken([&](auto& x) { x.alpha = &zero, x.A = x.B = nullptr; });
    expect_taken([](auto& x) { x.k = 0, x.A = x.B = nullptr, x.beta = x.alpha; });
    expect_taken([](auto& x) { x.m = 0, x.A = x.B = nullptr, x.C = nullptr; });
    expect_taken([](auto& x) { x.n = 0, x.A = x.B = nullptr, x.C = nullptr; });
    expect_taken([](auto& x) { x.batch = 0, x.A = x.B = nullptr, x.C = nullptr; });
    expect_taken([](auto& x) { x.batch = 1, x.stride_c = 0; });
    expect_taken([](auto& x) { x.batch = 0, x.stride_c = 0; });
    c.restore();
    expect_refused("C is a null pointer", [](auto& x) { x.k = 0, x.C = nullptr; });
}

TEST_F(Refused, SizesThatAreNeverReadMayBeAnything) {
    const float zero = 0;
    for (const int64_t k : {int64_t{1} << 45, kMost})
        expect_taken([&](auto& x) {
            x.alpha = &zero, x.A = x.B = nullptr, x.k = x.lda = k, x.stride_a = x.stride_b = 0;
        });
    expect_taken([](auto& x) { x.m = 0, x.n = int64_t{1} << 32, x.ldb = x.ldc = kMost; });
}

TEST_F(Refused, SpansThatNoAddressCounts) {
    for (const int64_t size : {int64_t{1} << 61, kMost}) {
        expect_refused("A would span", [=](auto& x) { x.lda = size; });
        expect_refused("B would span", [=](auto& x) { x.ldb = size; });
        expect_refused("C would span", [=](auto& x) { x.ldc = size; });
        expect_refused("A would span", [=](auto& x) { x.stride_a = size; });
        expect_refused("B would span", [=](auto& x) { x.stride_b = -size; });
        expect_refused("C would span", [=](auto& x) { x.stride_c = size; });
        expect_refused("A would span", [=](auto& x) { x.batch = size; });
        expect_refused("A would span", [=](auto& x) { x.m = size; });
    }
    expect_refused("B would span",
                   [](auto& x) { x.m = x.batch = 1, x.k = x.lda = int64_t{1} << 57, x.ldb = 16; });
    expect_refused("A would span", [](auto& x) { x.stride_a = kLeast, x.batch = kMost; });
    expect_refused("A would span", [](auto& x) { x.m = x.lda = x.stride_a = x.batch = kMost; });
}

// The first bad argument in the order of the declaration, whatever else is bad.
TEST_F(Refused, TheFirstBadArgumentIsTheOneNamed) {
    const std::pair<const char*, Spoil> all[] = {
        {"layout = 7", [](auto& x) { x.layout = 7; }},
        {"ta = 7", [](auto& x) { x.ta = 7; }},
        {"tb = 7", [](auto& x) { x.tb = 7; }},
        {"m = -7", [](auto& x) { x.m = -7; }},
        {"n = -7", [](auto& x) { x.n = -7; }},
        {"k = -7", [](auto& x) { x.k = -7; }},
        {"alpha is", [](auto& x) { x.alpha = nullptr; }},
        {"A is", [](auto& x) { x.A = nullptr; }},
        {"lda = -7", [](auto& x) { x.lda = -7; }},
        {"B is", [](auto& x) { x.B = nullptr; }},
        {"ldb = -7", [](auto& x) { x.ldb = -7; }},
        {"beta is", [](auto& x) { x.beta = nullptr; }},
        {"C is", [](auto& x) { x.C = nullptr; }},
        {"ldc = -7", [](auto& x) { x.ldc = -7; }},
        {"stride_c = 0", [](auto& x) { x.stride_c = 0; }},
    };
    const auto count = std::size(all);
    for (size_t i = 0; i < count; ++i)
        for (size_t j = i + 1; j < count; ++j) {
            // Of an empty product no pointer matters.
            const std::string first = all[i].first, second = all[j].first;
            expect_refused(first, [&](auto& x) { all[j].second(x), all[i].second(x); });
        }
}

TEST_F(Refused, TheSingleProductChecksTheSame) {
    const Arguments& x = good;
    const auto single = [&](int64_t m, const float* A, int64_t lda) {
        return tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, m,
                                x.n, x.k, x.alpha, A, lda, x.B, x.ldb, x.beta, x.C, x.ldc);
    };
    EXPECT_EQ(single(-1, x.A, 4), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_STREQ(tilewright_last_error(handle), "m = -1 is negative");
    EXPECT_EQ(single(2, nullptr, 4), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_STREQ(tilewright_last_error(handle), "A is a null pointer");
    EXPECT_EQ(single(2, x.A, 3), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_STREQ(tilewright_last_error(handle),
                 "lda = 3 is less than max(1, 4), the length of a row of A as it is stored");
    EXPECT_EQ(single(2, x.A, 4), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_STREQ(tilewright_last_error(handle), "");
    wait();
}

// What alpha and beta are only the device knows.
TEST_F(Refused, MatricesThatAreThereAreLookedAtWhereAlphaIsTheDevices) {
    ASSERT_EQ(tilewright_set_pointer_mode(handle, 1), TILEWRIGHT_STATUS_SUCCESS);
    expect_refused("A is not on 4 bytes", [](auto& x) {
        x.A = reinterpret_cast<float*>(reinterpret_cast<uintptr_t>(x.A) + 2);
    });
    expect_refused("B would span", [](auto& x) { x.ldb = kMost; });
}

TEST_F(Refused, MatricesMayBeNullWhereAlphaIsTheDevices) {
    scalars.data()[0] = 0;
    ASSERT_EQ(tilewright_set_pointer_mode(handle, 1), TILEWRIGHT_STATUS_SUCCESS);
    for (int64_t i = 0; i < 12; ++i) c.data()[i] = 3;
    expect_taken([](auto& x) { x.A = x.B = nullptr; });
    for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(c.data()[i], 6) << i;
    c.restore();
    expect_refused("alpha is a null pointer", [](auto& x) { x.alpha = nullptr; });
    expect_refused("beta is a null pointer", [](auto& x) { x.beta = nullptr; });
}

}  // namespace
}  // namespace tilewright::test
