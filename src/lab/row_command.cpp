// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/row_command.h"

#include <fmt/format.h>

#include "lab/library_kernel.h"

namespace tilewright::lab {

std::string device_word(const Device& device, const Options& options) {
    if (!device.info().gpu) return "cpu";
    const std::string word = device_of(options);
    return word.empty() ? "0" : word;
}

std::string command_of(const char* verb, const Row& row, const std::string& device) {
    std::string text = fmt::format("tilewright {} {}", verb, row.rung);
    if (row.label != row.rung) text += " --variant " + row.variant;
    if (row.rung == kLibrary) text += fmt::format(" --compute {}", name_of(row.arithmetic));
    return text + fmt::format(" --device {} {}", device, describe(row.test));
}

std::string bench_command_of(const Row& row, double min_seconds, const Options& options,
                             const std::string& device) {
    std::string text = command_of("bench", row, device);
    text += options.profile ? " --profile" : fmt::format(" --min-time {:.4g}", min_seconds);
    if (options.hot) text += " --hot";
    if (options.sustained) text += " --sustained";
    if (!options.against.empty()) text += " --against " + options.against;
    return text;
}

}  // namespace tilewright::lab
