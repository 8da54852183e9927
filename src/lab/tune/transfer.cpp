// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/transfer.h"

#include <fmt/format.h>

#include <stdexcept>

#include "lab/output.h"
#include "lab/tune/context.h"
#include "lab/tune/database.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

void complain(const std::string& path, const engine::TunedText& text) {
    for (const std::string& complaint : text.complaints)
        fmt::print(stderr, "tilewright: {}: {}\n", path, complaint);
}

}  // namespace

int export_database(const std::string& to) {
    const std::string path = database_path();
    const engine::TunedFile file = engine::read_tuned_file(path);
    complain(path, file.text);
    if (file.unreadable || file.text.foreign)
        throw std::runtime_error(fmt::format("nothing is exported from {}", path));
    OutputFile(to, "--export").write(text_of(file.text.entries));
    fmt::print(stderr, "{} entries from {}\n", file.text.entries.size(), path);
    return kRight;
}

int import_database(const std::string& from, bool newer_alone) {
    const std::string path = database_path();
    const engine::TunedFile file = engine::read_tuned_file(from);
    complain(from, file.text);
    if (!file.exists) throw std::runtime_error(fmt::format("{}: No such file", from));
    if (file.unreadable || file.text.foreign)
        throw std::runtime_error(fmt::format("nothing is imported from {}", from));
    const Written written =
        add_to_database(path, file.text.entries, newer_alone ? Merge::newest : Merge::given);
    for (const std::string& remark : written.remarks)
        fmt::print(stderr, "tilewright: {}\n", remark);
    fmt::print("{} entries added to {}, {} replaced, {} as they were\n", written.added, path,
               written.replaced, std::ssize(file.text.entries) - written.added - written.replaced);
    return kRight;
}

}  // namespace tilewright::lab
