// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/figures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "lab/output.h"
#include "lab/report/browser.h"
#include "lab/report/kernels.h"
#include "lab/usage.h"

namespace tilewright::lab::report {

namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 960;

/// As high as what they list asks for: heights of a bar and a line are the page's.
std::vector<Figure> figures_of(const Json& squares) {
    int kernels = 0, bars = 0;
    for (const Json& id : squares["ids"]) {
        const std::string family = family_of(id.get<std::string>());
        ++kernels;
        bars += family != "tensor" && family != "engine";
    }
    const auto size = squares["size"].get<int64_t>();
    return {
        {"ladder", fmt::format("GFLOP/s at {0} x {0} x {0}", size), kWidth, 190 + 19 * bars},
        {"sizes", "GFLOP/s over size, all kernels", kWidth, 680},
        {"heat", "GFLOP/s by kernel and size", kWidth, 115 + 28 * kernels},
    };
}

/// The page in a file that is gone afterwards.
class PageFile {
  public:
    explicit PageFile(const std::string& page)
        : path_(fs::temp_directory_path() / fmt::format("tilewright-report-{}.html", getpid())) {
        OutputFile(path_.string()).write(page);
    }
    ~PageFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    PageFile(const PageFile&) = delete;
    PageFile& operator=(const PageFile&) = delete;
    std::string path() const { return path_.string(); }

  private:
    fs::path path_;
};

}  // namespace

void write_figures(const std::string& browser, const Material& material, const std::string& page,
                   const std::string& folder) {
    const Json squares = squares_panel(material);
    if (squares.contains("missing"))
        throw UsageError("--png: " + squares["missing"].get<std::string>());
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw UsageError(fmt::format("--png: no folder {}: {}", folder, error.message()));
    const PageFile file(page);
    Json list{{"results", Json::array()}, {"figures", Json::array()}};
    for (const ResultsFile& each : material.files) list["results"].push_back(each.name);
    for (const Figure& figure : figures_of(squares)) {
        draw_figure(browser, file.path(), figure, folder);
        list["figures"].push_back({{"file", figure.name + ".png"}, {"title", figure.title}});
    }
    OutputFile((fs::path(folder) / "figures.json").string()).write(list.dump(2) + '\n');
}

}  // namespace tilewright::lab::report
