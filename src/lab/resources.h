// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What ptxas reported of a rung, by variant and architecture.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"

namespace tilewright::lab {

struct Resources {
    std::string variant, architecture;  ///< The latter as in Gpu.
    int registers = 0, shared_bytes = 0, spill_bytes = 0, stack_bytes = 0;
};

/// Of all variants; empty when that was not recorded.
std::vector<Resources> resources_of(const KernelDefinition& rung);

/// What is known of a variant on an architecture: its own report, else that of the nearest older
/// architecture, else of the nearest newer.
std::optional<Resources> resources_for(std::span<const Resources> all, std::string_view variant,
                                       const std::string& architecture);

}  // namespace tilewright::lab
