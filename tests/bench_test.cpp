// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What bench does beside timing: opponents, sustained power, profiling, the library as a kernel,
// times that cannot be, memory that does not suffice, and a budget of time.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/bench_plan.h"
#include "lab/bench_tables.h"
#include "lab/budget.h"
#include "lab/library_kernel.h"
#include "lab/plausible.h"
#include "lab/power.h"
#include "lab/shape_file.h"
#include "lab/timer.h"
#include "lab/usage.h"
#include "tests/planted.h"

namespace tilewright::lab {
namespace {

constexpr Case kSmall{.m = 16, .n = 16, .k = 16};

std::vector<Row> bench_all(Device& device, std::span<const Candidate> candidates,
                           BenchOptions options = {}) {
    options.min_seconds = 0;
    return bench(device, candidates, kSmall, options);
}

TEST(Opponents, EachArithmeticHasItsOwn) {
    GpuLike device(1e9, 0);
    device.call_us = 1e4;
    device.claims().tf32_peak_gflops = 1e9;
    PlantedRung fp32(counts_calls, "k0", Kind::baseline),
        tf32(counts_calls, "k0_tf32", Kind::baseline), rung(counts_calls, "rung"),
        in_tf32(counts_calls, "in_tf32"), in_pieces(counts_calls, "in_pieces");
    tf32.definition.arithmetic = in_tf32.definition.arithmetic = Arithmetic::tf32;
    in_pieces.definition.arithmetic = Arithmetic::fp16x3;
    device.cublas = {&fp32.definition, &tf32.definition};
    const Opponents opponents(device.opponents());
    std::vector<Candidate> candidates{rung.candidate(), in_pieces.candidate()};
    opponents.join(candidates);
    ASSERT_EQ(candidates.size(), 3u) << "nothing computes in TF32";
    EXPECT_EQ(candidates.front().rung, &fp32.definition);
    candidates.push_back(in_tf32.candidate());
    opponents.join(candidates);
    ASSERT_EQ(candidates.size(), 5u);
    for (const Row& row : bench_all(device, candidates, {.opponents = opponents})) {
        const bool is_tf32 = row.arithmetic == Arithmetic::tf32;
        EXPECT_EQ(row.opponent, is_tf32 ? "k0_tf32" : "k0") << row.label;
        EXPECT_NEAR(row.percent_of_cublas.value_or(0), 100, 1e-9) << row.label;
    }
}

TEST(Opponents, OneThatWasChosenIsNotCublas) {
    GpuLike device(1e9, 0);
    device.call_us = 1e4;
    const PlantedRung first(counts_calls, "first"), second(counts_calls, "second");
    std::vector<Candidate> candidates{second.candidate()};
    const Opponents opponents(first.candidate());
    opponents.join(candidates);
    const auto rows = bench_all(device, candidates, {.opponents = opponents});
    EXPECT_EQ(rows[1].opponent, "first");
    EXPECT_NEAR(rows[1].percent_of_opponent.value_or(0), 100, 1e-9);
    EXPECT_FALSE(rows[1].percent_of_cublas);
    EXPECT_NE(bench_table(rows).find("%oppon."), std::string::npos);
    EXPECT_NE(bench_notes(rows, false).find("of first at"), std::string::npos);
    for (const Row& row : bench_all(device, candidates)) EXPECT_TRUE(row.opponent.empty());
}

/// Factors cut to TF32, always towards zero.
Status cuts_factors(const Problem& p, const Execution&) {
    const auto cut = [](float value) {
        return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffffe000u);
    };
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) {
            float sum = 0;
            for (int64_t k = 0; k < p.k; ++k)
                sum += cut(p.A[i * p.lda + k]) * cut(p.B[k * p.ldb + j]);
            p.C[i * p.ldc + j] = sum;
        }
    return {};
}

TEST(Opponents, CublasMayCutFactorsInTf32) {
    const auto device = open_cpu(CpuMode::fast);
    const Case test{.m = 32, .n = 32, .k = 4096, .distribution = Distribution::positive};
    PlantedRung cublas(cuts_factors, "k0_tf32", Kind::baseline), rung(cuts_factors, "rung");
    cublas.definition.arithmetic = rung.definition.arithmetic = Arithmetic::tf32;
    EXPECT_EQ(bench_one(*device, cublas, test, 0).outcome, Outcome::ok);
    EXPECT_EQ(bench_one(*device, rung, test, 0).outcome, Outcome::wrong);
}

