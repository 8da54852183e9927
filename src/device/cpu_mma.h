// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words for tensor cores in CPU mode; see gpu_mma.h, and simt/tensor.h for what is
// rounded where.
#pragma once

#include <bit>

#include "device/cpu_hopper.h"

namespace tilewright::inline TILEWRIGHT_TARGET {

inline float to_tf32(float value) {
    if (!std::isfinite(value)) return value;
    // Half of the last place that stays; a carry goes on into the exponent, up to Inf.
    return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000) & ~uint32_t{0x1fff});
}

inline float to_f16(float value) {
    if (!std::isfinite(value)) return value;
    const float size = std::fabs(value);
    if (size >= 65520) return std::copysign(HUGE_VALF, value);
    // The last place that stays, 2^-24 at least; FP32 rounds the sum with 2^23 of them to whole ones.
    const int exponent = std::max(std::ilogb(size), -14);
    const float large = std::ldexp(1.0f, exponent - 10 + 23);
    return size == 0 ? value : std::copysign(size + large - large, value);
}

inline float to_bf16(float value) {
    if (!std::isfinite(value)) return value;
    const auto bits = std::bit_cast<uint32_t>(value);  // a carry goes on into the exponent
    return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

/// The bits of a float that is one of FP16.
inline uint32_t f16_bits(float value) {
    const uint32_t sign = std::bit_cast<uint32_t>(value) >> 16 & 0x8000;
    if (std::isnan(value)) return 0x7fff;
    if (std::isinf(value)) return sign | 0x7c00;
    const float size = std::fabs(value);
    if (size < 0x1p-14f) return sign | static_cast<uint32_t>(std::ldexp(size, 24));
    const int exponent = std::ilogb(size);
    const auto significand = static_cast<uint32_t>(std::ldexp(size, 10 - exponent)) & 1023;
    return sign | static_cast<uint32_t>(exponent + 15) << 10 | significand;
}

inline float pack_f16(float lower, float upper) {
    return std::bit_cast<float>(f16_bits(to_f16(lower)) | f16_bits(to_f16(upper)) << 16);
}

inline float pack_bf16(float lower, float upper) {
    const auto bits = [](float value) {
        return std::isnan(value) ? 0x7fffu : std::bit_cast<uint32_t>(to_bf16(value)) >> 16;
    };
    return std::bit_cast<float>(bits(lower) | bits(upper) << 16);
}

/// Word by word: no lane needs another's address. Counted as four loads.
template <class At>
void ldmatrix(float (&to)[4], int lane, const At& at, Site site = Site::here()) {
    for (int i = 0; i < 4; ++i) to[i] = ld<float>(at(i, lane / 4) + lane % 4, site);
}

inline void mma_as(simt::Factor factor, float (&d)[4], const float (&a)[4], const float (&b)[2],
                   Site site) {
    for (const float operand : {d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1]})
        check_register(operand, site);
    simt::mma(d, a, b, factor, site);
}
inline void mma_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2],
                     Site site = Site::here()) {
    mma_as(simt::Factor::tf32, d, a, b, site);
}
inline void mma_f16(float (&d)[4], const float (&a)[4], const float (&b)[2],
                    Site site = Site::here()) {
    mma_as(simt::Factor::f16, d, a, b, site);
}
inline void mma_bf16(float (&d)[4], const float (&a)[4], const float (&b)[2],
                     Site site = Site::here()) {
    mma_as(simt::Factor::bf16, d, a, b, site);
}

template <Swizzle kSwizzle>
struct WgmmaOperand {
    explicit WgmmaOperand(SharedPtr<float> tile) : tile(tile) {}
    WgmmaOperand operator+(int words) const { return WgmmaOperand(tile + words); }

    SharedPtr<float> tile;
};

template <int N, Swizzle kSwizzle>
void wgmma_as(simt::Factor factor, float (&d)[N / 2], const WgmmaOperand<kSwizzle>& a,
              const WgmmaOperand<kSwizzle>& b, bool begins, Site site) {
    static_assert(kSwizzle != Swizzle::none);
    simt::wgmma({.d = d,
                 .n = N,
                 .a = place_of(a.tile, site),
                 .b = place_of(b.tile, site),
                 .factor = factor,
                 .swizzle = static_cast<int>(kSwizzle),
                 .begins = begins});
}
template <int N>
void wgmma_tf32(float (&d)[N / 2], SharedPtr<float> a, SharedPtr<float> b,
                Site site = Site::here()) {
    static_assert(N == 128 || N == 256);
    using Operand = WgmmaOperand<Swizzle::bytes128>;
    wgmma_as<N>(simt::Factor::tf32, d, Operand(a), Operand(b), false, site);
}
template <int N, Swizzle kSwizzle>
void wgmma_f16(float (&d)[N / 2], const WgmmaOperand<kSwizzle>& a, const WgmmaOperand<kSwizzle>& b,
               bool begins, Site site = Site::here()) {
    static_assert(N == 128 || N == 192);
    wgmma_as<N>(simt::Factor::f16, d, a, b, begins, site);
}
template <int N, Swizzle kSwizzle>
void wgmma_bf16(float (&d)[N / 2], const WgmmaOperand<kSwizzle>& a, const WgmmaOperand<kSwizzle>& b,
                bool begins, Site site = Site::here()) {
    static_assert(N == 128 || N == 192);
    wgmma_as<N>(simt::Factor::bf16, d, a, b, begins, site);
}
inline void wgmma_fence() {}
inline void wgmma_commit() {
    simt::wgmma_commit();
}
template <int kGroups, int kSize>
void wgmma_wait(float (&)[kSize]) {
    simt::wgmma_wait(kGroups);
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
