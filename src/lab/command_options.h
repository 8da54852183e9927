// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The options of the verbs, in groups that some share.
#pragma once

#include <CLI/CLI.hpp>

#include "lab/options.h"

namespace tilewright::lab {

using AddOptions = void (*)(CLI::App&, Options&);

struct Verb {
    const char* name;
    const char* description;  ///< "" hides it.
    int (*run)(const Options&);
    std::vector<AddOptions> options;
};

/// In the order of the help.
const std::vector<Verb>& verbs();

}  // namespace tilewright::lab
