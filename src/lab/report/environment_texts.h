// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A results file's environment, whatever it holds, as names and values for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/report/results_file.h"

namespace tilewright::lab::report {

/// "clocks.sm_max_mhz" and "1980", in the file's order; what is null is "not known".
std::vector<std::pair<std::string, std::string>> environment_texts(const Json& environment);

}  // namespace tilewright::lab::report
