// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The commands that give one row again.
#pragma once

#include <string>

#include "lab/options.h"
#include "lab/results.h"

namespace tilewright::lab {

/// The word by which a person means this device, where the options leave it open too.
std::string device_word(const Device& device, const Options& options);

/// "tilewright verify k9 --variant a100 --device cpu --shape 33x35x37 ..."
std::string command_of(const char* verb, const Row& row, const std::string& device);

/// Of a row that was timed, with so many seconds measured.
std::string bench_command_of(const Row& row, double min_seconds, const Options& options,
                             const std::string& device);

}  // namespace tilewright::lab
