// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Entries of the tuning database to a file and back.
#pragma once

#include <string>

namespace tilewright::lab {

/// All entries, of whatever device. Throws std::runtime_error, also where the database is there and
/// cannot be read, and UsageError.
int export_database(const std::string& to);

/// Entries of a file into the database: as they are, or where they are newer. Throws
/// std::runtime_error, also where the file holds none.
int import_database(const std::string& from, bool newer_alone);

}  // namespace tilewright::lab
