// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Kernels that a tuner must survive, in this test program alone.
#pragma once

#include "lab/tune/serve.h"

namespace tilewright::test {

/// The word by which this program, started again, tries them.
inline constexpr const char* kChild = "tune-child";
/// The same, but of a program that ends at once for as many times as there are to be lines in the file
/// that kStarts names.
inline constexpr const char* kLateChild = "tune-child-late";
inline constexpr const char* kStarts = "TILEWRIGHT_TEST_STARTS";
inline constexpr int kFailedStarts = 2;

/// "right", "slow", "crashes", ... as candidates of the kernel "planted".
std::vector<lab::TuneCandidate> planted(const std::vector<std::string>& names);
lab::Case planted_case();
int serve_planted();
int serve_planted_late();

}  // namespace tilewright::test
