// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line. Each adds its subcommand to the program, with its own options;
// choosing it sets `run`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "lab/options.h"

namespace tilewright::lab {

/// The chosen verb: returns an ExitStatus.
using Run = std::function<int()>;

void add_list(CLI::App& program, Options& options, Run& run);
void add_explain(CLI::App& program, Options& options, Run& run);
void add_diff(CLI::App& program, Options& options, Run& run);
void add_devices(CLI::App& program, Options& options, Run& run);
void add_verify(CLI::App& program, Options& options, Run& run);
void add_bench(CLI::App& program, Options& options, Run& run);
void add_ladder(CLI::App& program, Options& options, Run& run);

}  // namespace tilewright::lab
