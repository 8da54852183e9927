// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/fields.h"

namespace tilewright::lab::report {

std::string text_at(const Json& object, const char* key, const char* absent) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : absent;
}

std::optional<double> number_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return {};
    return found->get<double>();
}

int64_t integer_at(const Json& object, const char* key, int64_t absent) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? found->get<int64_t>() : absent;
}

bool flag_at(const Json& object, const char* key, bool absent) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() ? found->get<bool>() : absent;
}

const Json* object_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_object() ? &*found : nullptr;
}

Json or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace tilewright::lab::report
