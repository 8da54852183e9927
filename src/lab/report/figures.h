// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The page's panels that a README shows, as PNG, and a list of what they were made from.
#pragma once

#include <string>

#include "lab/report/panels.h"

namespace tilewright::lab::report {

/// Writes the pictures and figures.json to the folder, which is made where it is not there. Throws
/// UsageError where the folder cannot be, or nothing was measured that they show.
void write_figures(const std::string& browser, const Material& material, const std::string& page,
                   const std::string& folder);

}  // namespace tilewright::lab::report
