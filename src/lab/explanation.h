// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// All that can be told of one variant of a rung without running it on a GPU.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "lab/claims.h"
#include "lab/compiled.h"
#include "lab/gpus.h"
#include "lab/tile_arithmetic.h"

namespace tilewright::lab {

struct OccupancyOn {
    const Gpu* gpu;
    std::optional<Resources> code;  ///< Its architecture may be another than the GPU's.
    Occupancy occupancy;  ///< Of that code; without it nothing is known.
};

struct Explanation {
    const KernelDefinition* rung;
    const Variant* variant;  ///< Null for a baseline, as are all that follow.
    std::vector<Sum> sums;
    std::vector<Rule> rules;
    std::vector<Resources> resources;  ///< Of all variants.
    std::vector<OccupancyOn> occupancy;
    std::vector<CheckedClaim> claims;  ///< Counted with this variant.
    std::string failure;  ///< Why nothing was counted.

    bool is_default() const { return variant == rung->variants.data(); }
    /// Claims are the default variant's.
    bool holds() const;
};

/// `gpu` is a word of gpus.h, or "all". Throws UsageError.
Explanation explain(const KernelDefinition& rung, const std::string& variant,
                    const std::string& gpu);

/// For a terminal of 80 columns.
std::string page_of(const Explanation& explanation);
nlohmann::ordered_json json_of(const Explanation& explanation);

}  // namespace tilewright::lab
