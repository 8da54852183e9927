// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line: each returns an ExitStatus, and throws UsageError, NoDevice or
// Interrupted.
#pragma once

#include "lab/options.h"

namespace tilewright::lab {

int run_list(const Options& options);
int run_explain(const Options& options);
int run_diff(const Options& options);
int run_devices(const Options& options);
int run_count(const Options& options);
int run_check(const Options& options);
int run_profile(const Options& options);
int run_verify(const Options& options);
int run_bench(const Options& options);
int run_dispatch(const Options& options);
int run_ladder(const Options& options);
int run_report(const Options& options);
int run_tune(const Options& options);
/// Hidden: in processes that run_tune() starts.
int run_tune_child(const Options& options);
int run_tune_compiler(const Options& options);
inline constexpr const char *kTuneChild = "tune-child", *kTuneCompiler = "tune-compiler";

}  // namespace tilewright::lab
