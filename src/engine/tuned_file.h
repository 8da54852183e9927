// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Where the tuning database lies, and reading it. The library never writes one.
#pragma once

#include <memory>
#include <string>

#include "engine/tuned.h"

namespace tilewright::engine {

/// A file, or why there is none.
struct TunedPlace {
    std::string path;  ///< "" where there is none.
    std::string why;
};
/// TILEWRIGHT_TUNING, or tuning.tsv in the user's data folder. It need not be there. "off" and
/// "/dev/null" mean none.
TunedPlace tuned_place();

struct TunedFile {
    TunedText text;
    bool exists = false;
    /// What is there may be entries, and is not known: a complaint says why. Not to be replaced.
    bool unreadable = false;
};
/// What cannot be read is empty. Does not wait for pipes.
TunedFile read_tuned_file(const std::string& path);

/// What the database has for this device; what is wrong with it is told on stderr, once in a process.
std::unique_ptr<const Tuned> tuned_for(const TunedDevice& device);

/// How CPU mode is named there. Nothing writes entries for it: its times say nothing.
inline constexpr const char* kCpuDevice = "CPU mode";

}  // namespace tilewright::engine