TEST(Opponents, ThatFailsLeavesNoPercent) {
    GpuLike device(1e9, 0);
    const PlantedRung bad([](const Problem&, const Execution&) { return Status{}; }, "bad"),
        good(counts_calls, "good");
    const Candidate candidates[] = {bad.candidate(), good.candidate()};
    const auto rows = bench_all(device, candidates, {.opponents = Opponents(bad.candidate())});
    EXPECT_EQ(rows[0].outcome, Outcome::wrong);
    EXPECT_EQ(rows[1].outcome, Outcome::ok);
    EXPECT_EQ(rows[1].opponent, "bad");
    EXPECT_FALSE(rows[1].percent_of_opponent);
}

TEST(Sustained, HasPowerClockAndEnergy) {
    GpuLike device(1e9, 0);
    device.call_us = 1e5;
    device.has_nvml = true;
    const PlantedRung rung(counts_calls);
    const Candidate candidate = rung.candidate();
    const int before = calls_made;
    const Row row = bench_all(device, {&candidate, 1}, {.manner = Manner::sustained}).front();
    ASSERT_EQ(row.outcome, Outcome::ok) << row.reason;
    EXPECT_TRUE(row.sustained);
    EXPECT_GE(calls_made - before, 10) << "a second without a pause comes first";
    EXPECT_NEAR(row.joules.value_or(0), 1, 1e-9);
    EXPECT_NEAR(row.gflops_per_watt.value_or(0), 2e-9 * 16 * 16 * 16, 1e-15);
    ASSERT_TRUE(row.vitals);
    EXPECT_EQ(row.vitals->sm_mhz, 1500);
    EXPECT_EQ(row.vitals->throttling, std::vector<std::string>{"power cap"});
    EXPECT_NE(power_table({&row, 1}).find("power cap"), std::string::npos);
}

TEST(Sustained, WithoutNvmlSaysSo) {
    GpuLike device(1e9, 0);
    device.call_us = 1e5;
    const PlantedRung rung(counts_calls);
    const Candidate candidate = rung.candidate();
    const Row row = bench_all(device, {&candidate, 1}, {.manner = Manner::sustained}).front();
    ASSERT_EQ(row.outcome, Outcome::ok) << row.reason;
    EXPECT_TRUE(row.sustained && row.median_us);
    EXPECT_FALSE(row.joules || row.gflops_per_watt || row.vitals);
    EXPECT_NE(power_table({&row, 1}).find("NVML"), std::string::npos);
    EXPECT_TRUE(power_table({}).empty());
}

TEST(Sustained, MeansAreOfAllThatWasSeen) {
    const Vitals mean = mean_of({{.sm_mhz = 1000, .watts = 300, .throttling = {{"a"}}},
                                 {.sm_mhz = 2000, .watts = 500, .throttling = {{"b", "a"}}}});
    EXPECT_EQ(mean.sm_mhz, 1500);
    EXPECT_EQ(mean.watts, 400);
    EXPECT_EQ(mean.throttling, (std::vector<std::string>{"a", "b"}));
}

TEST(Sustained, WhatIsNotKnownIsNoZero) {
    const Vitals mean = mean_of({{.sm_mhz = 1000}, {.celsius = 40}});
    EXPECT_EQ(mean.sm_mhz, 1000);
    EXPECT_FALSE(mean.watts || mean.throttling);
    Row row;
    row.vitals = mean;
    const auto json = json_of(row);
    EXPECT_EQ(json["sm_mhz"], 1000);
    for (const char* unknown : {"watts", "throttling", "joules"})
        EXPECT_TRUE(json[unknown].is_null()) << unknown;
}

TEST(Profiled, OneCallOfEachKernelAndNoTime) {
    GpuLike device(1e9, 16 << 10);
    const PlantedRung rung(counts_calls);
    const Candidate candidate = rung.candidate();
    const Row row = bench_all(device, {&candidate, 1}, {.manner = Manner::profiled}).front();
    EXPECT_EQ(row.outcome, Outcome::ok) << row.reason;
    EXPECT_EQ(device.calls_profiled, 1);
    EXPECT_FALSE(row.median_us || row.gflops);
    EXPECT_EQ(row.samples, 0);
}

TEST(Plausible, MemoryBoundsColdTimes) {
    DeviceInfo device;
    const Case test{.m = 1, .n = 1024, .k = 1024};  // 4 MiB of B
    EXPECT_EQ(least_us(test, 100, device), 0) << "its speed is not known";
    device.memory_gb_s = 1000;
    device.l2_bytes = 4 << 20;
    const double bytes = 4.0 * (1024 * 1024 + 1024 + 1024);
    EXPECT_NEAR(least_us(test, 1, device), (bytes - 4.0 * 1024 * 1024) * 1e-6, 1e-9);
    EXPECT_NEAR(least_us(test, 2, device), (bytes - device.l2_bytes / 2.0) * 1e-6, 1e-9);
    EXPECT_NEAR(least_us(test, 1000, device), bytes * 1e-6, 0.01);
    device.l2_bytes = 60 << 20;
    EXPECT_EQ(least_us(test, 14, device), 0) << "all of them fit into the cache";
    Case shared{.m = 64, .n = 64, .k = 64, .batch = 100};
    const double apart = least_us(shared, 1000, device);
    shared.gap_b = -64 * 64;
    EXPECT_LT(least_us(shared, 1000, device), apart * 0.7) << "one B for all products";
}

