// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/database.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "engine/tuned_file.h"
#include "lab/atomic_file.h"

namespace tilewright::lab {

namespace {

namespace fs = std::filesystem;

/// The first of these names that is free.
std::string free_name(const std::string& path) {
    std::error_code ignored;
    for (int i = 1;; ++i) {
        std::string name = fmt::format("{}.kept-{}", path, i);
        if (!fs::exists(fs::symlink_status(name, ignored))) return name;
    }
}

void keep_aside(const std::string& path, const engine::TunedText& text, Written& result) {
    for (const std::string& complaint : text.complaints)
        result.remarks.push_back(fmt::format("{}: {}", path, complaint));
    if (text.foreign) {
        const std::string kept = free_name(path);
        if (std::rename(path.c_str(), kept.c_str()) != 0)
            throw std::runtime_error(
                fmt::format("cannot rename {} to {}: {}", path, kept, std::strerror(errno)));
        result.remarks.push_back(fmt::format("it is kept as {}", kept));
    } else if (!text.rejected.empty()) {
        const std::string kept = path + ".rejected";
        WritableFile file(kept, O_WRONLY | O_CREAT | O_APPEND);
        for (const std::string& line : text.rejected) file.write(line + '\n');
        file.finish();
        result.remarks.push_back(fmt::format("what is no entry is kept in {}", kept));
    }
}

void add(std::vector<engine::TunedEntry>& all, const engine::TunedEntry& entry, Merge merge,
         Written& result) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const engine::TunedEntry& each) {
        return same_key(each, entry);
    });
    if (known == all.end()) {
        all.push_back(entry);
        ++result.added;
    } else if (*known != entry && merge != Merge::first &&
               (merge == Merge::given || entry.date >= known->date)) {
        *known = entry;
        ++result.replaced;
    }
}

}  // namespace

Written add_to_database(const std::string& where, const std::vector<engine::TunedEntry>& entries,
                        Merge merge) {
    const std::string path = target_of(where);
    std::error_code error;
    if (fs::is_directory(path, error))
        throw std::runtime_error(fmt::format("cannot write {}: it is a folder", where));
    if (!is_replaced(path))
        throw std::runtime_error(fmt::format("cannot write {}: it is no file", where));
    if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
        fs::create_directories(folder, error);
    const WritableFile lock(path + ".lock", O_RDWR | O_CREAT);
    lock.lock();
    engine::TunedFile file = engine::read_tuned_file(path);
    if (file.unreadable)
        throw std::runtime_error(
            fmt::format("{} stays as it is: {}", where, file.text.complaints.front()));
    Written result;
    if (file.exists) keep_aside(path, file.text, result);
    std::vector<engine::TunedEntry> all;
    if (!file.text.foreign) all = std::move(file.text.entries);
    for (const engine::TunedEntry& entry : entries) add(all, entry, merge, result);
    replace_file(path, text_of(all));
    return result;
}

std::string date_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace tilewright::lab
