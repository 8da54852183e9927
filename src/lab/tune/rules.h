// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The rules beside a kernel, its static_asserts, for configurations that no compiler has seen.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lab/tile_arithmetic.h"

namespace tilewright::lab {

/// The condition's value for this configuration, as C++ has it; none where it asks for anything else
/// than sizes.
std::optional<bool> holds(const std::string& condition, const TileConfig& config);

/// The sentence of the first rule that is broken, with its values: "TM divides BM: 64 % 48 == 0".
/// Empty where none is known to be.
std::string broken_rule(std::span<const Rule> rules, const TileConfig& config);
/// The same of the first rule of which holds() does not say: trying it does.
std::string unknown_rule(std::span<const Rule> rules, const TileConfig& config);

/// What no rung says, as any GPU has these limits; the same form.
std::string broken_limit(const TileConfig& config);

}  // namespace tilewright::lab
