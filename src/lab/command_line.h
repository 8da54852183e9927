// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The program's grammar: verbs, options and help. Only command_options.h and help.h know the parser too.
#pragma once

#include <functional>

#include "lab/options.h"

namespace tilewright::lab {

/// What to do for these words. The result returns an ExitStatus, also for --help. Throws UsageError.
std::function<int()> parse_command_line(int argc, char** argv);

/// The options of a command that a row has, "tilewright bench k5 --sizes 64". Throws UsageError.
Options options_of(const std::string& command);

}  // namespace tilewright::lab
