// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Operands that are prepared for products to come: the bits are those of products without.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/memory.h"
#include "engine/product.h"

namespace tilewright::test {
namespace {

constexpr tilewright_compute_t kModes[] = {TILEWRIGHT_COMPUTE_FP16X3, TILEWRIGHT_COMPUTE_BF16X6,
                                           TILEWRIGHT_COMPUTE_BF16X9, TILEWRIGHT_COMPUTE_TF32};

struct Case {
    tilewright_layout_t layout;
    tilewright_operation_t ta, tb;
    int64_t m, n, k;
};

/// A row-major or column-major matrix whose op() is rows x cols.
struct Matrix {
    Matrix(const Case& c, tilewright_operation_t op, int64_t rows, int64_t cols, uint32_t seed)
        : op(op),
          rows(rows),
          cols(cols),
          ld((c.layout == TILEWRIGHT_ROW_MAJOR) == (op == TILEWRIGHT_OP_N) ? cols : rows),
          memory(rows * cols) {
        std::mt19937 random(seed);
        for (int64_t i = 0; i < rows * cols; ++i) {
            const float size = std::ldexp(1.0f, static_cast<int>(random() % 8));
            memory.data()[i] = size * (static_cast<float>(random() % 2000) / 1000 - 1);
        }
        memory.data()[rows * cols / 2] = 1e30f;  // a row and a column are left to FP32
    }
    tilewright_status_t prepare(tilewright_handle_t handle, const Case& c, tilewright_side_t side,
                                tilewright_operand_t* operand) {
        return tilewright_prepare(handle, c.layout, side, op, rows, cols, memory.data(), ld,
                                  operand);
    }

    tilewright_operation_t op;
    int64_t rows, cols, ld;
    Memory memory;
};

class Operands {
  public:
    explicit Operands(const Case& c)
        : case_(c), a(c, c.ta, c.m, c.k, 1), b(c, c.tb, c.k, c.n, 2), c_(c.m * c.n) {}

    tilewright_status_t run(tilewright_handle_t handle, tilewright_operand_t prepared_a,
                            tilewright_operand_t prepared_b) {
        const float alpha = 0.5f, beta = 0.0f;
        c_.restore();
        const auto status = tilewright_sgemm_prepared(
            handle, case_.layout, case_.ta, case_.tb, case_.m, case_.n, case_.k, &alpha,
            a.memory.data(), a.ld, prepared_a, b.memory.data(), b.ld, prepared_b, &beta, c_.data(),
            case_.layout == TILEWRIGHT_ROW_MAJOR ? case_.n : case_.m);
        wait();
        return status;
    }
    std::vector<uint32_t> bits() const {
        std::vector<uint32_t> result;
        for (int64_t i = 0; i < c_.elements(); ++i)
            result.push_back(std::bit_cast<uint32_t>(c_.data()[i]));
        return result;
    }

  private:
    Case case_;

  public:
    Matrix a, b;

