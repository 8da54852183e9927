// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Files that are replaced as a whole: readers see the old text or the new one.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::lab {

/// Of a descriptor. All that fails throws std::runtime_error, which names the file and why.
class WritableFile {
  public:
    /// `flags` of open().
    WritableFile(const std::string& path, int flags);
    ~WritableFile();
    WritableFile(const WritableFile&) = delete;
    WritableFile& operator=(const WritableFile&) = delete;

    void write(std::string_view text) const;
    /// On disk before the name is: after a loss of power the old text is there, or this one.
    void finish();
    /// Waits for its turn; the lock ends with the object, or with the process.
    void lock() const;

  private:
    std::string path_;
    int number_;
};

/// What must not be replaced is no file: a device such as /dev/stdout is written as it is.
bool is_replaced(const std::string& path);

/// Where links lead, be it to what is not there yet: the file is replaced, and the links stay.
std::string target_of(const std::string& path);

/// In one piece, or not at all. Throws std::runtime_error.
void replace_file(const std::string& path, std::string_view text);

/// Beside the path, so that it can be renamed to it.
std::string temporary_beside(const std::string& path);

}  // namespace tilewright::lab
