// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The report as one page of HTML that needs nothing from elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "lab/report/panels.h"

namespace tilewright::lab::report {

/// The page's parts, written by cmake/embed_report.cmake.
struct PageParts {
    std::string_view html, style, script, charts;  ///< charts: the charting library.
};
PageParts embedded_page();

/// Reads and groups; throws UsageError. `grouping` is by file where runs are compared.
Material material_of(const std::vector<std::string>& paths, Grouping grouping);

/// All panels and what they have in common: series, kernels, and how the page was made.
Json data_of(const Material& material, bool compare, const std::string& command);

/// Text that may stand in a script element of HTML.
std::string script_json(const Json& data);

std::string page_with(const Json& data);

}  // namespace tilewright::lab::report
