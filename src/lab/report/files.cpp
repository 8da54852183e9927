// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lab/report/environment_texts.h"
#include "lab/report/panels.h"
#include "lab/text.h"

namespace tilewright::lab::report {

namespace {

constexpr const char* kNoTime = "the file has no time of it";

std::string value_text(const Json& value) {
    if (value.is_null()) return "not known";
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) return value.dump();
    std::vector<std::string> words;
    for (const Json& each : value) words.push_back(value_text(each));
    return words.empty() ? "none" : join(words, ", ");
}

void add_texts(const Json& object, const std::string& prefix,
               std::vector<std::pair<std::string, std::string>>& all) {
    for (const auto& item : object.items()) {
        if (item.value().is_object())
            add_texts(item.value(), prefix + item.key() + '.', all);
        else
            all.emplace_back(prefix + item.key(), value_text(item.value()));
    }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> environment_texts(const Json& environment) {
    std::vector<std::pair<std::string, std::string>> all;
    add_texts(environment, "", all);
    return all;
}

Json files_panel(const Material& material) {
    Json all = Json::array();
    for (size_t index = 0; index < material.files.size(); ++index) {
        const ResultsFile& file = material.files[index];
        Json json{{"name", file.name},
                  {"rows", file.rows.size()},
                  {"counts", file.counts.size()},
                  {"tuned", file.tuned.size()},
                  {"series", nullptr},
                  {"repeated", material.repeated[index]},
                  {"environment", environment_texts(file.environment)},
                  {"not_ok", Json::array()}};
        for (const MeasuredRow& row : file.rows)
            if (!row.timed())
                json["not_ok"].push_back({kernel_label(row), shape_label(row), row.status,
                                          row.status == "ok" ? kNoTime : row.reason});
        for (size_t series = 0; series < material.series.size(); ++series) {
            const auto& files = material.series[series].files;
            if (std::find(files.begin(), files.end(), index) != files.end())
                json["series"] = series;
        }
        all.push_back(json);
    }
    return {{"files", all}};
}

}  // namespace tilewright::lab::report
