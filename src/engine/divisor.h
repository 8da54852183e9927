// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Division by a number that the host knows: a GPU has no instruction for division, and a multiplication
// does it in a fifth of the time. Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication" (1994).
#pragma once

#include "device/kernel.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// Exact for numerators below 2^31.
class Divisor {
  public:
#if !defined(__CUDACC_RTC__)
    /// 1 <= divisor < 2^31.
    explicit constexpr Divisor(uint32_t divisor) : divisor_(divisor) {
        int bits = 0;  // the least with 2^bits >= divisor
        while ((uint64_t{1} << bits) < divisor) ++bits;
        // With 31 + bits binary places the factor is below 2^32, and rounding it up is wrong by
        // less than a unit of the quotient. For 1 it would be 2^31 and the shift -1: taken apart.
        factor_ = static_cast<uint32_t>(((uint64_t{1} << (31 + bits)) + divisor - 1) / divisor);
        shift_ = bits - 1;
    }
#endif
    /// Returns the remainder, and leaves the quotient in `value`.
    __device__ __forceinline__ unsigned take(unsigned& value) const {
        const unsigned before = value;
        if (divisor_ == 1) return 0;
        value = static_cast<unsigned>(static_cast<unsigned long long>(before) * factor_ >> 32) >>
                shift_;
        return before - value * divisor_;
    }

  private:
    unsigned divisor_, factor_;
    int shift_;
};

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
