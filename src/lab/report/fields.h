// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Fields of JSON from a file, which may lack any of them or have them of another type.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tilewright::lab::report {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& object, const char* key, const char* absent = "");
std::optional<double> number_at(const Json& object, const char* key);
int64_t integer_at(const Json& object, const char* key, int64_t absent);
bool flag_at(const Json& object, const char* key, bool absent = false);
/// Null where there is no object.
const Json* object_at(const Json& object, const char* key);

/// Null where there is none.
Json or_null(const std::optional<double>& value);

}  // namespace tilewright::lab::report
