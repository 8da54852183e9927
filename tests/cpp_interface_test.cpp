// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The C++ interface, in CPU mode, with the library as it is installed. What products are worth is
// tested elsewhere: here, that each argument comes to its place.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tilewright/tilewright.hpp"

namespace {

using tilewright::Compute;
using tilewright::Error;
using tilewright::Handle;
using tilewright::Layout;
using tilewright::Operation;
using tilewright::PointerMode;

static_assert(!std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>);
static_assert(std::is_nothrow_move_constructible_v<Handle>);
static_assert(std::is_nothrow_move_assignable_v<Handle>);

class CppInterface : public testing::Test {
  protected:
    static void SetUpTestSuite() { setenv("TILEWRIGHT_DEVICE", "cpu", 1); }
};

template <class Call>
std::string message_of(const Call& call, tilewright_status_t status) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), status);
        return error.what();
    }
    ADD_FAILURE() << "no Error";
    return "";
}

TEST_F(CppInterface, TheVersionIsTheHeaders) {
    EXPECT_EQ(tilewright::version(), TILEWRIGHT_VERSION_MAJOR * 10000 +
                                         TILEWRIGHT_VERSION_MINOR * 100 + TILEWRIGHT_VERSION_PATCH);
}

TEST_F(CppInterface, PreparedOperandsAreMovedAndReleased) {
    constexpr int kSize = 64;
    const std::vector<float> A(kSize * kSize, 1), B(kSize * kSize, 2);
    std::vector<float> C(kSize * kSize);
    Handle handle;
    handle.set_compute(Compute::fp16x3);
    const tilewright::Matrix a{A.data(), kSize}, b{B.data(), kSize};
    auto weights = handle.prepare(Layout::row_major, tilewright::Side::right, kSize, kSize, b);
    const auto moved = std::move(weights);
    EXPECT_EQ(weights.get(), nullptr);
    handle.sgemm_prepared(Layout::row_major, kSize, kSize, kSize, 1, a, nullptr, b, &moved, 0,
                          {C.data(), kSize});
    EXPECT_EQ(C, std::vector<float>(kSize * kSize, 2 * kSize));
    EXPECT_NE(message_of(
                  [&] {
                      handle.sgemm_prepared(Layout::row_major, kSize, kSize, kSize, 1, a, &moved, b,
                                            nullptr, 0, {C.data(), kSize});
                  },
                  TILEWRIGHT_STATUS_INVALID_VALUE)
                  .find("prepared_a was prepared for the other side"),
              std::string::npos);
}

TEST_F(CppInterface, BothOrdersOfArgumentsMeanTheSame) {
    // Row by row: A is 2 x 3, and B, 4 x 3 in memory, is transposed. Rows of C are 5 apart.
    const std::vector<float> A = {1, 2, 3, 4, 5, 6};
    const std::vector<float> B = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    const std::vector<float> expected = {12, 14, 16, 22, 9, 18, 20, 22, 40, 9};
    std::vector<float> first(10, 10), second(10, 10);
    first[4] = first[9] = second[4] = second[9] = 9;
    Handle handle;
    handle.sgemm(Layout::row_major, 2, 4, 3, 2, {A.data(), 3}, {B.data(), 3, Operation::transpose},
                 1, {first.data(), 5});
    const float alpha = 2, beta = 1;
    handle.sgemm(Layout::row_major, Operation::none, Operation::transpose, 2, 4, 3, &alpha,
                 A.data(), 3, B.data(), 3, &beta, second.data(), 5);
    EXPECT_EQ(first, expected);
    EXPECT_EQ(second, expected);
    EXPECT_NE(handle.last_kernel(), "none");
}

TEST_F(CppInterface, BatchesHaveStrides) {
    // Column by column, 1 x 1: C[i] := A[2 i] * B[0].
    const std::vector<float> A = {1, -1, 2, -1, 3}, B = {5};
    const std::vector<float> expected = {5, 0, 0, 10, 0, 0, 15};
    std::vector<float> first(7), second(7);
    Handle handle;
    handle.sgemm_strided_batched(Layout::col_major, 1, 1, 1, 1, {A.data(), 1, Operation::none, 2},
                                 {B.data(), 1}, 0, {first.data(), 1, 3}, 3);
    handle.sgemm_strided_batched(Layout::col_major, Operation::none, Operation::none, 1, 1, 1, 1,
                                 A.data(), 1, 2, B.data(), 1, 0, 0, second.data(), 1, 3, 3);
    EXPECT_EQ(first, expected);
    EXPECT_EQ(second, expected);
}

TEST_F(CppInterface, SettingsAreKept) {
    Handle handle;
    EXPECT_EQ(handle.stream(), nullptr);
    EXPECT_EQ(handle.compute(), Compute::fp32);
    handle.set_compute(Compute::fp16x3);
    EXPECT_EQ(handle.compute(), Compute::fp16x3);
    message_of([&] { handle.set_compute(static_cast<Compute>(99)); },
               TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(handle.compute(), Compute::fp16x3);
    EXPECT_EQ(handle.pointer_mode(), PointerMode::host);
    handle.set_pointer_mode(PointerMode::device);
    EXPECT_EQ(handle.pointer_mode(), PointerMode::device);
    EXPECT_GE(handle.workspace_size(Layout::row_major, Operation::none, Operation::none, 8, 8, 8),
              0u);
    handle.set_workspace(nullptr, 0);
}

TEST_F(CppInterface, ErrorsNameTheArgument) {
    Handle handle;
    float C[4] = {};
    const auto short_rows = [&] {
        handle.sgemm(Layout::row_major, 2, 2, 0, 1, {nullptr, 1}, {nullptr, 2}, 0, {C, 1});
    };
    const std::string message = message_of(short_rows, TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(message.find("TILEWRIGHT_STATUS_INVALID_VALUE: ldc = 1"), 0u) << message;
    message_of([&] { handle.set_kernel("no such kernel"); }, TILEWRIGHT_STATUS_INVALID_VALUE);
}

TEST_F(CppInterface, ANumberIsNoDevicePointer) {
    Handle handle;
    handle.set_pointer_mode(PointerMode::device);
    float C[1] = {};
    const float alpha = 1;
    const auto with_number = [&] {
        handle.sgemm(Layout::row_major, 1, 1, 0, &alpha, {nullptr, 1}, {nullptr, 1}, 0, {C, 1});
    };
    const std::string message = message_of(with_number, TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_NE(message.find("beta is a number"), std::string::npos) << message;
}

TEST_F(CppInterface, HandlesMoveAndTheirLogsWithThem) {
    std::vector<std::string> lines;
    float C[1] = {7};
    Handle first;
    first.set_log([&](const char* line) {
        lines.emplace_back(line);
        throw std::runtime_error("is lost");
    });
    Handle second = std::move(first);
    EXPECT_EQ(first.get(), nullptr);
    message_of([&] { first.set_stream(nullptr); }, TILEWRIGHT_STATUS_NOT_INITIALIZED);
    const auto clear = [&] {
        second.sgemm(Layout::row_major, 1, 1, 0, 0, {nullptr, 1}, {nullptr, 1}, 0, {C, 1});
    };
    clear();
    EXPECT_EQ(C[0], 0.0f);
    EXPECT_EQ(lines.size(), 1u);
    second.set_log(nullptr);
    clear();
    EXPECT_EQ(lines.size(), 1u);
    second = Handle();
    clear();
}

}  // namespace
