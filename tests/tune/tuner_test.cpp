// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A tuner among kernels that crash, hang and cheat: each costs itself alone, and is called by its name.
#include "lab/tune/tuner.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "lab/interrupt.h"
#include "tune/folder.h"
#include "tune/planted.h"

namespace tilewright::lab {
namespace {

TuneSettings quick() {
    TuneSettings settings;
    settings.seconds[0] = settings.seconds[1] = settings.seconds[2] = 0.005;
    settings.step_timeout = 2;
    settings.start_pause = 0.05;
    return settings;
}

Tuning tune_planted(const std::vector<std::string>& names, const TuneSettings& settings = quick(),
                    Journal journal = {}) {
    Child child({test::kChild});
    return tune(child, journal, test::planted(names), {}, settings);
}

std::map<std::string, std::string> reasons_of(const Tuning& tuning) {
    std::map<std::string, std::string> reasons;
    for (const Tried& tried : tuning.tried)
        reasons[tried.candidate.name] =
            std::string(name_of(tried.outcome)) + (tried.reason.empty() ? "" : ": ") + tried.reason;
    return reasons;
}

TEST(Tuner, SurvivesWhatItTries) {
    const Tuning tuning =
        tune_planted({"crashes", "right", "hangs", "hangs later", "exits", "complains and aborts",
                      "refuses", "spoils", "is spoilt", "slow"});
    const auto reasons = reasons_of(tuning);
    EXPECT_EQ(reasons.at("crashes"),
              "failed: its process was ended by signal 11 (Segmentation fault)");
    EXPECT_EQ(reasons.at("hangs"), "failed: it did not end within 2 s, and was ended");
    EXPECT_EQ(reasons.at("hangs later"), "failed: it did not end within 2 s, and was ended");
    EXPECT_EQ(reasons.at("exits"), "failed: its process exited with status 0");
    EXPECT_TRUE(reasons.at("complains and aborts").ends_with(": the tile does not fit"));
    EXPECT_EQ(reasons.at("refuses"), "failed: not today");
    EXPECT_TRUE(reasons.at("spoils").starts_with("wrong: "));
    for (const char* fine : {"right", "slow", "is spoilt"}) EXPECT_EQ(reasons.at(fine), "ok");
    ASSERT_NE(tuning.best(), nullptr);
    EXPECT_NE(tuning.best()->candidate.name, "slow");
    EXPECT_TRUE(tuning.complete);
    EXPECT_EQ(tuning.best()->stage, 2);
    for (const Tried& tried : tuning.tried) EXPECT_EQ(tried.ok(), !tried.samples.empty());
}

TEST(Tuner, FindsOutWhoCheats) {
    const auto reasons = reasons_of(
        tune_planted({"wrong", "lazy", "lazy in part", "right once", "remembers", "right"}));
    EXPECT_NE(reasons.at("wrong").find(" of 1920 elements wrong"), std::string::npos);
    EXPECT_NE(reasons.at("lazy").find("1920 of 1920 elements are the NaN"), std::string::npos);
    EXPECT_NE(reasons.at("lazy in part").find("48 of 1920 elements are the NaN"),
              std::string::npos);
    for (const char* later : {"right once", "remembers"})
        EXPECT_TRUE(
            reasons.at(later).starts_with("wrong: right at first, not after it was timed: "))
            << reasons.at(later);
    EXPECT_EQ(reasons.at("right"), "ok");
}

TEST(Tuner, HasNoBestWhereNothingIsRight) {
    const Tuning tuning = tune_planted({"wrong", "crashes"});
    EXPECT_EQ(tuning.best(), nullptr);
    for (const Tried& tried : tuning.tried) EXPECT_TRUE(tried.samples.empty());
}

TEST(Tuner, WhatIsFasterThanThePeakHasFailed) {
    TuneSettings settings = quick();
    settings.implausible = [](double us, int sets) {
        EXPECT_GT(us, 0);
        EXPECT_GE(sets, 1);
        return std::string("it would exceed the peak of 10");
    };
    const Tuning tuning = tune_planted({"right"}, settings);
    EXPECT_EQ(tuning.best(), nullptr);
    EXPECT_NE(tuning.tried[0].reason.find("would exceed the peak of 10"), std::string::npos);
}

TEST(Tuner, CallsATieATie) {
    // Whatever this machine is busy with: the same kernel twice, in turns.
    TuneSettings settings = quick();
    settings.seconds[2] = 0.05;
    int tied = 0;
    for (int i = 0; i < 3 && tied == 0; ++i) {
        const Tuning tuning = tune_planted({"right", "slow", "right too"}, settings);
        ASSERT_NE(tuning.best(), nullptr);
        for (const Tried& tried : tuning.tried) {
            tied += tried.tied;
            EXPECT_FALSE(tried.tied && tried.candidate.name == "slow");
        }
    }
    EXPECT_GT(tied, 0);
    EXPECT_TRUE((Interval{1, 2}.overlaps({2, 3})));
    EXPECT_TRUE((Interval{1, 4}.overlaps({2, 3})));
    EXPECT_FALSE((Interval{1, 2}.overlaps({2.1, 3})));
    const Interval middle = interval_of({5, 1, 2, 3, 4});
    EXPECT_EQ(middle.low, 2);
    EXPECT_EQ(middle.high, 4);
}

TEST(Tuner, EndsWithItsBudget) {
    TuneSettings settings = quick();
    settings.budget = 3;
    settings.step_timeout = 60;
    const auto begin = std::chrono::steady_clock::now();
    const Tuning tuning = tune_planted({"right", "hangs", "right too"}, settings);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
    EXPECT_FALSE(tuning.complete);
    const auto reasons = reasons_of(tuning);
    EXPECT_EQ(reasons.at("hangs"), "not_run: the time was up") << "it was not to blame";
    EXPECT_EQ(reasons.at("right too"), "not_run: the time was up");
    ASSERT_NE(tuning.best(), nullptr);
}

TEST(Tuner, LooksNearTheBest) {
    Child child({test::kChild});
    Journal journal;
    const Tuning tuning = tune(
        child, journal, test::planted({"slow", "wrong"}),
        [](std::span<const Tried> best, double seconds) {
            EXPECT_GT(seconds, 0);
            EXPECT_EQ(best.front().candidate.name, "slow");
            return test::planted({"right"});
        },
        quick());
    ASSERT_NE(tuning.best(), nullptr);
    EXPECT_EQ(tuning.best()->candidate.name, "right");
}

TEST(Tuner, LeavesTheTimeThatIsLeftToTheBest) {
    TuneSettings settings = quick();
    settings.budget = 3;
    settings.step_timeout = 60;
    Child child({test::kChild});
    Journal journal;
    const Tuning tuning = tune(
        child, journal, test::planted({"right", "hangs"}),
        [](std::span<const Tried>, double) {
            ADD_FAILURE() << "some were not tried";
            return test::planted({"slow"});
        },
        settings);
    EXPECT_FALSE(tuning.complete);
    EXPECT_EQ(tuning.stopped, "the time was up");
}

TEST(Tuner, StartsAgainWhereAProcessDoesNot) {
    const test::Folder folder;
    const test::Variable starts(test::kStarts);
    starts.set(folder / "starts");
    Child child({test::kLateChild});
    Journal journal;
    const Tuning tuning = tune(child, journal, test::planted({"right"}), {}, quick());
    EXPECT_TRUE(tuning.complete);
    EXPECT_NE(tuning.best(), nullptr);

    starts.unset();  // then never
    Child none({test::kLateChild});
    const Tuning nothing = tune(none, journal, test::planted({"right"}), {}, quick());
    EXPECT_FALSE(nothing.complete);
    EXPECT_EQ(nothing.stopped, "the process that tries candidates exited with status 1");
    EXPECT_EQ(nothing.tried[0].outcome, Outcome::not_run);
}

/// Each 1% further than the one before.
std::vector<double> around(double us) {
    return {us, us * 1.01, us * 1.02, us * 1.03, us * 1.04};
}

TEST(Tuner, TiesAreOfTheLastStageThatBothWereIn) {
    Tried best, left_behind;
    best.outcome = left_behind.outcome = Outcome::ok;
    best.samples = around(100), left_behind.samples = around(101);
    EXPECT_TRUE(are_tied(best, left_behind));
    best.enter(1, around(90));  // in other minutes
    best.enter(2, around(80));
    EXPECT_TRUE(are_tied(left_behind, best));
    left_behind.enter(1, around(101));
    EXPECT_FALSE(are_tied(left_behind, best));
}

std::ptrdiff_t lines_in(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

TEST(Tuner, GoesOnWhereItWasInterrupted) {
    const test::Folder folder;
    const std::string path = folder / "a/journal";
    const std::vector<std::string> names{"right", "wrong", "right too", "hangs", "slow"};
    TuneSettings settings = quick();
    settings.step_timeout = 60;
    const pid_t process = fork();
    if (process == 0) {
        catch_interrupts();
        const Tuning tuning = tune_planted(names, settings, Journal(path, "key"));
        _exit(tuning.interrupted && !tuning.complete && tuning.best() ? 0 : 1);
    }
    // Until three are done and one hangs.
    for (int i = 0; i < 600 && lines_in(folder.read("a/journal")) < 3; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_EQ(lines_in(folder.read("a/journal")), 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    kill(process, SIGINT);
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);

    Journal journal(path, "key");
    EXPECT_EQ(journal.size(), 3u);
    EXPECT_EQ(Journal(path, "another device").size(), 0u);
    const Tuning tuning = tune_planted({"right", "wrong", "right too", "slow"}, quick(), journal);
    EXPECT_TRUE(tuning.complete);
    for (const Tried& tried : tuning.tried)
        EXPECT_EQ(tried.resumed, tried.candidate.name != "slow") << tried.candidate.name;
    EXPECT_TRUE(reasons_of(tuning).at("wrong").starts_with("wrong: "));

    // All stages are in the journal by now: nothing is measured again.
    TuneSettings settings_again = quick();
    settings_again.progress = [](const std::string& step) { ADD_FAILURE() << step; };
    const Tuning again =
        tune_planted({"right", "wrong", "right too", "slow"}, settings_again, Journal(path, "key"));
    EXPECT_TRUE(again.complete);
    ASSERT_NE(again.best(), nullptr);
    EXPECT_EQ(again.best()->samples, tuning.best()->samples);
    EXPECT_EQ(again.best()->stage, 2);
    journal.remove();
    EXPECT_EQ(Journal(path, "key").size(), 0u);
}

TEST(Tuner, TriesAgainWhatFailedBefore) {
    const test::Folder folder;
    Journal journal(folder / "journal", "key");
    Tried failed{.candidate = test::planted({"right"}).front(),
                 .outcome = Outcome::failed,
                 .reason = "its process was ended by signal 9 (Killed)"};
    journal.add(failed);
    const Tuning tuning = tune_planted({"right"}, quick(), Journal(folder / "journal", "key"));
    EXPECT_EQ(reasons_of(tuning).at("right"), "ok");
}

TEST(Journal, HoldsAllOfARunThatIsDone) {
    const test::Folder folder;
    Tried best{.candidate = test::planted({"right"}).front(), .outcome = Outcome::ok};
    best.samples = {3};
    best.enter(1, {2});
    best.enter(2, {1, 1.5});
    const Tried failed{.candidate = test::planted({"hangs"}).front(),
                       .outcome = Outcome::failed,
                       .reason = "it did not end"};
    Journal journal(folder / "journal", "key");
    EXPECT_EQ(journal.finished(), nullptr);
    journal.finish({best, failed});
    const Journal again(folder / "journal", "key");
    ASSERT_NE(again.finished(), nullptr);
    ASSERT_EQ(again.finished()->size(), 2u);
    EXPECT_EQ(again.finished()->at(0).samples, best.samples);
    EXPECT_EQ(again.finished()->at(0).earlier, best.earlier);
    EXPECT_EQ(again.finished()->at(1).reason, failed.reason);
    EXPECT_EQ(Journal(folder / "journal", "another").finished(), nullptr);
}

TEST(Journal, OfAnotherProgramIsRemovedAfterSomeDays) {
    const test::Folder folder;
    const Tried tried{
        .candidate = test::planted({"right"}).front(), .outcome = Outcome::ok, .samples = {1}};
    const auto write = [&](const std::string& name, const std::string& key, int days) {
        Journal(folder / name, key).add(tried);
        std::filesystem::last_write_time(
            folder / name, std::filesystem::file_time_type::clock::now() - std::chrono::days(days));
    };
    write("tuning.tsv.1.journal", "another program", 30);
    write("tuning.tsv.2.journal", "another program", 1);
    write("tuning.tsv.3.journal", program_stamp(), 30);
    write("another.tsv.4.journal", "another program", 30);
    remove_stale_journals(folder / "tuning.tsv");
    EXPECT_FALSE(std::filesystem::exists(folder / "tuning.tsv.1.journal"));
    for (const char* kept :
         {"tuning.tsv.2.journal", "tuning.tsv.3.journal", "another.tsv.4.journal"})
        EXPECT_TRUE(std::filesystem::exists(folder / kept)) << kept;
    remove_stale_journals(folder / "no/such/tuning.tsv");
}

TEST(Journal, PassesOverWhatItDidNotWrite) {
    const test::Folder folder;
    Tried tried{.candidate = test::planted({"r\xff\n"}).front(), .outcome = Outcome::ok};
    tried.candidate.config = TileConfig{.block = {1, 2, 3}, .threads = 4};
    tried.samples = {1.5, 2.5};
    tried.candidate.name = "odd \"name\"\n";
    Journal(folder / "journal", "k").add(tried);
    const std::string line = folder.read("journal");
    folder.write("journal", "rubbish\n{\"key\":\"k\"}\n" + line + line.substr(0, line.size() / 2));
    const Journal journal(folder / "journal", "k");
    EXPECT_EQ(journal.size(), 1u);
    Journal nowhere("/proc/nothing/journal", "k");
    nowhere.add(tried);
    EXPECT_NE(nowhere.failure(), "");
}

}  // namespace
}  // namespace tilewright::lab

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], tilewright::test::kChild) == 0)
        return tilewright::test::serve_planted();
    if (argc > 1 && std::strcmp(argv[1], tilewright::test::kLateChild) == 0)
        return tilewright::test::serve_planted_late();
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
