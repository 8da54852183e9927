// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/tensor.h"

#include <bit>
#include <cmath>

namespace tilewright::simt {

namespace {

constexpr int kDepth = 8;  // products of one instruction along k
using Factors = std::array<float, kDepth>;

/// A factor as tensor cores see it: they do not look at the bits that TF32 lacks.
float as_tf32(float value) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~uint32_t{0x1fff});
}

float add_products(float c, const Factors& a, const Factors& b) {
    double sum = c;
    for (int k = 0; k < kDepth; ++k) sum += static_cast<double>(a[k]) * b[k];
    const auto nearest = static_cast<float>(sum);
    const bool away = std::isfinite(nearest) && std::fabs(nearest) > std::fabs(sum);
    return away ? std::nextafter(nearest, 0.0f) : nearest;
}

}  // namespace

// Lane 4 g + t holds of A rows g and g + 8, columns t and t + 4; of B rows t and t + 4, column g; of
// the result rows g and g + 8, columns 2 t and 2 t + 1.
void multiply(const std::array<MmaFragments, kWarpSize>& lanes) {
    std::array<Factors, 16> a;
    std::array<Factors, 8> b;  // by column
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const int g = lane / 4, t = lane % 4;
        for (int i = 0; i < 4; ++i) a[g + i % 2 * 8][t + i / 2 * 4] = as_tf32(lanes[lane].a[i]);
        for (int i = 0; i < 2; ++i) b[g][t + i * 4] = as_tf32(lanes[lane].b[i]);
    }
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const int g = lane / 4, t = lane % 4;
        float* d = lanes[lane].d;
        for (int i = 0; d && i < 4; ++i)
            d[i] = add_products(d[i], a[g + i / 2 * 8], b[2 * t + i % 2]);
    }
}

// Warp w has rows 16 w to 16 w + 15, whose lanes hold columns as above in each 8 of them.
void multiply(const Wgmma& wgmma, int number) {
    const auto row_of = [](const Place& operand, int row) {
        Factors factors;
        for (int k = 0; k < kDepth; ++k)
            factors[k] = as_tf32(*reinterpret_cast<const float*>(
                swizzled_address(reinterpret_cast<uintptr_t>(operand.address), row, k)));
        return factors;
    };
    const int warp = number / kWarpSize, g = number % kWarpSize / 4, t = number % 4;
    const Factors a[] = {row_of(wgmma.a, 16 * warp + g), row_of(wgmma.a, 16 * warp + g + 8)};
    for (int j = 0; j < wgmma.n; j += 8)
        for (int i = 0; i < 2; ++i) {
            const Factors b = row_of(wgmma.b, j + 2 * t + i);
            float* d = wgmma.d + j / 2 + i;
            d[0] = add_products(d[0], a[0], b);
            d[2] = add_products(d[2], a[1], b);
        }
}

}  // namespace tilewright::simt