TEST(Plausible, RowsFasterThanMemoryAreErrors) {
    GpuLike device(1e9, 16 << 10);  // 3 KiB: eleven sets are two caches
    device.claims().memory_gb_s = 1e-3;  // 1.5 ms for half of 3 KiB
    device.call_us = 1000;
    const PlantedRung rung(counts_calls);
    const Row row = bench_one(device, rung, kSmall, 0);
    EXPECT_EQ(row.outcome, Outcome::failed);
    EXPECT_NE(row.reason.find("memory delivers"), row.reason.npos) << row.reason;
    EXPECT_FALSE(row.median_us);
    device.call_us = 2000;
    EXPECT_EQ(bench_one(device, rung, kSmall, 0).outcome, Outcome::ok);
}

Status writes_an_input(const Problem& p, const Execution& execution) {
    const Status status = run_coalesced(p, execution);
    const_cast<float*>(p.A)[0] += 1;
    return status;
}

TEST(Bench, WhoChangesAnInputIsNamed) {
    const auto device = open_cpu(CpuMode::fast);
    const PlantedRung before(run_coalesced, "before"), culprit(writes_an_input, "culprit"),
        after(run_coalesced, "after");
    const Candidate candidates[] = {before.candidate(), culprit.candidate(), after.candidate()};
    const auto rows = bench_all(*device, candidates);
    EXPECT_EQ(rows[0].outcome, Outcome::ok);
    EXPECT_EQ(rows[1].outcome, Outcome::wrong);
    EXPECT_NE(rows[1].reason.find("into an input"), std::string::npos) << rows[1].reason;
    EXPECT_EQ(rows[2].outcome, Outcome::ok) << rows[2].reason;
}

int64_t too_much(const Problem&, const Execution&) {
    return int64_t{1} << 60;
}

TEST(Bench, MemoryThatDoesNotSufficeEndsARowAndNoRun) {
    const auto device = open_cpu(CpuMode::fast);
    PlantedRung large(run_coalesced, "large");
    const PlantedRung other(run_coalesced, "other");
    large.variant.workspace_bytes = too_much;
    const Candidate candidates[] = {large.candidate(), other.candidate()};
    const auto rows = bench_all(*device, candidates);
    EXPECT_EQ(rows[0].outcome, Outcome::not_run);
    EXPECT_NE(rows[0].reason.find("bytes of memory are available"), std::string::npos)
        << rows[0].reason;
    EXPECT_EQ(rows[1].outcome, Outcome::ok);
    const Case huge{.m = 1 << 30, .n = 1 << 30, .k = 1};
    for (const Row& row : bench(*device, candidates, huge, {.min_seconds = 0}))
        EXPECT_EQ(row.outcome, Outcome::not_run);
}

constexpr int64_t kMiB = int64_t{1} << 20;
std::byte* given = nullptr;

int64_t grows_with_m(const Problem& p, const Execution&) {
    return (64 + p.m) * kMiB;
}

/// 64 MiB and more are mapped and unmapped, so that a freed workspace is a fault, not luck.
Status tells_its_workspace(const Problem& p, const Execution& execution) {
    given = static_cast<std::byte*>(static_cast<void*>(execution.workspace));
    std::memset(given, 1, static_cast<size_t>(grows_with_m(p, execution)));
    return {};
}

TEST(Bench, AGraphsWorkspaceOutlivesALargerOne) {
    const auto device = open_cpu(CpuMode::fast);
    PlantedRung kernel(tells_its_workspace);
    kernel.variant.workspace_bytes = grows_with_m;
    Problem problem;
    ASSERT_TRUE(device->run(kernel.variant, problem).ok());
    std::byte* const captured = given;
    problem.m = 1;
    ASSERT_TRUE(device->run(kernel.variant, problem).ok());
    ASSERT_NE(captured, given);
    std::memset(captured, 2, 64 * kMiB);
    EXPECT_EQ(given[0], std::byte{1});
}

TEST(Library, IsAKernelThatSaysWhatItTook) {
    const auto device = open_cpu(CpuMode::fast);
    std::vector<Candidate> candidates;
    for (const Arithmetic mode : kArithmetics) {
        const KernelDefinition& library = library_definition(mode, false);
        candidates.push_back({&library, &library.variants.front()});
    }
    const Case test{.m = 33,
                    .n = 35,
                    .k = 70,
                    .slack_a = 1,
                    .alpha = 2,
                    .beta = 0.5f,
                    .transpose_b = true,
                    .batch = 2};
    for (const Row& row : bench(*device, candidates, test, {.min_seconds = 0})) {
        EXPECT_EQ(row.outcome, Outcome::ok) << row.reason;
        EXPECT_EQ(row.label, "library");
        EXPECT_NE(row.kernel.find('/'), row.kernel.npos) << row.kernel;
    }
}

