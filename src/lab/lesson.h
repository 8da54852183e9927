// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The kernels' texts, carried in the program: what a file says of itself, and the part that teaches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"

namespace tilewright::lab {

struct EmbeddedFile {
    std::string_view path, text;  ///< "src/ladder/01_naive.cu"
};

/// Written by cmake/embed.cmake.
std::span<const EmbeddedFile> embedded_files();
/// What kernels include: core and device, for compiling them while the program runs.
std::span<const EmbeddedFile> device_headers();
/// What ptxas reported of each kernel, as JSON; empty when that was not recorded.
std::string_view embedded_resources();
/// The instructions that the GPU runs, counted by kind for each kernel, as JSON; likewise.
std::string_view embedded_sass();

/// The file's text; empty for a baseline, which has none.
std::string_view source_of(const KernelDefinition& rung);
/// A header that kernels share, such as a pre-pass's, by simt::header_of() of its name. Its text and
/// path are empty where there is none.
EmbeddedFile shared_header(uint32_t header);

/// The comment at the top without slashes and licence.
std::string header_in(std::string_view source);
inline std::string header_of(const KernelDefinition& rung) {
    return header_in(source_of(rung));
}

/// The lines that a rung and its parent are compared by: kernel, launcher, rules and
/// configurations, without the header, names, and the definition's data.
std::vector<std::string> lesson_in(std::string_view source);
inline std::vector<std::string> lesson_of(const KernelDefinition& rung) {
    return lesson_in(source_of(rung));
}

/// Lines of its lesson that the parent's does not have: the ladder is for reading.
size_t added_lines(const KernelDefinition& rung, const KernelDefinition& parent);

}  // namespace tilewright::lab
