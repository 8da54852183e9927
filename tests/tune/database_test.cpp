// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The tuning database: what is written is read again, whatever others write, and whatever was there.
#include "lab/tune/database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <filesystem>
#include <fstream>

#include "engine/tuned_file.h"
#include "lab/atomic_file.h"
#include "tune/folder.h"

namespace tilewright::lab {
namespace {

using engine::TunedEntry;

TunedEntry entry_of(int64_t size, const std::string& date = "2026-12-01T00:00:00Z") {
    return {.subject = engine::kEngine,
            .device = {"NVIDIA H200", 132, 90},
            .version = engine::kernels_version(),
            .problem = {.m = size, .n = size, .k = size},
            .kernel = "tile/64x64 parts=4",
            .median_us = 12.25,
            .spread_us = 0.5,
            .samples = 9,
            .date = date};
}

std::vector<TunedEntry> entries_in(const std::string& path) {
    const auto file = engine::read_tuned_file(path);
    EXPECT_TRUE(file.text.complaints.empty()) << file.text.complaints.front();
    return file.text.entries;
}

TEST(Database, KeepsWhatWasWritten) {
    const test::Folder folder;
    const std::string path = folder / "a/b/tuning.tsv";  // folders are made
    TunedEntry odd = entry_of(64);
    odd.device.name = "odd\tname\\ with\nlines, \"quotes\" \xe2\x84\xa2\r";
    odd.problem = {Arithmetic::fp16x3, true, false, false, 1, 2, INT64_MAX, 7};
    odd.median_us = 1e-3, odd.spread_us = 123456.789012345;
    const std::vector<TunedEntry> entries{entry_of(32), odd};
    EXPECT_EQ(add_to_database(path, entries, Merge::newest).added, 2);
    EXPECT_EQ(entries_in(path), entries);
}

TEST(Database, KeepsTheNewestOrTheGiven) {
    const test::Folder folder;
    const std::string path = folder / "tuning.tsv";
    const TunedEntry late = entry_of(32, "2026-12-02T00:00:00Z");
    TunedEntry early = entry_of(32);
    early.kernel = "tile/128x64";
    add_to_database(path, {late}, Merge::newest);
    EXPECT_EQ(add_to_database(path, {early}, Merge::newest).replaced, 0);
    EXPECT_EQ(entries_in(path), std::vector{late});
    EXPECT_EQ(add_to_database(path, {early}, Merge::given).replaced, 1);
    EXPECT_EQ(entries_in(path), std::vector{early});
    EXPECT_EQ(add_to_database(path, {late}, Merge::newest).replaced, 1);
}

TEST(Database, LosesNothingOfManyWriters) {
    const test::Folder folder;
    const std::string path = folder / "tuning.tsv";
    constexpr int kWriters = 8, kEach = 12;
    for (int writer = 0; writer < kWriters; ++writer)
        if (fork() == 0) {
            for (int i = 0; i < kEach; ++i)
                add_to_database(path, {entry_of(1 + writer * kEach + i)}, Merge::newest);
            _exit(0);
        }
    for (int writer = 0; writer < kWriters; ++writer) {
        int status = 0;
        wait(&status);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(entries_in(path).size(), static_cast<size_t>(kWriters * kEach));
}

TEST(Database, IgnoresWhatIsNoEntryAndKeepsIt) {
    const test::Folder folder;
    const std::string path = folder / "tuning.tsv", good = line_of(entry_of(32));
    std::string bad_time = good;
    bad_time.replace(bad_time.find("12.25"), 5, "nan");
    folder.write("tuning.tsv", "tilewright-tuning 1\n" + good + "rubbish\n" + bad_time +
                                   std::string("\0\xff\t\n", 4) + "# a remark\n");
    const auto read = engine::read_tuned_file(path);
    EXPECT_EQ(read.text.entries.size(), 1u);
    ASSERT_EQ(read.text.complaints.size(), 1u);
    EXPECT_EQ(read.text.complaints[0],
              "line 3 is no entry: it does not have 17 fields; 2 more like it");
    const Written written = add_to_database(path, {entry_of(64)}, Merge::newest);
    EXPECT_EQ(written.remarks.size(), 2u);
    EXPECT_EQ(entries_in(path).size(), 2u);
    EXPECT_EQ(folder.read("tuning.tsv.rejected"),
              "rubbish\n" + bad_time + std::string("\0\xff\t\n", 4));
}

TEST(Database, CutOffAnywhereItHoldsWholeLinesAlone) {
    const std::string text = text_of(std::vector{entry_of(32), entry_of(64)});
    for (size_t size = 0; size < text.size(); ++size) {
        const auto read = engine::parse_tuned(text.substr(0, size));
        for (const TunedEntry& entry : read.entries)
            EXPECT_TRUE(entry == entry_of(32) || entry == entry_of(64)) << size;
        EXPECT_LE(read.entries.size(), size + 1 >= text.size() ? 2u : 1u);
    }
    EXPECT_EQ(engine::parse_tuned(text).entries.size(), 2u);
}

TEST(Database, OfANewerSchemaIsKeptAside) {
    const test::Folder folder;
    const std::string newer = "tilewright-tuning 2\nwho knows\n";
    folder.write("tuning.tsv", newer);
    const auto read = engine::read_tuned_file(folder / "tuning.tsv");
    EXPECT_TRUE(read.text.foreign);
    EXPECT_EQ(read.text.complaints[0], "it has schema 2 of a newer version; this one reads 1");
    add_to_database(folder / "tuning.tsv", {entry_of(32)}, Merge::newest);
    EXPECT_EQ(entries_in(folder / "tuning.tsv").size(), 1u);
    EXPECT_EQ(folder.read("tuning.tsv.kept-1"), newer);
    folder.write("tuning.tsv", "a letter to my aunt\n");
    add_to_database(folder / "tuning.tsv", {entry_of(32)}, Merge::newest);
    EXPECT_EQ(folder.read("tuning.tsv.kept-2"), "a letter to my aunt\n");
}

TEST(Database, OddPlacesAreNamedAndNotWaitedFor) {
    const test::Folder folder;
    const std::string odd = folder / "o d d \xc3\xa4 '\"%s\n/tuning.tsv";
    add_to_database(odd, {entry_of(32)}, Merge::newest);
    EXPECT_EQ(entries_in(odd).size(), 1u);
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(engine::read_tuned_file(pipe).text.complaints.at(0),
              "it cannot be read: it is no file");
    EXPECT_FALSE(engine::read_tuned_file("/dev/zero").text.complaints.empty());
    EXPECT_FALSE(engine::read_tuned_file(folder / "nowhere/tuning.tsv").exists);
    folder.write("huge", "");
    ASSERT_EQ(truncate((folder / "huge").c_str(), off_t{1} << 40), 0);
    EXPECT_TRUE(engine::read_tuned_file(folder / "huge").unreadable);
    EXPECT_THROW(add_to_database(folder / "", {}, Merge::newest), std::runtime_error);
    EXPECT_THROW(add_to_database("/proc/nothing/tuning.tsv", {}, Merge::newest),
                 std::runtime_error);
    EXPECT_THROW(replace_file("/dev/full/x", "text"), std::runtime_error);
}

TEST(Database, LinksStay) {
    const test::Folder folder;
    folder.write("real.txt", "");
    ASSERT_EQ(symlink((folder / "real.txt").c_str(), (folder / "link.txt").c_str()), 0);
    add_to_database(folder / "link.txt", {entry_of(32)}, Merge::newest);
    EXPECT_EQ(entries_in(folder / "real.txt").size(), 1u);
}

TEST(Database, LinksToWhatIsNotThereStay) {
    const test::Folder folder;
    ASSERT_EQ(symlink("real.txt", (folder / "link.txt").c_str()), 0);
    add_to_database(folder / "link.txt", {entry_of(32)}, Merge::newest);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
    EXPECT_EQ(entries_in(folder / "real.txt").size(), 1u);
}

/// What may be somebody's entries is neither replaced nor renamed.
void expect_untouched(const std::string& path) {
    struct stat before {
    }, after{};
    ASSERT_EQ(lstat(path.c_str(), &before), 0);
    const auto read = engine::read_tuned_file(path);
    EXPECT_TRUE(read.exists && read.unreadable) << path;
    EXPECT_FALSE(read.text.foreign) << path;
    EXPECT_EQ(read.text.complaints.size(), 1u) << path;
    EXPECT_THROW(add_to_database(path, {entry_of(32)}, Merge::newest), std::runtime_error);
    ASSERT_EQ(lstat(path.c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino) << path;
    EXPECT_EQ(before.st_mode, after.st_mode) << path;
}

TEST(Database, WhatCannotBeReadStays) {
    const test::Folder folder;
    expect_untouched("/dev/null");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    expect_untouched(folder / "pipe");
    ASSERT_EQ(symlink("loop", (folder / "loop").c_str()), 0);
    expect_untouched(folder / "loop");
    folder.write("huge", "");
    ASSERT_EQ(truncate((folder / "huge").c_str(), off_t{1} << 40), 0);
    expect_untouched(folder / "huge");
    ASSERT_EQ(mkdir((folder / "folder").c_str(), 0700), 0);
    expect_untouched(folder / "folder");
    if (geteuid() == 0) return;  // who may read everything
    add_to_database(folder / "secret", {entry_of(32)}, Merge::newest);
    ASSERT_EQ(chmod((folder / "secret").c_str(), 0), 0);
    expect_untouched(folder / "secret");
}

TEST(Database, KeepsTheFirstWhereAskedTo) {
    const test::Folder folder;
    const std::string path = folder / "tuning.tsv";
    const TunedEntry first = entry_of(32), later = entry_of(32, "2027-01-01T00:00:00Z");
    EXPECT_EQ(add_to_database(path, {first}, Merge::first).added, 1);
    const Written again = add_to_database(path, {later}, Merge::first);
    EXPECT_EQ(again.added + again.replaced, 0);
    EXPECT_EQ(entries_in(path), std::vector{first});
}

/// With a decimal comma, where the system has such a locale.
TEST(Database, KnowsNoLocale) {
    const std::string text = text_of(std::vector{entry_of(32)});
    EXPECT_NE(text.find("\t12.25\t0.5\t"), text.npos);
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"}) {
        if (!std::setlocale(LC_ALL, name)) continue;
        EXPECT_EQ(text_of(std::vector{entry_of(32)}), text) << name;
        EXPECT_EQ(engine::parse_tuned(text).entries, std::vector{entry_of(32)}) << name;
    }
    std::setlocale(LC_ALL, "C");
}

TEST(Place, FollowsTheEnvironment) {
    test::Variable tuning("TILEWRIGHT_TUNING"), data("XDG_DATA_HOME"), home("HOME");
    home.set("/home/me");
    EXPECT_EQ(engine::tuned_place().path, "/home/me/.local/share/tilewright/tuning.tsv");
    data.set("relative");
    EXPECT_EQ(engine::tuned_place().path, "/home/me/.local/share/tilewright/tuning.tsv");
    data.set("/data");
    EXPECT_EQ(engine::tuned_place().path, "/data/tilewright/tuning.tsv");
    tuning.set("here.txt");
    EXPECT_EQ(engine::tuned_place().path, "here.txt");
    for (const char* none : {"off", "/dev/null"}) {
        tuning.set(none);
        EXPECT_EQ(engine::tuned_place().path, "");
        EXPECT_EQ(engine::tuned_place().why, std::string("TILEWRIGHT_TUNING=") + none);
    }
    tuning.unset(), data.unset(), home.unset();
    EXPECT_EQ(engine::tuned_place().why, "neither XDG_DATA_HOME nor HOME names a folder");
    EXPECT_TRUE(engine::tuned_for({"NVIDIA H200", 132, 90})->empty());
}

}  // namespace
}  // namespace tilewright::lab
