// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/figures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "lab/output.h"
#include "lab/report/browser.h"
#include "lab/usage.h"

namespace tilewright::lab::report {

namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 960;

/// As the page lists them in its text; it lays them out, and so it knows how high each is.
std::vector<Figure> figures_in(const std::string& dump) {
    constexpr std::string_view kStart = "<script type=\"application/json\" id=\"figures\">";
    const size_t start = dump.find(kStart);
    const size_t end = start == dump.npos ? start : dump.find("</script>", start);
    if (end == dump.npos) throw std::runtime_error("--png: the page did not list its figures");
    const size_t from = start + kStart.size();
    std::vector<Figure> figures;
    for (const Json& each : Json::parse(dump.substr(from, end - from)))
        figures.push_back({each.at("name"), each.at("title"), kWidth, each.at("height")});
    return figures;
}

/// FNV-1a: it tells whether a file is the one that the pictures are of.
uint64_t hash_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    uint64_t hash = 0xcbf29ce484222325u;
    for (std::istreambuf_iterator<char> byte(file), end; byte != end; ++byte)
        hash = (hash ^ static_cast<unsigned char>(*byte)) * 0x100000001b3u;
    return hash;
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
    Json list{{"results", Json::array()}, {"hashes", Json::object()}, {"figures", Json::array()}};
    for (const ResultsFile& each : material.files) {
        list["results"].push_back(each.name);
        list["hashes"][each.name] = fmt::format("{:016x}", hash_of(each.path));
    }
    const Figure all{"figures", "", kWidth, kWidth};
    for (const Figure& figure : figures_in(dump_page(browser, file.path(), all))) {
        draw_figure(browser, file.path(), figure, folder);
        list["figures"].push_back({{"file", figure.name + ".png"}, {"title", figure.title}});
    }
    OutputFile((fs::path(folder) / "figures.json").string()).write(list.dump(2) + '\n');
}

}  // namespace tilewright::lab::report
