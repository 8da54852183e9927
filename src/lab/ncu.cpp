// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/ncu.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "lab/device.h"
#include "lab/text.h"

namespace tilewright::lab {

namespace {

namespace fs = std::filesystem;

/// For sh.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// Fields of a line of CSV; quotes may hold commas, and quotes written twice.
std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields(1);
    bool inside = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (c == '"')
            inside = !inside;
        else if (c == ',' && !inside)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

/// "1,234.5": in the C locale, commas only group digits. None of "n/a".
std::optional<double> number_of(std::string text) {
    std::erase(text, ',');
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || !std::isfinite(value)) return {};
    return value;
}

}  // namespace

std::optional<std::string> find_ncu() {
    std::vector<std::string> folders;
    if (const char* path = std::getenv("PATH")) {
        std::string folder;
        for (const char* c = path;; ++c) {
            if (*c && *c != ':') {
                folder += *c;
                continue;
            }
            if (!folder.empty()) folders.push_back(std::exchange(folder, {}));
            if (!*c) break;
        }
    }
    folders.push_back("/usr/local/cuda/bin");
    for (const std::string& folder : folders) {
        std::error_code ignored;
        const fs::path program = fs::path(folder) / "ncu";
        if (fs::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0)
            return program.string();
    }
    return {};
}

double ProfiledLaunch::metric(const std::string& name) const {
    const auto found = metrics.find(name);
    if (found == metrics.end())
        throw DeviceError(
            fmt::format("ncu has no number for {} of {}: this GPU or this ncu may lack the metric",
                        name, kernel));
    return found->second;
}

std::vector<ProfiledLaunch> parse_ncu(const std::string& csv) {
    std::vector<std::string> header;
    std::vector<ProfiledLaunch> launches;
    for (const std::string& line : split_lines(csv)) {
        if (!line.starts_with('"')) continue;
        const std::vector<std::string> fields = fields_of(line);
        if (header.empty()) {
            if (fields.front() == "ID") header = fields;
            continue;
        }
        if (fields.front().empty()) continue;  // units
        if (fields.size() != header.size())
            throw DeviceError(fmt::format("ncu's line of launch {} has {} fields, its header {}",
                                          fields.front(), fields.size(), header.size()));
        ProfiledLaunch launch;
        for (size_t i = 0; i < fields.size(); ++i) {
            if (header[i] == "Kernel Name") launch.kernel = fields[i];
            if (const auto value = number_of(fields[i])) launch.metrics[header[i]] = *value;
        }
        launches.push_back(std::move(launch));
    }
    if (launches.empty()) throw DeviceError("ncu reported no kernel");
    return launches;
}

std::vector<ProfiledLaunch> run_ncu(const std::string& ncu, const std::vector<std::string>& metrics,
                                    const std::vector<std::string>& arguments) {
    // The clocks stay as they are: counts do not depend on them, and other work may.
    std::string command = "LC_ALL=C " + quoted(ncu) +
                          " --clock-control none --csv --page raw --print-units base "
                          "--kernel-name regex:sgemm --metrics " +
                          quoted(join(metrics, ",")) + ' ' +
                          quoted(fs::read_symlink("/proc/self/exe").string());
    for (const std::string& argument : arguments) command += ' ' + quoted(argument);
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (!pipe) throw DeviceError("cannot start " + ncu);
    std::string output;
    char buffer[4096];
    while (const size_t read = std::fread(buffer, 1, sizeof buffer, pipe))
        output.append(buffer, read);
    const int status = pclose(pipe);
    const auto complaint = [&] {
        std::string told;
        for (const std::string& line : split_lines(output))
            if (line.find("==ERROR==") != line.npos || line.starts_with("tilewright:"))
                told += (told.empty() ? "" : "; ") + line;
        return told;
    };
    if (output.find("ERR_NVGPUCTRPERM") != output.npos)
        throw DeviceError(
            "ncu may not read this GPU's counters: run as root, or load the driver with "
            "NVreg_RestrictProfilingToAdminUsers=0 (developer.nvidia.com/ERR_NVGPUCTRPERM)");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !complaint().empty())
        throw DeviceError(fmt::format("ncu failed: {}", complaint()));
    return parse_ncu(output);
}

}  // namespace tilewright::lab
