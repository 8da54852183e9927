// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright tune from the command line to the database, and from there to the library.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/tuned_file.h"
#include "lab/command_line.h"
#include "lab/interrupt.h"
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
    refused("tilewright tune --engine --device cpu --shape 8x8x0");
    refused("tilewright tune --engine --device cpu --shape 8x8x8 --alpha 0");
    refused("tilewright tune --engine --device cpu --shape 8x8x8 --batch 0");
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
    const Remembered remembered = remember(problem, device->info(), settings);
    EXPECT_TRUE(remembered.done);
    ASSERT_EQ(remembered.remarks.size(), 1u);
    EXPECT_NE(remembered.remarks[0].find(" is kept in "), std::string::npos);
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
    const auto remark = [&](const TunedProblem& of) {
        return remember(of, device->info(), settings).remarks.at(0);
    };
    EXPECT_TRUE(remark(problem).ends_with("not kept: TILEWRIGHT_TUNING=off"));
    place.set("/proc/nothing/tuning.tsv");
    EXPECT_NE(remark(problem).find("not kept: cannot write"), std::string::npos);
    EXPECT_FALSE(remember(problem, device->info(), settings).done) << "the journal stays";

    place.set(folder / "tuning.tsv");
    TunedProblem other = problem;
    other.tuning.complete = false, other.tuning.stopped = "the time was up";
    std::swap(other.tuning.tried[0].candidate, other.tuning.tried[1].candidate);
    EXPECT_NE(remark(other).find("has an entry already, and this run was cut short"),
              std::string::npos);
    EXPECT_EQ(engine::read_tuned_file(folder / "tuning.tsv").text.entries, entries);
    other.test.m = 56;
    EXPECT_NE(remark(other).find(" is kept in "), std::string::npos) << "better than nothing";
    other.tuning.interrupted = true;
    EXPECT_TRUE(remark(other).ends_with("interrupted; the same command goes on from there"));
    other.not_resumable = "cannot write it: Read-only file system";
    EXPECT_TRUE(remark(other).ends_with(
        "interrupted; what was measured is lost: cannot write it: Read-only file system"));
    for (const char* what : {"beta", "strides", "leading dimensions", "scalars of the device"}) {
        TunedProblem odd = problem;
        odd.test.beta = *what == 'b';
        odd.test.gap_b = std::strcmp(what, "strides") == 0 ? 8 : 0;
        odd.test.slack_a = *what == 'l';
        odd.test.device_scalars = std::strcmp(what, "scalars of the device") == 0;
        EXPECT_TRUE(remark(odd).ends_with(
            std::string("not kept: the tuning database has no place for ") + what))
            << remark(odd);
    }
}

MeasureSettings quick() {
    Options options;
    options.device = "cpu";
    MeasureSettings settings = measure_settings_of(options);
    for (double& seconds : settings.tuner.seconds) seconds = 0.002;
    return settings;
}

TEST_F(Tune, OfSeveralShapesGoesOnWhereItWasInterrupted) {
    const auto device = open_cpu(CpuMode::fast, 1, 0, kCpuMultiprocessors);
    const std::vector<Case> cases{{.m = 24, .n = 24, .k = 24}, {.m = 40, .n = 24, .k = 24}};
    const MeasureSettings settings = quick();
    const auto run = [&](const Tell& progress) {
        return measure_all(*device, nullptr, cases, Arithmetic::fp32, settings, progress);
    };
    const pid_t process = fork();
    if (process == 0) {
        catch_interrupts();
        const Measured cut = run([](const std::string& step) {
            if (step.starts_with("engine 40x24x24: trying 4 ")) std::raise(SIGINT);
        });
        _exit(cut.problems.size() == 2 && cut.problems[0].tuning.complete &&
                      cut.problems[1].tuning.interrupted && !cut.done
                  ? 0
                  : 1);
    }
    int status = 0;
    waitpid(process, &status, 0);
    ASSERT_EQ(status, 0);
    const std::string path = folder / "tuning.tsv";
    const auto first = engine::read_tuned_file(path).text.entries;
    ASSERT_EQ(first.size(), 1u) << "it was kept before the end";
    EXPECT_EQ(first[0].problem.m, 24);

    const Measured whole = run([](const std::string& step) {
        EXPECT_FALSE(step.starts_with("engine 24:")) << step << ": it was done";
    });
    ASSERT_EQ(whole.problems.size(), 2u);
    EXPECT_TRUE(whole.done);
    const auto resumed = [](const TunedProblem& problem) {
        return std::count_if(problem.tuning.tried.begin(), problem.tuning.tried.end(),
                             [](const Tried& tried) { return tried.resumed; });
    };
    EXPECT_EQ(resumed(whole.problems[0]), std::ssize(whole.problems[0].tuning.tried));
    EXPECT_EQ(resumed(whole.problems[1]), 3);
    EXPECT_EQ(whole.problems[0].tuning.best()->timing().median_us, first[0].median_us);
    EXPECT_EQ(engine::read_tuned_file(path).text.entries.size(), 2u);

    const auto journals = [&] {
        size_t count = 0;
        for (const auto& each :
             std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()))
            count += each.path().extension() == ".journal";
        return count;
    };
    EXPECT_EQ(journals(), 2u);
    forget_journals(whole.problems, device->info(), settings);
    EXPECT_EQ(journals(), 0u);
}

