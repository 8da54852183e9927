// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How the library comes from a problem to a kernel: which entry it uses, or why none.
#pragma once

#include <string>

#include "lab/case.h"
#include "lab/tune/context.h"

namespace tilewright::lab {

/// For a terminal of 80 columns.
std::string explain_choice(const Case& test, Arithmetic mode, const DeviceInfo& device);

}  // namespace tilewright::lab