TEST(Budget, LeavesTimeForWhatIsToCome) {
    double now = 100;
    std::vector<Case> cases;
    for (const int64_t size : {128, 256, 512, 1024, 2048, 4096})
        cases.push_back({.m = size, .n = size, .k = size});
    Budget budget(60, 45, cases, [&] { return now; });
    for (const Case& test : cases) {
        const bool large = test.m >= 1024;
        budget.begin(test);
        now += 45 * 0.02 + 1;  // verifying
        const double seconds = budget.min_seconds();
        EXPECT_GE(seconds, 0.02) << test.m;
        EXPECT_LE(seconds, 0.25) << test.m;
        now += 45 * Timer::expected_seconds(seconds, large);
    }
    EXPECT_LE(now, 160);
    EXPECT_GE(now, 145) << "time that is there is used";
}

TEST(Budget, HasALeastAndAMost) {
    double now = 0;
    const Case test = kSmall;
    Budget ample(1000, 1, {&test, 1}, [&] { return now; });
    ample.begin(test);
    EXPECT_EQ(ample.min_seconds(), 0.25);
    Budget none(0.001, 45, {&test, 1}, [&] { return now; });
    none.begin(test);
    now = 1;
    EXPECT_EQ(none.min_seconds(), 0.01);
}

std::vector<Case> shapes_in(const std::string& text) {
    std::istringstream stream(text);
    return parse_shapes(stream, "shapes.txt", {.alpha = 3, .seed = 7});
}

TEST(ShapeFile, LinesAreCases) {
    const auto cases = shapes_in(
        "# layout transA transB M N K\n\nrow N T 1 2 3   # a comment\n"
        "row T N 5 6 7 batch=4 slack=1 alpha=0.5 beta=-2 graph\ncol N T 8 9 10 slack=2\n");
    ASSERT_EQ(cases.size(), 3u);
    EXPECT_EQ(cases[0], (Case{.m = 1, .n = 2, .k = 3, .alpha = 3, .seed = 7, .transpose_b = true}));
    EXPECT_EQ(cases[1], (Case{.m = 5,
                              .n = 6,
                              .k = 7,
                              .slack_a = 1,
                              .slack_b = 1,
                              .slack_c = 1,
                              .alpha = 0.5f,
                              .beta = -2,
                              .seed = 7,
                              .transpose_a = true,
                              .batch = 4}));
    // C^T = B^T A^T: B, which is transposed, comes first.
    EXPECT_EQ(cases[2], (Case{.m = 9,
                              .n = 8,
                              .k = 10,
                              .slack_a = 2,
                              .slack_b = 2,
                              .slack_c = 2,
                              .alpha = 3,
                              .seed = 7,
                              .transpose_a = true}));
    // A column-major A of 8 x 10 has columns of 8 elements.
    EXPECT_EQ(cases[2].layout(Operand::B).ld, 8 + 2);
}

std::string refusal_in(const std::string& text) {
    try {
        shapes_in(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(ShapeFile, ErrorsNameFileAndLine) {
    EXPECT_EQ(refusal_in("row N N 1 2 3\nrow N N 1 2 x\n"), "shapes.txt:2: K: 'x' is not a number");
    EXPECT_EQ(refusal_in("\nRow N N 1 2 3"), "shapes.txt:2: 'Row' is no layout: row or col");
    EXPECT_EQ(refusal_in("row N X 1 2 3"), "shapes.txt:1: transB: 'X' is not N, T or C");
    EXPECT_EQ(refusal_in("row N N 1 -2 3"), "shapes.txt:1: N: -2 is negative");
    EXPECT_TRUE(refusal_in("row N N 1 2").starts_with("shapes.txt:1: K is missing: a line is"));
    EXPECT_TRUE(refusal_in("row N N 1 2 3 4").find("'4' is none of batch=") != std::string::npos);
    EXPECT_EQ(refusal_in("row N N 1 2 3 batch=two"), "shapes.txt:1: batch: 'two' is not a number");
    EXPECT_EQ(refusal_in("row N N 1 2 3 slack=-1"), "shapes.txt:1: slack: -1 is negative");
    EXPECT_TRUE(refusal_in("# nothing\n").starts_with("shapes.txt: there is no shape in it"));
    EXPECT_THROW(read_shapes("/nowhere/shapes.txt", {}), UsageError);
}

}  // namespace
}  // namespace tilewright::lab
