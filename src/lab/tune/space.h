// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What there is to choose from.
#pragma once

#include <string>
#include <vector>

#include "core/kernel.h"
#include "engine/dispatch.h"
#include "lab/tune/candidate.h"

namespace tilewright::lab {

struct Illegal {
    std::string name;
    std::string reason;  ///< A rule's sentence, then ": " and its values.
};

struct Space {
    std::vector<TuneCandidate> candidates;  ///< Those compiled in first.
    std::vector<Illegal> illegal;
    size_t configurations = 0;  ///< Legal and not.
    size_t missing = 0;  ///< Legal, not compiled in, and left out for that.
};

/// The rung's variants and, where what is missing can be compiled, its other configurations, with the
/// usual value of each fine size.
Space space_of(const KernelDefinition& rung, bool compiles);

/// The configuration with other values of the fine sizes.
std::vector<TuneCandidate> finer(const KernelDefinition& rung, const TileConfig& config);

/// All that dispatch weighs for a problem.
Space engine_space(const Problem& problem, const engine::DeviceTraits& device);

/// "128x128x16-8x8-u8-b0", with a warp tile and its steps "128x128x16-w64x64x4-8x4-u16-b0", or the name of the variant that it is.
std::string name_of(const KernelDefinition& rung, const TileConfig& config);

}  // namespace tilewright::lab
