// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The registry: every rung in reading order, for each target it was built for.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/kernel.h"

namespace tilewright::ladder {

using tilewright::Target;

/// The rungs built for a target, in reading order; empty when this program has none for it.
/// All targets hold the same rungs: only Variant::run differs.
std::span<const KernelDefinition* const> rungs(Target target);

/// The rung's name, "warp_tile", and its number, "10", from its file 10_warp_tile.cu. Files without
/// a number, such as the engine's, have "" for it.
std::string_view name_of(const KernelDefinition& rung);
std::string_view number_of(const KernelDefinition& rung);

/// Rungs that a person's word means: an id, an alias, a name, a number ("5" is 05), a name or id
/// with * and ?, "all", or an id without its last letter where that is shared ("v4" for v4a, v4b).
/// Reading order; empty when nothing matches.
std::vector<const KernelDefinition*> match(std::span<const KernelDefinition* const> rungs,
                                           std::string_view word);

}  // namespace tilewright::ladder
