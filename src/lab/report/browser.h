// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Pictures of the page, made by a browser without a window.
#pragma once

#include <string>
#include <vector>

namespace tilewright::lab::report {

/// Chromium or Chrome: TILEWRIGHT_BROWSER in the environment, or the first on PATH. Throws UsageError
/// with what to install.
std::string find_browser();

struct Figure {
    std::string name;  ///< Of the panel, and of the file without its ending.
    std::string title;
    int width = 0, height = 0;
};

/// The page's text when its script has run, at `#name` and as wide as the figure. Throws
/// std::runtime_error where the browser does not do it.
std::string dump_page(const std::string& browser, const std::string& page, const Figure& figure);

/// Writes folder/NAME.png of the panel NAME of this page. Throws std::runtime_error.
void draw_figure(const std::string& browser, const std::string& page, const Figure& figure,
                 const std::string& folder);

}  // namespace tilewright::lab::report
