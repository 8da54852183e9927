// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How the tiles of a configuration add up, and the rules that say so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tile_config.h"

namespace tilewright::lab {

struct Sum {
    std::string part;  ///< "warp tile"
    std::string text;  ///< "64 x 64 = 4096; 4 warps: 16384"
};
std::vector<Sum> tile_arithmetic(const TileConfig& config);

/// A static_assert of a rung's file.
struct Rule {
    std::string sentence;
    std::string condition;  ///< "kTile.threads % 32 == 0"
};
std::vector<Rule> rules_in(std::string_view source);

/// "128 % 32 == 0"; what is no size of the configuration stays as it is.
std::string with_values(const std::string& condition, const TileConfig& config);

}  // namespace tilewright::lab
