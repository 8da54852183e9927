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

inline void mma_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2],
                     Site site = Site::here()) {
    for (const float operand : {d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1]})
        check_register(operand, site);
    simt::mma(d, a, b, site);
}

template <int N>
void wgmma_tf32(float (&d)[N / 2], SharedPtr<float> a, SharedPtr<float> b,
                Site site = Site::here()) {
    static_assert(N == 128 || N == 256);
    simt::wgmma(d, N, place_of(a, site), place_of(b, site));
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
