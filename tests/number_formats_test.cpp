// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The numbers that tensor cores multiply, in CPU mode: what is rounded to them, and how.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "device/kernel.h"

namespace tilewright {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Tf32, IsTheNearestOfElevenBits) {
    EXPECT_EQ(to_tf32(1 + 0x1p-10f), 1 + 0x1p-10f);
    EXPECT_EQ(to_tf32(1 + 0x1.8p-11f), 1 + 0x1p-10f);
    EXPECT_EQ(to_tf32(1 + 0x1.fp-12f), 1);
    EXPECT_EQ(to_tf32(1 + 0x1p-11f), 1 + 0x1p-10f) << "of two, the one away from zero";
    EXPECT_EQ(to_tf32(-1 - 0x1p-11f), -1 - 0x1p-10f);
    EXPECT_EQ(to_tf32(2 - 0x1p-23f), 2) << "a carry into the exponent";
    EXPECT_EQ(to_tf32(0x1p-130f), 0x1p-130f) << "denormals are kept";
    EXPECT_EQ(std::bit_cast<uint32_t>(to_tf32(-0.0f)), 0x80000000u);
}

TEST(Tf32, HasInfinityBeyondItsLargest) {
    EXPECT_EQ(to_tf32(0x1.ffcp127f), 0x1.ffcp127f);
    EXPECT_EQ(to_tf32(std::numeric_limits<float>::max()), kInfinity);
    EXPECT_EQ(to_tf32(-std::numeric_limits<float>::max()), -kInfinity);
    EXPECT_EQ(to_tf32(kInfinity), kInfinity);
    EXPECT_TRUE(std::isnan(to_tf32(std::bit_cast<float>(0x7f800001u))));
}

TEST(F16, IsTheNearestOfElevenBits) {
    EXPECT_EQ(to_f16(1 + 0x1p-10f), 1 + 0x1p-10f);
    EXPECT_EQ(to_f16(1 + 0x1p-11f), 1) << "of two, the even one";
    EXPECT_EQ(to_f16(1 + 0x3p-11f), 1 + 0x1p-9f);
    EXPECT_EQ(to_f16(-1 - 0x1.8p-11f), -1 - 0x1p-10f);
    EXPECT_EQ(to_f16(2 - 0x1p-23f), 2) << "a carry into the exponent";
    EXPECT_EQ(to_f16(0x1.8p-24f), 0x1p-23f) << "denormals are kept";
    EXPECT_EQ(to_f16(0x1p-25f), 0);
    EXPECT_EQ(to_f16(0x1.1p-25f), 0x1p-24f);
    EXPECT_EQ(std::bit_cast<uint32_t>(to_f16(-0.0f)), 0x80000000u);
    EXPECT_EQ(std::bit_cast<uint32_t>(to_f16(-0x1p-30f)), 0x80000000u);
    EXPECT_EQ(to_f16(65504), 65504);
    EXPECT_EQ(to_f16(65519.996f), 65504);
    EXPECT_EQ(to_f16(-65520), -kInfinity);
    EXPECT_EQ(to_f16(kInfinity), kInfinity);
    EXPECT_TRUE(std::isnan(to_f16(std::bit_cast<float>(0x7f800001u))));
}

TEST(Bf16, IsTheNearestOfEightBits) {
    EXPECT_EQ(to_bf16(1 + 0x1p-7f), 1 + 0x1p-7f);
    EXPECT_EQ(to_bf16(1 + 0x1p-8f), 1) << "of two, the even one";
    EXPECT_EQ(to_bf16(1 + 0x3p-8f), 1 + 0x1p-6f);
    EXPECT_EQ(to_bf16(-1 - 0x1.8p-8f), -1 - 0x1p-7f);
    EXPECT_EQ(to_bf16(0x1p-133f), 0x1p-133f) << "denormals are kept";
    EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()), kInfinity);
    EXPECT_TRUE(std::isnan(to_bf16(std::bit_cast<float>(0x7f800001u))));
}

uint32_t bits(float word) {
    return std::bit_cast<uint32_t>(word);
}

TEST(Pack, PutsTheFirstIntoTheLowerHalf) {
    EXPECT_EQ(bits(pack_f16(1, -2)), 0xc0003c00u);
    EXPECT_EQ(bits(pack_f16(0x1p-24f, 65504)), 0x7bff0001u);
    EXPECT_EQ(bits(pack_f16(0x3p-24f, -0x1p-14f)), 0x84000003u);
    EXPECT_EQ(bits(pack_f16(kInfinity, 1e9f)), 0x7c007c00u);
    EXPECT_EQ(bits(pack_f16(std::nanf(""), 0)) & 0xffff, 0x7fffu);
    EXPECT_EQ(bits(pack_bf16(1, -2)), 0xc0003f80u);
    EXPECT_EQ(bits(pack_bf16(-0.0f, std::nanf(""))), 0x7fff8000u);
}

}  // namespace
}  // namespace tilewright
