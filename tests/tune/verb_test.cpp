// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright tune from the command line to the database, and from there to the library.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/tuned_file.h"
#include "lab/command_line.h"
#include "lab/lesson.h"
#include "lab/selection.h"
#include "lab/text.h"
#include "lab/tune/compile_pool.h"
#include "lab/tune/context.h"
#include "lab/tune/database.h"
#include "lab/tune/measure.h"
#include "lab/tune/nvrtc.h"
#include "lab/usage.h"
#include "lab/verbs.h"
#include "ladder/ladder.h"
#include "tune/folder.h"

namespace tilewright::lab {
namespace {

/// What a command prints.
std::string printed_by(const std::string& command, int expected = kRight) {
    std::vector<std::string> words;
    std::istringstream text(command);
    for (std::string word; text >> word;) words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    const auto run = parse_command_line(static_cast<int>(arguments.size()), arguments.data());
    testing::internal::CaptureStdout();
    int status = 0;
    try {
        status = run();
    } catch (...) {
        testing::internal::GetCapturedStdout();
        throw;
    }
    std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, expected) << command << '\n' << printed;
    return printed;
}

nlohmann::json json_from(const std::string& command) {
    return nlohmann::json::parse(printed_by(command + " --format json"));
}

void expect_narrow(const std::string& text) {
    for (const std::string& line : split_lines(text)) EXPECT_LE(line.size(), 80u) << line;
}

class Tune : public testing::Test {
  protected:
    Tune() { place.set(folder / "tuning.tsv"); }

    const test::Folder folder;
    const test::Variable place{"TILEWRIGHT_TUNING"}, cache{"XDG_CACHE_HOME"};
};

TEST_F(Tune, RanksByTheBoundInCpuModeAndSaysSo) {
    const std::string page = printed_by("tilewright tune k9 --device cpu --shape 128x128x64 --why");
    expect_narrow(page);
    for (const char* part : {"at most, GFLOP/s", "a100", "a6000",
                             "These are bounds on an NVIDIA "
                             "H200 SXM",
                             "Nothing is added to the", "not legal:", "legal and not compiled in"})
        EXPECT_NE(page.find(part), page.npos) << part << '\n' << page;
    const auto json =
        json_from("tilewright tune k9 --device cpu --shape 128x128x64 --why")["tuning"];
    ASSERT_EQ(json.size(), 1u);
    EXPECT_EQ(json[0]["measured"], false);
    EXPECT_TRUE(json[0]["best"].is_null());
    EXPECT_GT(json[0]["illegal"].size(), 100u);
    double before = INFINITY;
    for (const auto& candidate : json[0]["candidates"]) {
        EXPECT_LE(candidate["bound_gflops"].get<double>(), before);
        before = candidate["bound_gflops"];
    }
    EXPECT_FALSE(engine::read_tuned_file(folder / "tuning.tsv").exists);
}

TEST_F(Tune, OfTheEngineTakesWhatDispatchWeighs) {
    const auto json = json_from(
        "tilewright tune --engine --device cpu --shape 64x64x64 --transb T --batch 2")["tuning"][0];
    EXPECT_EQ(json["subject"], "engine");
    EXPECT_GT(json["candidates"].size(), 5u);
}

TEST_F(Tune, RefusesWhatIsNoQuestion) {
    const auto refused = [](const std::string& command) {
        EXPECT_THROW(printed_by(command), UsageError) << command;
    };
    refused("tilewright tune --device cpu");
    refused("tilewright tune k9 --engine --device cpu");
    refused("tilewright tune k9 --device cpu --transa T");
    refused("tilewright tune no_such_rung --device cpu");
    refused("tilewright tune k9 --device cpu --budget never");
    refused("tilewright tune k9 --device cpu --budget -3s");
    refused("tilewright tune --engine --device cpu --compute fp8");
    place.set("off");
    refused("tilewright tune --export " + folder / "out");
}

TEST_F(Tune, IsMeasuredAndThenTakenByTheLibrary) {
    const auto device = open_cpu(CpuMode::fast, 1, 0, kCpuMultiprocessors);
    Case test;
    test.m = 48, test.n = 40, test.k = 96;
    Options options;
    options.device = "cpu", options.budget = "60s";
    MeasureSettings settings = measure_settings_of(options);
    for (double& seconds : settings.tuner.seconds) seconds = 0.002;
    const TunedProblem problem =
        measure(*device, nullptr, test, Arithmetic::fp32, settings, [](const std::string&) {});
    const Tried* best = problem.tuning.best();
    ASSERT_NE(best, nullptr);
    EXPECT_GT(problem.tuning.tried.size(), 5u);
    EXPECT_FALSE(summary_of(problem, nullptr).empty());
    expect_narrow(table_of(problem).plain());
    for (const Tried& tried : problem.tuning.tried)
        EXPECT_TRUE(tried.ok()) << tried.candidate.name << ": " << tried.reason;
    const auto remarks = remember(problem, device->info(), settings);
    ASSERT_EQ(remarks.size(), 1u) << remarks.front();
    const auto entries = engine::read_tuned_file(folder / "tuning.tsv").text.entries;
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].kernel, best->candidate.name);

    const auto chosen = nlohmann::json::parse(
        printed_by("tilewright dispatch N N 48 40 96 --device cpu --format json"));
    EXPECT_EQ(chosen["chosen"], best->candidate.name);
    EXPECT_EQ(chosen["candidates"][0]["tuned"], true);
    const std::string explained =
        printed_by("tilewright tune --explain --device cpu --shape 48x40x96");
    expect_narrow(explained);
    EXPECT_NE(explained.find("chosen: " + best->candidate.name + ", tuned"), explained.npos);
    const std::string near = printed_by("tilewright tune --explain --device cpu --shape 44x40x96");
    EXPECT_NE(near.find("2. an entry for this problem: none"), near.npos) << near;
    EXPECT_NE(near.find("3. the nearest, NN 48 x 40 x 96"), near.npos) << near;
    const std::string far = printed_by("tilewright tune --explain --device cpu --shape 480x40x96");
    EXPECT_NE(far.find("4. the fastest by prediction: "), far.npos) << far;
    expect_narrow(far);
    place.set("off");
    const std::string off = printed_by("tilewright tune --explain --device cpu --shape 48x40x96");
    EXPECT_NE(off.find("none, as TILEWRIGHT_TUNING=off"), off.npos) << off;
    EXPECT_NE(remember(problem, device->info(), settings)[0].find("nothing is kept"),
              std::string::npos);
    place.set("/proc/nothing/tuning.tsv");
    EXPECT_NE(remember(problem, device->info(), settings)[0].find("not kept: "), std::string::npos);
}