  private:
    Memory c_;
};

std::string error_of(tilewright_handle_t handle) {
    return tilewright_last_error(handle);
}

/// Every kernel that the handle's device has for its mode.
std::vector<std::string> kernels_of(Arithmetic mode) {
    std::vector<std::string> names;
    for (const std::string& name : variant_names())
        if (arithmetic_of(name) == mode) names.push_back(name);
    return names;
}

TEST(PreparedOperand, GivesTheBitsOfProductsWithout) {
    const Handle handle;
    const auto n = TILEWRIGHT_OP_N, t = TILEWRIGHT_OP_T;
    for (const tilewright_compute_t mode : kModes) {
        if (tilewright_set_compute(handle, mode) != TILEWRIGHT_STATUS_SUCCESS) continue;
        for (const Case& c : {Case{TILEWRIGHT_ROW_MAJOR, n, n, 70, 40, 130},
                              Case{TILEWRIGHT_COL_MAJOR, n, t, 20, 60, 129},
                              Case{TILEWRIGHT_ROW_MAJOR, t, t, 17, 9, 64}}) {
            Operands operands(c);
            tilewright_operand_t a = nullptr, b = nullptr;
            ASSERT_EQ(operands.a.prepare(handle, c, TILEWRIGHT_LEFT, &a), TILEWRIGHT_STATUS_SUCCESS)
                << error_of(handle);
            ASSERT_EQ(operands.b.prepare(handle, c, TILEWRIGHT_RIGHT, &b),
                      TILEWRIGHT_STATUS_SUCCESS)
                << error_of(handle);
            for (const std::string& kernel : kernels_of(static_cast<Arithmetic>(mode))) {
                ASSERT_EQ(tilewright_set_kernel(handle, kernel.c_str()), TILEWRIGHT_STATUS_SUCCESS);
                ASSERT_EQ(operands.run(handle, nullptr, nullptr), TILEWRIGHT_STATUS_SUCCESS)
                    << error_of(handle);
                const auto bits = operands.bits();
                for (const auto& [left, right] : {std::pair(a, b), {a, nullptr}, {nullptr, b}}) {
                    ASSERT_EQ(operands.run(handle, left, right), TILEWRIGHT_STATUS_SUCCESS)
                        << error_of(handle);
                    EXPECT_EQ(operands.bits(), bits) << kernel;
                }
            }
            ASSERT_EQ(tilewright_set_kernel(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
            EXPECT_EQ(tilewright_release(handle, a), TILEWRIGHT_STATUS_SUCCESS);
            EXPECT_EQ(tilewright_release(handle, b), TILEWRIGHT_STATUS_SUCCESS);
        }
    }
}

TEST(PreparedOperand, IsRefusedForAnotherProduct) {
    const Handle handle, other;
    if (tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP16X3) != TILEWRIGHT_STATUS_SUCCESS)
        GTEST_SKIP() << error_of(handle);
    const Case square{TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, 64, 64, 64};
    Operands operands(square), others(square);
    tilewright_operand_t a = nullptr;
    ASSERT_EQ(operands.a.prepare(handle, square, TILEWRIGHT_LEFT, &a), TILEWRIGHT_STATUS_SUCCESS);
    const auto refused = [&](Operands& of, tilewright_operand_t left, tilewright_operand_t right,
                             const std::string& why) {
        EXPECT_EQ(of.run(handle, left, right), TILEWRIGHT_STATUS_INVALID_VALUE);
        EXPECT_EQ(error_of(handle), why);
    };
    refused(others, a, nullptr, "prepared_a was prepared of another matrix than the call's");
    refused(operands, nullptr, a,
            "prepared_b was prepared for the other side of the product, or layout");
    ASSERT_EQ(tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP32), TILEWRIGHT_STATUS_SUCCESS);
    refused(operands, a, nullptr,
            "prepared_a was prepared in compute mode fp16x3, and the handle's is fp32");
    ASSERT_EQ(tilewright_set_compute(other, TILEWRIGHT_COMPUTE_FP16X3), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(operands.run(other, a, nullptr), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(other), "prepared_a was prepared with another handle, or was released");
    EXPECT_EQ(tilewright_release(other, a), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(other), "operand was prepared with another handle, or was released");
    EXPECT_EQ(tilewright_release(handle, a), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(tilewright_release(handle, a), TILEWRIGHT_STATUS_INVALID_VALUE);
    ASSERT_EQ(tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP16X3), TILEWRIGHT_STATUS_SUCCESS);
    refused(operands, a, nullptr, "prepared_a was prepared with another handle, or was released");
    EXPECT_EQ(tilewright_release(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
}

TEST(PreparedOperand, IsNotMadeOfBadArguments) {
    const Handle handle;
    float x[4] = {};
    auto* operand = reinterpret_cast<tilewright_operand_t>(x);
    const auto prepare = [&](int side, int64_t rows, int64_t ld, const float* data) {
        return tilewright_prepare(handle, TILEWRIGHT_ROW_MAJOR,
                                  static_cast<tilewright_side_t>(side), TILEWRIGHT_OP_N, rows, 2,
                                  data, ld, &operand);
    };
    EXPECT_EQ(prepare(TILEWRIGHT_LEFT, 2, 2, x), TILEWRIGHT_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(error_of(handle), "in compute mode fp32 nothing is to be prepared");
    EXPECT_EQ(operand, nullptr);
    operand = reinterpret_cast<tilewright_operand_t>(x);
    EXPECT_EQ(prepare(140, 2, 2, x), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(operand, nullptr) << "after any failure";
    EXPECT_EQ(error_of(handle), "side = 140: 141 (left) and 142 (right) are sides");
    if (tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP16X3) != TILEWRIGHT_STATUS_SUCCESS)
        return;
    EXPECT_EQ(prepare(TILEWRIGHT_LEFT, -1, 2, x), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(prepare(TILEWRIGHT_LEFT, 2, 1, x), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(prepare(TILEWRIGHT_RIGHT, 2, 2, nullptr), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(handle), "B is a null pointer");
}

TEST(PreparedOperand, MayBeEmpty) {
    const Handle handle;
    if (tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP16X3) != TILEWRIGHT_STATUS_SUCCESS)
        GTEST_SKIP() << error_of(handle);
    for (const auto side : {TILEWRIGHT_LEFT, TILEWRIGHT_RIGHT})
        for (const auto& [rows, cols] : {std::pair(0, 64), {64, 0}, {0, 0}}) {
            tilewright_operand_t operand = nullptr;
            EXPECT_EQ(tilewright_prepare(handle, TILEWRIGHT_ROW_MAJOR, side, TILEWRIGHT_OP_N, rows,
                                         cols, nullptr, 64, &operand),
                      TILEWRIGHT_STATUS_SUCCESS)
                << error_of(handle);
            EXPECT_EQ(tilewright_release(handle, operand), TILEWRIGHT_STATUS_SUCCESS);
        }
}

TEST(PreparedOperand, MayBeAVectorOfAnyLength) {
    const Handle handle;
    const float x = 0.0f;
    const int64_t length = int64_t{1} << 40;
    tilewright_operand_t operand = nullptr;
    for (const auto layout : {TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_COL_MAJOR})
        for (const auto side : {TILEWRIGHT_LEFT, TILEWRIGHT_RIGHT})
            for (const auto& [rows, cols] : {std::pair(int64_t{1}, length), {length, int64_t{1}}}) {
                const int64_t ld = layout == TILEWRIGHT_ROW_MAJOR ? cols : rows;
                tilewright_prepare(handle, layout, side, TILEWRIGHT_OP_N, rows, cols, &x, ld,
                                   &operand);
                // That is: all arguments are good.
                EXPECT_EQ(error_of(handle), "in compute mode fp32 nothing is to be prepared");
            }
}

}  // namespace
}  // namespace tilewright::test
