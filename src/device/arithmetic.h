// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Integer helpers that kernels and launchers share.
#pragma once

#if defined(__CUDACC_RTC__)
using int64_t = long long;
#else
#include <cstdint>
#endif

#if defined(__CUDACC__)
#define HOST_DEVICE __host__ __device__ constexpr
#else
#define HOST_DEVICE constexpr
#endif

namespace tilewright {

template <class... Extents>
HOST_DEVICE int product(Extents... extents) {
    return (extents * ...);
}

HOST_DEVICE int64_t ceil_div(int64_t value, int64_t divisor) {
    return (value + divisor - 1) / divisor;
}

/// How much of a tile that starts at `origin` lies inside a matrix of this size: 0 to `tile`.
HOST_DEVICE int inside(int64_t size, int64_t origin, int tile) {
    const int64_t left = size - origin;
    return left >= tile ? tile : left > 0 ? static_cast<int>(left) : 0;
}

}  // namespace tilewright
