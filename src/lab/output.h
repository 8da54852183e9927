// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Where a run's data and progress go: data to stdout and files, progress to a terminal.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "lab/options.h"
#include "lab/results.h"

namespace tilewright::lab {

/// A file that is replaced as a whole: readers see the old text or the new one.
class OutputFile {
  public:
    /// Throws UsageError, which names the option, when the file could not be written. An empty path
    /// means no file.
    explicit OutputFile(const std::string& path, const char* option = "--output");
    explicit operator bool() const { return !path_.empty(); }
    /// Throws std::runtime_error.
    void write(const std::string& text) const;
    /// The same behind what is there, at once.
    void append(const std::string& text) const;

  private:
    std::string path_;
};

/// One line on stderr that each message replaces; silent unless stderr is a terminal.
class Progress {
  public:
    explicit Progress(bool quiet);
    ~Progress();
    void operator()(const std::string& message);
    void clear();

  private:
    bool visible_, dirty_ = false;
};

/// stdout is a terminal that shows colours, and NO_COLOR is not set.
bool colours();

/// Gathers rows and prints them at the end in the format asked for. With an output file, what came
/// until a second ago is on disk already. JSON lines, the environment and then each row, are written
/// as they come.
class Report {
  public:
    /// `for_people` makes the table form of all rows.
    Report(const Options& options, nlohmann::ordered_json environment,
           std::function<std::string(std::span<const Row>)> for_people);

    void add(std::span<const Row> rows);
    std::span<const Row> rows() const { return rows_; }

    /// Prints to stdout and completes the file.
    void finish();

  private:
    std::string render(Format format) const;
    void add_line(const nlohmann::ordered_json& json) const;

    Format format_;
    bool quiet_;
    OutputFile file_;
    nlohmann::ordered_json environment_;
    std::function<std::string(std::span<const Row>)> for_people_;
    std::vector<Row> rows_;
    std::chrono::steady_clock::time_point written_;
};

/// To the file in this format, and to stdout, where people get the table when there is a file, and
/// nothing when they want quiet.
void deliver(const OutputFile& file, Format format, bool quiet,
             const std::function<std::string(Format)>& render);

/// Text to stdout or the file of a verb that has no rows.
void deliver(const Options& options, const std::string& text);

}  // namespace tilewright::lab
