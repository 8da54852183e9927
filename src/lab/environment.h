// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Where results come from: recorded with each of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/device.h"

namespace tilewright::lab {

nlohmann::ordered_json environment_of(Device& device, const std::string& command);

/// One line for people: device, clocks, libraries.
std::string environment_line(Device& device);

/// "0.1.0 (1a2b3c4)"
std::string version_text();

/// Arguments as a person would type them; a path loses its folders above the current one.
std::string command_text(int argc, char** argv);

}  // namespace tilewright::lab
