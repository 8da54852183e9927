// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <map>

#include "lab/environment.h"
#include "lab/report/counts.h"
#include "lab/report/kernels.h"

namespace tilewright::lab::report {

namespace {

Json series_json(const Material& material) {
    Json all = Json::array();
    for (const Series& each : material.series) {
        Json names = Json::array();
        for (const size_t file : each.files) names.push_back(material.files[file].name);
        all.push_back({{"label", each.label}, {"on_gpu", each.on_gpu}, {"files", names}});
    }
    return all;
}

/// By their paths where their last parts are alike.
void name_apart(std::vector<ResultsFile>& files) {
    std::map<std::string, int> seen;
    for (const ResultsFile& file : files) ++seen[file.name];
    for (ResultsFile& file : files)
        if (seen[file.name] > 1) file.name = file.path;
}

/// Of all contenders that have a row, and of kernels that were counted or tuned.
Json kernels_json(const Material& material) {
    std::map<std::string, MeasuredRow> contenders;
    const auto add = [&](const std::string& id) {
        MeasuredRow row;
        row.rung = id, row.arithmetic = arithmetic_of(id);
        contenders.try_emplace(id, row);
    };
    for (const CountedKernel& counted : material.counts) add(counted.rung);
    for (const Series& series : material.series) {
        for (const MeasuredRow& row : series.rows) contenders.try_emplace(contender_of(row), row);
        for (const TunedProblem& problem : series.tuned)
            for (const TunedCandidate& candidate : problem.candidates) add(candidate.kernel);
    }
    std::vector<std::string> ids;
    for (const auto& [id, row] : contenders) ids.push_back(id);
    Json all = Json::object();
    for (const std::string& id : in_reading_order(ids)) {
        const MeasuredRow& row = contenders[id];
        const KernelDefinition* kernel = kernel_with_id(row.rung);
        MeasuredRow parent = row;
        if (kernel && kernel->kind != Kind::engine) parent.rung = kernel->parent;
        all[id] = {{"title", title_of(row.rung)},
                   {"rung", row.rung},
                   {"family", family_of(row.rung)},
                   {"arithmetic", row.arithmetic},
                   {"sustained", row.sustained},
                   {"parent", parent.rung.empty() || parent.rung == row.rung
                                  ? Json(nullptr)
                                  : Json(contender_of(parent))}};
    }
    return all;
}

}  // namespace

Material material_of(const std::vector<std::string>& paths, Grouping grouping) {
    Material material;
    for (const std::string& path : paths) material.files.push_back(read_results(path));
    name_apart(material.files);
    material.series = series_of(material.files, grouping, material.repeated);
    material.counts = counts_for(material.files, material.counts_from);
    return material;
}

Json data_of(const Material& material, bool compare, const std::string& command) {
    return {{"made",
             {{"version", version_text()},
              {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
              {"command", command}}},
            {"series", series_json(material)},
            {"kernels", kernels_json(material)},
            {"comparison", compare ? comparison_panel(material) : Json(nullptr)},
            {"squares", squares_panel(material)},
            {"shapes", shapes_panel(material)},
            {"sweep", sweep_panel(material)},
            {"errors", errors_panel(material)},
            {"tuning", tuning_panel(material)},
            {"roofline", roofline_panel(material)},
            {"counted", counted_panel(material)},
            {"rungs", rungs_panel(material)},
            {"files", files_panel(material)}};
}

std::string script_json(const Json& data) {
    const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) {
        if (c == '<')  // of "</script>" and "<!--"; in JSON it stands in strings alone
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

std::string page_with(const Json& data) {
    const PageParts parts = embedded_page();
    const std::string json = script_json(data);
    const std::array<std::pair<std::string_view, std::string_view>, 4> places{
        {{"/*STYLE*/", parts.style},
         {"/*CHARTS*/", parts.charts},
         {"/*DATA*/", json},
         {"/*SCRIPT*/", parts.script}}};
    std::string page;
    std::string_view rest = parts.html;
    for (const auto& [place, text] : places) {
        const size_t at = rest.find(place);
        page.append(rest.substr(0, at)).append(text);
        rest.remove_prefix(at + place.size());
    }
    return page.append(rest);
}

}  // namespace tilewright::lab::report
