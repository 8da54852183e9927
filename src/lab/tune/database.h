// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Writing the tuning database, which several processes may do at once. engine/tuned_file.h reads it.
#pragma once

#include <string>
#include <vector>

#include "engine/tuned.h"

namespace tilewright::lab {

enum class Merge {
    newest,  ///< Of two entries for the same, the later one.
    given,  ///< The one that is added, whatever its date.
};

struct Written {
    int added = 0, replaced = 0;
    std::vector<std::string> remarks;  ///< What was found there and kept aside.
};

/// Adds entries to the file, and makes it where there is none. Readers see the old text or the new
/// one. What is no entry is not lost: it goes to a file beside it. Throws std::runtime_error with a
/// sentence.
Written add_to_database(const std::string& path, const std::vector<engine::TunedEntry>& entries,
                        Merge merge);

/// Writes these alone, as one piece. Throws std::runtime_error.
void write_whole(const std::string& path, const std::string& text);

/// "2026-12-01T13:57:32Z"
std::string date_now();

}  // namespace tilewright::lab
