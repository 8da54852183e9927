// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "lab/atomic_file.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

namespace fs = std::filesystem;

void write_file(const std::string& path, const std::string& text,
                std::ios::openmode mode = std::ios::trunc) {
    std::ofstream file(path, std::ios::binary | mode);
    file << text;
    file.close();
    if (!file)
        throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const char* option) : path_(target_of(path)) {
    if (path_.empty()) return;
    std::error_code ignored;
    const auto fail = [&](const char* reason) {
        throw UsageError(fmt::format("{}: cannot write {}: {}", option, path, reason));
    };
    if (fs::is_directory(path_, ignored)) fail("it is a folder");
    if (fs::exists(path_, ignored) && access(path_.c_str(), W_OK) != 0) fail(std::strerror(errno));
    if (!is_replaced(path_)) return;
    if (fs::is_symlink(path_, ignored)) fail(std::strerror(ELOOP));
    const std::string probe = temporary_beside(path_);
    std::FILE* file = std::fopen(probe.c_str(), "w");
    if (!file) fail(std::strerror(errno));
    std::fclose(file);
    std::remove(probe.c_str());
}

void OutputFile::write(const std::string& text) const {
    if (path_.empty()) return;
    if (!is_replaced(path_)) return write_file(path_, text);
    replace_file(path_, text);
}

void OutputFile::append(const std::string& text) const {
    write_file(path_, text, std::ios::app);
}

Progress::Progress(bool quiet) : visible_(!quiet && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    clear();
}

void Progress::clear() {
    if (dirty_) std::fputs("\r\033[K", stderr);
    dirty_ = false;
}

void Progress::operator()(const std::string& message) {
    if (!visible_) return;
    std::fprintf(stderr, "\r\033[K%.79s", message.c_str());
    dirty_ = true;
}

bool colours() {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return (!no_colour || !*no_colour) && isatty(STDOUT_FILENO) == 1 && terminal &&
           std::strcmp(terminal, "dumb") != 0;
}

Report::Report(const Options& options, nlohmann::ordered_json environment,
               std::function<std::string(std::span<const Row>)> for_people)
    : format_(row_format_of(options)),
      quiet_(options.quiet),
      file_(options.output),
      environment_(std::move(environment)),
      for_people_(std::move(for_people)) {
    if (format_ != Format::jsonl) return;
    file_.write("");  // in place of what was there
    add_line({{"environment", environment_}});
}

void Report::add_line(const nlohmann::ordered_json& json) const {
    const std::string line =
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    file_ ? file_.append(line) : print(line);
}

std::string Report::render(Format format) const {
    if (format == Format::csv) return csv_table(rows_).csv();
    if (format != Format::json) return for_people_(rows_);
    nlohmann::ordered_json all{{"environment", environment_},
                               {"results", nlohmann::ordered_json::array()}};
    for (const Row& row : rows_) all["results"].push_back(json_of(row));
    return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void Report::add(std::span<const Row> rows) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    if (format_ == Format::jsonl) {
        for (const Row& row : rows) add_line(json_of(row));
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (!file_ || now - written_ < std::chrono::seconds(1)) return;
    file_.write(render(format_));
    written_ = now;
}

void Report::finish() {
    if (format_ == Format::jsonl) {
        if (file_ && !quiet_) print(for_people_(rows_));
        return;
    }
    deliver(file_, format_, quiet_, [this](Format format) { return render(format); });
}

void deliver(const OutputFile& file, Format format, bool quiet,
             const std::function<std::string(Format)>& render) {
    file.write(render(format));
    if (file && quiet) return;
    print(render(file ? Format::table : format));
}

void deliver(const Options& options, const std::string& text) {
    const OutputFile file(options.output);
    file.write(text);
    if (!file) std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace tilewright::lab