TEST_F(Tune, GoesToAFileAndBack) {
    engine::TunedEntry entry;
    entry.subject = engine::kEngine, entry.version = engine::kernels_version();
    entry.device = {"NVIDIA H200", 132, 90};
    entry.problem.m = 1, entry.problem.n = 2, entry.problem.k = 3;
    entry.kernel = "tile/64x64", entry.date = "2026-12-01T00:00:00Z";
    entry.median_us = 1, entry.samples = 3;
    add_to_database(folder / "tuning.tsv", {entry}, Merge::newest);
    printed_by("tilewright tune --export " + folder / "out.txt");
    EXPECT_EQ(folder.read("out.txt"), folder.read("tuning.tsv"));
    place.set(folder / "other/tuning.tsv");
    EXPECT_EQ(printed_by("tilewright tune --import " + folder / "out.txt").substr(0, 15),
              "1 entries added");
    EXPECT_EQ(folder.read("other/tuning.tsv"), folder.read("out.txt"));
    entry.kernel = "tile/128x64", entry.date = "2025-12-01T00:00:00Z";
    folder.write("old.txt", text_of(std::vector{entry}));
    printed_by("tilewright tune --merge " + folder / "old.txt");
    EXPECT_EQ(folder.read("other/tuning.tsv"), folder.read("out.txt"));
    printed_by("tilewright tune --import " + folder / "old.txt");
    EXPECT_EQ(folder.read("other/tuning.tsv"), folder.read("old.txt"));
    folder.write("bad.txt", "no database\n");
    EXPECT_THROW(printed_by("tilewright tune --import " + folder / "bad.txt"), std::runtime_error);
    EXPECT_THROW(printed_by("tilewright tune --import " + folder / "none"), std::runtime_error);
}

TEST_F(Tune, CompilesWhatIsMissing) {
    if (!nvrtc_missing().empty()) GTEST_SKIP() << nvrtc_missing();
    cache.set(folder / "cache");
    const KernelDefinition& k9 = select_rung(ladder::rungs(ladder::Target::cpu_counted), "k9");
    TileConfig config = k9.variants[0].config;
    config.unroll_k = 16;
    const Cubin cubin = compile_kernel(k9, config, "90a");
    EXPECT_TRUE(
        cubin.image.starts_with("\x7f"
                                "ELF"))
        << cubin.reason;
    EXPECT_NE(cubin.symbol.find("sgemm"), std::string::npos);
    EXPECT_GT(cubin.compile_ms, 0);
    const Cubin again = compile_kernel(k9, config, "90a");
    EXPECT_EQ(again.compile_ms, 0) << "it is in the cache";
    EXPECT_TRUE(again.image == cubin.image && again.symbol == cubin.symbol);
    EXPECT_NE(compile_kernel(k9, config, "no_such").reason, "");

    std::vector<TuneCandidate> some = space_of(k9, true).candidates;
    some.erase(some.begin(), some.end() - 3);
    const PoolSettings pool{
        {kTuneCompiler, "--architecture", "90a"}, 300, 120, [](const std::string&) {}};
    const auto times = compile_all(some, pool);
    EXPECT_EQ(times.size(), 3u);
    EXPECT_TRUE(compile_all(some, pool).empty()) << "they are in the cache";
}

}  // namespace
}  // namespace tilewright::lab

int main(int argc, char** argv) {
    using namespace tilewright::lab;
    if (argc > 1 &&
        (std::strcmp(argv[1], kTuneChild) == 0 || std::strcmp(argv[1], kTuneCompiler) == 0))
        return parse_command_line(argc, argv)();
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
