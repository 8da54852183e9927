// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What CPU mode's recorded accesses say of a kernel, in the few numbers the ladder is about.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lab/case.h"
#include "simt/counters.h"

namespace tilewright::lab {

struct Counted {
    uint64_t global_loads = 0;  ///< Requests of a warp.
    double sectors_per_load = 0;  ///< 32-byte sectors that each touches.
    double global_bytes_per_result = 0;  ///< Loads and stores, in whole sectors.
    uint64_t shared_loads = 0;
    double wavefronts_per_load = 0;  ///< Passes through the banks that each needs.
    double words_per_fma = 0;  ///< 32-bit words a lane loads from shared memory for an FMA.
    uint64_t ffma = 0;  ///< Warp instructions.
    double barriers_per_block = 0;
};

Counted count(const simt::Counters& counters, const Case& test);

nlohmann::ordered_json json_of(const Counted& counted);

}  // namespace tilewright::lab