TEST_F(Tune, AShapeWithoutMemoryIsNotRun) {
    const auto device = open_cpu(CpuMode::fast, 1, 0, kCpuMultiprocessors);
    const std::vector<Case> cases{{.m = 1 << 20, .n = 1 << 20, .k = 8}, {.m = 8, .n = 8, .k = 8}};
    const Measured all =
        measure_all(*device, nullptr, cases, Arithmetic::fp32, quick(), [](const std::string&) {});
    ASSERT_EQ(all.problems.size(), 2u);
    EXPECT_NE(all.problems[0].reason.find("are available"), std::string::npos);
    EXPECT_EQ(all.problems[0].tuning.best(), nullptr);
    EXPECT_TRUE(summary_of(all.problems[0], nullptr).starts_with("not_run: shape 1048576x"));
    EXPECT_NE(all.problems[1].tuning.best(), nullptr);
}

TEST(Traits, AreOfTheDeviceByItsName) {
    EXPECT_EQ(traits_of({"NVIDIA GeForce RTX 4090", 128, 89}).tensor_rate, 2);
    EXPECT_EQ(traits_of({"NVIDIA L40S", 142, 89}).tensor_rate, 4);
    EXPECT_EQ(traits_of({"NVIDIA H200", 132, 90}).tensor_rate, 16);
}

TEST(Summary, SaysWhatARunHasLeftOut) {
    TunedProblem problem{.subject = "engine", .measured = true};
    for (const Outcome outcome : {Outcome::ok, Outcome::wrong, Outcome::not_run}) {
        Tried& tried = problem.tuning.tried.emplace_back();
        tried.candidate.name = "tile/64x64", tried.outcome = outcome;
        if (outcome == Outcome::ok) tried.samples = {1, 2, 3};
    }
    EXPECT_EQ(summary_of(problem, nullptr), "best: tile/64x64\n");
    problem.tuning.complete = false, problem.tuning.stopped = "the time was up";
    EXPECT_EQ(summary_of(problem, nullptr),
              "best: tile/64x64\n2 of 3 tried; not measured again: the time was up\n");
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
    EXPECT_EQ(printed_by("tilewright tune --export /dev/stdout"), folder.read("tuning.tsv"));
    ASSERT_EQ(symlink("out.txt", (folder / "link.txt").c_str()), 0);
    folder.write("out.txt", "");
    printed_by("tilewright tune --export " + folder / "link.txt");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
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
    place.set(folder / "bad.txt");
    EXPECT_THROW(printed_by("tilewright tune --export " + folder / "out.txt"), std::runtime_error);
    EXPECT_EQ(folder.read("out.txt").substr(0, 18), "tilewright-tuning ");
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
    for (const auto& [name, each] : times) {
        EXPECT_GT(each.compile_ms, 0) << name;
        EXPECT_EQ(each.failure, "");
    }
    for (const auto& [name, each] : compile_all(some, pool))
        EXPECT_EQ(each.compile_ms, 0) << name << " is in the cache";
    PoolSettings for_none = pool;
    for_none.arguments.back() = "no_such";
    const auto failed = compile_all({some.back()}, for_none);
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_NE(failed.begin()->second.failure, "");

    // What is not whole is compiled anew.
    ASSERT_NE(cubin.path, "");
    std::filesystem::resize_file(cubin.path, std::filesystem::file_size(cubin.path) - 1);
    EXPECT_GT(compile_kernel(k9, config, "90a").compile_ms, 0);
    EXPECT_EQ(compile_kernel(k9, config, "90a").compile_ms, 0);
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
