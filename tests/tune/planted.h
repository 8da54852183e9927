// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Kernels that a tuner must survive, in this test program alone.
#pragma once

#include "lab/tune/serve.h"

namespace tilewright::test {

/// The word by which this program, started again, tries them.
inline constexpr const char* kChild = "tune-child";

/// "right", "slow", "crashes", ... as candidates of the kernel "planted".
std::vector<lab::TuneCandidate> planted(const std::vector<std::string>& names);
lab::Case planted_case();
int serve_planted();

}  // namespace tilewright::test
