// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What CPU mode's counters say of a kernel as a whole.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "lab/case.h"
#include "simt/counters.h"

namespace tilewright::lab {

inline constexpr double kSectorBytes = 32;

/// All accesses of one kind.
struct AccessTotals {
    uint64_t requests = 0, bytes = 0, sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
    std::array<uint64_t, 3> requests_of_width{};  ///< 32, 64 and 128 bits a lane.
    double words = 0;  ///< Of 32 bits, for one lane.
};
AccessTotals operator+(AccessTotals a, const AccessTotals& b);

struct Totals {
    AccessTotals global_load, global_store, shared_load, shared_store;
    AccessTotals copy_load, copy_store;  ///< The two halves of asynchronous copies.
    AccessTotals global_atomic, shared_atomic;
    uint64_t ffma = 0, mma = 0;  ///< Instructions of a warp.
    uint64_t mma_products = 0;  ///< Scalar ones.
    uint64_t barriers = 0, blocks = 0;
    double steps = 0;  ///< Of all warps along k, each with all of its part of C.
    double flop = 0;  ///< Of the product; 0 where nothing is multiplied.
    double results = 0;  ///< Elements of C.
    double compulsory_bytes = 0;  ///< A, B and C once, and C twice when it is read.
};

/// Where `operand` is not empty, of accesses to it alone: a matrix with its shared array, as A with
/// As, or a shared array.
Totals totals_of(const simt::Counters& counters, const Case& test, std::string_view operand = {});

/// "No such thing" of a ratio: no accesses, no product.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace tilewright::lab
