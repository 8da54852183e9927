// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What CPU mode's counters say of a kernel as a whole: the quantities the ladder is about.
#pragma once

#include <array>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>

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

struct Totals {
    AccessTotals global_load, global_store, shared_load, shared_store;
    AccessTotals copy_load, copy_store;  ///< The two halves of asynchronous copies.
    AccessTotals global_atomic, shared_atomic;
    uint64_t ffma = 0;  ///< Instructions of a warp.
    uint64_t barriers = 0, blocks = 0;
    double flop = 0;  ///< Of the product; 0 where nothing is multiplied.
    double results = 0;  ///< Elements of C.
    double compulsory_bytes = 0;  ///< A, B and C once, and C twice when it is read.
};

Totals totals_of(const simt::Counters& counters, const Case& test);

/// "No such thing" of a ratio: no accesses, no product.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// One number of the totals, as JSON, CSV and tables show it.
struct Quantity {
    const char* key;
    const char* label;  ///< In a table; null: only in JSON and CSV.
    int digits;  ///< Behind the point; 0 is a count.
    double (*value)(const Totals&);
};

/// Quantities of one level, from what is asked of it to what follows.
struct QuantityGroup {
    const char* title;
    std::span<const Quantity> quantities;
};
std::span<const QuantityGroup> quantities();

/// The quantity of this key; kNone where there is none.
double value_of(const Totals& totals, std::string_view key);

/// A key and a value for each quantity; null where there is none.
nlohmann::ordered_json json_of(const Totals& totals);

}  // namespace tilewright::lab
