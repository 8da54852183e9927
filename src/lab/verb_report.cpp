// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright report: results files as one page for a browser, and as pictures for a document.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "lab/output.h"
#include "lab/report/browser.h"
#include "lab/report/figures.h"
#include "lab/report/page.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

namespace fs = std::filesystem;

void check_files(const Options& options) {
    if (options.compare && options.results.size() != 2)
        throw UsageError(fmt::format("--compare: takes two files, the earlier run first, not {}",
                                     options.results.size()));
    for (const std::string& path : options.results) {
        std::error_code ignored;
        if (!options.output.empty() && fs::equivalent(path, options.output, ignored))
            throw UsageError(fmt::format("--output: {} is one of the results", options.output));
    }
    if (options.output.empty() && options.png.empty() && isatty(STDOUT_FILENO) == 1)
        throw UsageError("name a file for the page: -o report.html");
}

}  // namespace

int run_report(const Options& options) {
    check_files(options);
    const OutputFile file(options.output);
    const std::string browser = options.png.empty() ? "" : report::find_browser();
    const report::Material material = report::material_of(
        options.results, options.compare ? report::Grouping::by_file : report::Grouping::by_device);
    const std::string page =
        report::page_with(report::data_of(material, options.compare, options.command));
    if (!options.png.empty()) report::write_figures(browser, material, page, options.png);
    if (!options.output.empty() || options.png.empty()) deliver(options, page);
    if (!options.output.empty() && !options.quiet)
        fmt::print("{}: {} kB, open it in a browser\n", options.output, page.size() / 1000);
    return kRight;
}

}  // namespace tilewright::lab
