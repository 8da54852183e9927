// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Configurations that were compiled while the program runs, as variants of their rung.
#pragma once

#include "lab/tune/serve.h"

namespace tilewright::lab {

/// Compiles what the candidate asks for, or takes it from the cache, and loads it. The variant runs
/// until the next call: this process runs one candidate at a time.
Resolved resolve_compiled(Device& device, const TuneCandidate& wanted);

}  // namespace tilewright::lab
