// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/tensor.h"

#include <bit>
#include <cmath>

namespace tilewright::simt {

namespace {

constexpr int kWords = 8;  // of one instruction along k
using Words = std::array<float, kWords>;
using Factors = std::array<double, 2 * kWords>;

double from_f16(uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double significand = bits & 1023, sign = bits >> 15 & 1 ? -1 : 1;
    if (exponent == 31) return significand != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign * (exponent == 0 ? std::ldexp(significand, -24)
                                 : std::ldexp(1024 + significand, exponent - 25));
}

/// The factors in a row of words; TF32's as tensor cores see them: they do not look at the bits that
/// TF32 lacks.
Factors factors_in(const Words& words, Factor factor) {
    Factors factors{};
    for (int i = 0; i < kWords; ++i) {
        const auto bits = std::bit_cast<uint32_t>(words[i]);
        if (factor == Factor::tf32) factors[i] = std::bit_cast<float>(bits & ~uint32_t{0x1fff});
        if (factor == Factor::f16)
            factors[2 * i] = from_f16(bits & 0xffff), factors[2 * i + 1] = from_f16(bits >> 16);
        if (factor == Factor::bf16) {
            factors[2 * i] = std::bit_cast<float>(bits << 16);
            factors[2 * i + 1] = std::bit_cast<float>(bits & 0xffff0000u);
        }
    }
    return factors;
}

float add_products(float c, const Factors& a, const Factors& b, Factor factor) {
    double sum = c;
    for (int k = 0; k < depth(factor); ++k) sum += a[k] * b[k];
    const auto nearest = static_cast<float>(sum);
    const bool away = std::isfinite(nearest) && std::fabs(nearest) > std::fabs(sum);
    return away ? std::nextafter(nearest, 0.0f) : nearest;
}

}  // namespace

// In words, lane 4 g + t holds of A rows g and g + 8, columns t and t + 4; of B rows t and t + 4,
// column g; of the result rows g and g + 8, columns 2 t and 2 t + 1.
void multiply(const std::array<MmaFragments, kWarpSize>& lanes) {
    std::array<Words, 16> a;
    std::array<Words, 8> b;  // by column
    Factor factor{};
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const int g = lane / 4, t = lane % 4;
        for (int i = 0; i < 4; ++i) a[g + i % 2 * 8][t + i / 2 * 4] = lanes[lane].a[i];
        for (int i = 0; i < 2; ++i) b[g][t + i * 4] = lanes[lane].b[i];
        if (lanes[lane].d) factor = lanes[lane].factor;
    }
    std::array<Factors, 16> of_a;
    std::array<Factors, 8> of_b;
    for (int i = 0; i < 16; ++i) of_a[i] = factors_in(a[i], factor);
    for (int i = 0; i < 8; ++i) of_b[i] = factors_in(b[i], factor);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const int g = lane / 4, t = lane % 4;
        float* d = lanes[lane].d;
        for (int i = 0; d && i < 4; ++i)
            d[i] = add_products(d[i], of_a[g + i / 2 * 8], of_b[2 * t + i % 2], factor);
    }
}

// Warp w has rows 16 w to 16 w + 15, whose lanes hold columns as above in each 8 of them.
void multiply(const Wgmma& wgmma, int number) {
    const auto row_of = [&](const Place& operand, int row) {
        Words words;
        for (int i = 0; i < kWords; ++i)
            words[i] = *reinterpret_cast<const float*>(swizzled(operand, row, i, wgmma.swizzle));
        return factors_in(words, wgmma.factor);
    };
    const int warp = number / kWarpSize, g = number % kWarpSize / 4, t = number % 4;
    const Factors a[] = {row_of(wgmma.a, 16 * warp + g), row_of(wgmma.a, 16 * warp + g + 8)};
    for (int j = 0; j < wgmma.n; j += 8)
        for (int i = 0; i < 2; ++i) {
            const Factors b = row_of(wgmma.b, j + 2 * t + i);
            float* d = wgmma.d + j / 2 + i;
            for (int half = 0; half < 2; ++half)
                d[2 * half] =
                    add_products(wgmma.begins ? 0.0f : d[2 * half], a[half], b, wgmma.factor);
        }
}

}  // namespace tilewright::simt
