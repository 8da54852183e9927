// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/host.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

namespace tilewright::lab {

namespace {

/// What follows `key` and the separator in the first line that starts with it.
std::string value_of(const char* path, std::string_view key, char separator) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        size_t at = line.find(separator);
        if (at == line.npos) continue;
        at = line.find_first_not_of(" \t\"", at + 1);
        const size_t end = line.find_last_not_of(" \t\"");
        if (at != line.npos && end >= at) return line.substr(at, end - at + 1);
    }
    return {};
}

std::optional<size_t> number_in(const char* path) {
    std::ifstream file(path);
    size_t number;
    if (file >> number) return number;
    return std::nullopt;  // also "max"
}

}  // namespace

std::string host_processor() {
    std::string model = value_of("/proc/cpuinfo", "model name", ':');
    return model.empty() ? "unknown processor" : model;
}

std::string host_system() {
    std::string name = value_of("/etc/os-release", "PRETTY_NAME", '=');
    utsname system{};
    if (uname(&system) != 0) return name;
    return fmt::format("{}, {} {} {}", name.empty() ? "unknown distribution" : name, system.sysname,
                       system.release, system.machine);
}

HostMemory host_memory() {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    HostMemory memory{static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * page,
                      static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) * page};
    // Free pages alone would leave out the page cache, which gives way.
    const std::string available = value_of("/proc/meminfo", "MemAvailable", ':');
    if (!available.empty()) memory.available = std::stoull(available) * 1024;
    const auto limit = number_in("/sys/fs/cgroup/memory.max");
    const auto used = number_in("/sys/fs/cgroup/memory.current");
    if (limit && used) {
        memory.total = std::min(memory.total, *limit);
        memory.available = std::min(memory.available, *limit > *used ? *limit - *used : 0);
    }
    return memory;
}

}  // namespace tilewright::lab
