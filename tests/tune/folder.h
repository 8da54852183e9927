// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A folder and variables of the environment that are as they were when a test has ended.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace tilewright::test {

class Folder {
  public:
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "tilewright-XXXXXX";
        if (mkdtemp(name.data())) path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string operator/(const std::string& name) const { return path_ + '/' + name; }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(*this / name, std::ios::binary) << text;
    }
    std::string read(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(*this / name, std::ios::binary).rdbuf();
        return text.str();
    }

  private:
    std::string path_;
};

/// Unset at first.
class Variable {
  public:
    explicit Variable(const char* name) : name_(name) {
        if (const char* value = std::getenv(name)) before_ = value;
        unset();
    }
    ~Variable() { before_ ? set(*before_) : unset(); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

    void set(const std::string& value) const { setenv(name_, value.c_str(), 1); }
    void unset() const { unsetenv(name_); }

  private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace tilewright::test
