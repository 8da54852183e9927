// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace tilewright::lab {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const std::string& path) {
    throw std::runtime_error(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

}  // namespace

WritableFile::WritableFile(const std::string& path, int flags) : path_(path) {
    number_ = open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (number_ < 0) fail("write", path);
}

WritableFile::~WritableFile() {
    if (number_ >= 0) close(number_);
}

void WritableFile::write(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t done = ::write(number_, text.data(), text.size());
        if (done < 0 && errno != EINTR) fail("write", path_);
        if (done > 0) text.remove_prefix(static_cast<size_t>(done));
    }
}

void WritableFile::finish() {
    if (fsync(number_) != 0 && errno != EINVAL) fail("write", path_);
    const int number = std::exchange(number_, -1);
    if (close(number) != 0) fail("write", path_);
}

void WritableFile::lock() const {
    while (flock(number_, LOCK_EX) != 0)
        if (errno != EINTR) fail("lock", path_);
}

bool is_replaced(const std::string& path) {
    std::error_code ignored;
    return !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
}

std::string target_of(const std::string& path) {
    constexpr int kMostLinks = 40;  // as many as Linux follows
    fs::path target = path;
    std::error_code ignored;
    for (int i = 0; i < kMostLinks && fs::is_symlink(target, ignored) && is_replaced(target); ++i)
        target = target.parent_path() / fs::read_symlink(target, ignored);
    return target;
}

std::string temporary_beside(const std::string& path) {
    return fmt::format("{}.{}.tmp", path, getpid());
}

void replace_file(const std::string& path, std::string_view text) {
    const std::string temporary = temporary_beside(path);
    try {
        WritableFile file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
        file.write(text);
        file.finish();
        if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("write", path);
    } catch (...) {
        unlink(temporary.c_str());
        throw;
    }
}

}  // namespace tilewright::lab
