// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/divisor.h"

namespace tilewright::engine {
namespace {

TEST(Divisor, IsExactBelow2To31) {
    constexpr uint32_t kEnd = 1u << 31;
    std::vector<uint32_t> divisors{1,     2,     3,          5,        7,       641,
                                   65535, 65537, 1000000007, kEnd - 2, kEnd - 1};
    for (uint32_t power = 4; power < kEnd; power *= 2)
        divisors.insert(divisors.end(), {power - 1, power, power + 1});
    for (const uint32_t divisor : divisors) {
        const Divisor by(divisor);
        const uint32_t last = (kEnd - 1) / divisor;
        for (const uint32_t quotient : {0u, 1u, 2u, last / 3, last - 1, last})
            for (const int64_t off : {-1, 0, 1}) {
                const int64_t n = int64_t{quotient} * divisor + off;
                if (quotient > last || n < 0 || n >= kEnd) continue;
                auto value = static_cast<unsigned>(n);
                EXPECT_EQ(by.take(value), n % divisor) << n << " / " << divisor;
                EXPECT_EQ(value, n / divisor) << n << " / " << divisor;
            }
    }
}

}  // namespace
}  // namespace tilewright::engine
