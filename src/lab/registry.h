// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// All that can be told of kernels without a device.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/kernel.h"

namespace tilewright::lab {

/// The ladder in reading order; with CUDA in the build, cuBLAS comes first.
std::vector<const KernelDefinition*> registry();
/// The engine's kernels, which are no rungs.
std::span<const KernelDefinition* const> engine_registry();

const char* name_of(Kind kind);

/// "10 warp_tile": number and name; of the engine's kernels the name alone.
std::string title_of(const KernelDefinition& rung);

/// Its name and the numbers of its configuration: "block_m".
nlohmann::ordered_json json_of(const Variant& variant);

}  // namespace tilewright::lab
