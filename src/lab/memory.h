// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Whether a case fits, before anything is allocated.
#pragma once

#include <string>
#include <vector>

#include "lab/case.h"
#include "lab/device.h"

namespace tilewright::lab {

/// Throws UsageError with what is needed and available when there is one shape alone and it does
/// not fit; in a sweep that is the row's reason.
void require_memory(Device& device, const std::vector<Case>& cases);

/// Why a case cannot be verified on this device; empty when its memory suffices.
std::string memory_reason(Device& device, const Case& test);

}  // namespace tilewright::lab
