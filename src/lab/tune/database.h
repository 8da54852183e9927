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
    first,  ///< The one that is there.
};

struct Written {
    int added = 0, replaced = 0;
    std::vector<std::string> remarks;  ///< What was found there and kept aside.
};

/// Adds entries to the file, and makes it where there is none. Readers see the old text or the new
/// one. What is no entry is not lost: it goes to a file beside it. Throws std::runtime_error with a
/// sentence, also where the file cannot be read: then it stays as it is.
Written add_to_database(const std::string& path, const std::vector<engine::TunedEntry>& entries,
                        Merge merge);

/// "2026-12-01T13:57:32Z"
std::string date_now();

}  // namespace tilewright::lab
