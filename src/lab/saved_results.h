// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Results that a verb has written, read back: --format json and jsonl alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilewright::lab {

/// An object with "environment" and, of verbs with rows, "results". JSON lines become one too; a last
/// line that breaks off, as a killed run leaves it, is no row. Throws UsageError with file and line.
nlohmann::ordered_json parse_saved(const std::string& text, const std::string& name);
nlohmann::ordered_json read_saved(const std::string& path);

}  // namespace tilewright::lab
