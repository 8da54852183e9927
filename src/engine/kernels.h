// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The engine's kernels, for each target they were built for.
#pragma once

#include <span>

#include "core/kernel.h"

namespace tilewright::engine {

/// Empty when this program has none for the target. All targets hold the same kernels: only
/// Variant::run differs.
std::span<const KernelDefinition* const> kernels(Target target);

}  // namespace tilewright::engine
