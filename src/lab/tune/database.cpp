// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/database.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "engine/tuned_file.h"

namespace tilewright::lab {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const std::string& path) {
    throw std::runtime_error(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

class File {
  public:
    File(const std::string& path, int flags) : path_(path) {
        number_ = open(path.c_str(), flags | O_CLOEXEC, 0666);
        if (number_ < 0) fail("write", path);
    }
    ~File() {
        if (number_ >= 0) close(number_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t done = ::write(number_, text.data(), text.size());
            if (done < 0 && errno != EINTR) fail("write", path_);
            if (done > 0) text.remove_prefix(static_cast<size_t>(done));
        }
    }
    /// On disk before the name is: after a loss of power the old text is there, or this one.
    void finish() {
        if (fsync(number_) != 0 && errno != EINVAL) fail("write", path_);
        const int number = std::exchange(number_, -1);
        if (close(number) != 0) fail("write", path_);
    }
    /// Waits for its turn; the lock ends with the object, or with the process.
    void lock() const {
        while (flock(number_, LOCK_EX) != 0)
            if (errno != EINTR) fail("lock", path_);
    }

  private:
    std::string path_;
    int number_;
};

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
        if (std::rename(path.c_str(), kept.c_str()) != 0) fail("rename", path);
        result.remarks.push_back(fmt::format("it is kept as {}", kept));
    } else if (!text.rejected.empty()) {
        const std::string kept = path + ".rejected";
        File file(kept, O_WRONLY | O_CREAT | O_APPEND);
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
    } else if (*known != entry && (merge == Merge::given || entry.date >= known->date)) {
        *known = entry;
        ++result.replaced;
    }
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
    const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
    try {
        File file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
        file.write(text);
        file.finish();
        if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("write", path);
    } catch (...) {
        unlink(temporary.c_str());
        throw;
    }
}

Written add_to_database(const std::string& where, const std::vector<engine::TunedEntry>& entries,
                        Merge merge) {
    std::error_code error;
    // Where links lead: the file is replaced, and they stay.
    const std::string path = fs::weakly_canonical(where, error).string();
    if (error) throw std::runtime_error(fmt::format("cannot write {}: {}", where, error.message()));
    if (fs::is_directory(path, error))
        throw std::runtime_error(fmt::format("cannot write {}: it is a folder", where));
    fs::create_directories(fs::path(path).parent_path(), error);
    const File lock(path + ".lock", O_RDWR | O_CREAT);
    lock.lock();
    engine::TunedFile file = engine::read_tuned_file(path);
    Written result;
    if (file.exists) keep_aside(path, file.text, result);
    std::vector<engine::TunedEntry> all;
    if (!file.text.foreign) all = std::move(file.text.entries);
    for (const engine::TunedEntry& entry : entries) add(all, entry, merge, result);
    write_whole(path, text_of(all));
    return result;
}

std::string date_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace tilewright::lab
