// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Measuring. The project that the ladder grew from had three faults; each is a test here.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "lab/timer.h"
#include "lab/workload.h"
#include "tests/planted.h"

namespace tilewright::lab {
namespace {

/// Calls that take a known time each, without taking any.
struct Planted {
    double call_us;
    long long calls = 0;
    int batches = 0;

    Timer timer(double min_seconds) {
        return Timer(
            [this](int count) {
                calls += count;
                ++batches;
                return Batch{count * call_us, count};
            },
            min_seconds);
    }
};

long long calls_measured(Planted planted, double min_seconds) {
    Timer timer = planted.timer(min_seconds);
    timer.warm_up();
    const long long before = planted.calls;
    while (!timer.done()) timer.turn(false);
    EXPECT_NEAR(timer.timing().median_us, planted.call_us, 1e-9 * planted.call_us);
    return planted.calls - before;
}

TEST(SourceProjectsFault, Fixed50Repetitions) {
    // A quarter of a second is 50000 short calls, and no more than a few long ones.
    EXPECT_GE(calls_measured({.call_us = 5}, 0.25), 50000);
    EXPECT_LE(calls_measured({.call_us = 5}, 0.25), 60000);
    EXPECT_EQ(calls_measured({.call_us = 100e3}, 0.25), 3);
    EXPECT_EQ(calls_measured({.call_us = 5}, 0), 3 * 600);  // always a row: three batches of 3 ms
}

float largest_c = 0;

Status watches_c(const Problem& p, const Execution& execution) {
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j)
            largest_c = std::fmax(largest_c, std::fabs(p.C[i * p.ldc + j]));
    return run_coalesced(p, execution);
}

TEST(SourceProjectsFault, CGrowingBy3ToThe50) {
    const auto device = open_cpu(CpuMode::fast);
    const Case test{.m = 33, .n = 35, .k = 37, .slack_c = 2, .alpha = 0.5f, .beta = 3};
    largest_c = 0;
    const Row row = bench_one(*device, PlantedRung(watches_c), test, 0.1);
    EXPECT_EQ(row.outcome, Outcome::ok) << row.reason;
    EXPECT_GE(row.samples, 3);  // without a restored C, 3^3 of what it was
    EXPECT_LE(largest_c, 1) << "each call must find C as it was drawn, from -1 to 1";
}

TEST(Workload, RestoresCWhenBetaWouldLetItGrow) {
    const auto device = open_cpu(CpuMode::fast);
    const PreparedCase prepared(Case{.m = 33, .n = 35, .k = 37, .beta = 3});
    Workload workload(*device, prepared, true);
    ASSERT_TRUE(workload.restores());
    EXPECT_EQ(workload.most_calls(), workload.sets());
    const auto call = [&] {
        ASSERT_TRUE(run_coalesced(workload.problem(0), device->execution()).ok());
    };
    for (int i = 0; i < 50; ++i) {
        workload.restore(0, 1);
        call();
    }
    EXPECT_TRUE(workload.is_right(0, tolerance_of(prepared.test())));
    for (int i = 0; i < 100; ++i) call();
    EXPECT_TRUE(std::isinf(workload.problem(0).C[0])) << "what happens without";
    EXPECT_FALSE(workload.is_right(0, tolerance_of(prepared.test())));
}

Status adds_9_thousandths(const Problem& p, const Execution& execution) {
    Status status = run_coalesced(p, execution);
    p.C[0] += 0.009f;
    return status;
}

TEST(SourceProjectsFault, AbsoluteTolerance) {
    // 0.01 was allowed, whatever the size of the numbers and the length of the sum.
    const auto device = open_cpu(CpuMode::fast);
    const Case small{.m = 8, .n = 8, .k = 8};
    EXPECT_EQ(verify(*device, PlantedRung(adds_9_thousandths).variant, small).outcome,
              Outcome::wrong);
    const Case large{.m = 64, .n = 64, .k = 512, .alpha = 1e6f};
    const PreparedCase prepared(large);
    const Variant& variant = coalesced().variants.front();
    EXPECT_TRUE(verify(*device, variant, prepared).ok());
    double error = 0;
    const std::vector<float> result = result_of(*device, variant, prepared);
    for (size_t i = 0; i < result.size(); ++i)
        error = std::fmax(error, std::fabs(result[i] - prepared.expected().want[i]));
    EXPECT_GT(error, 0.01) << "right, and further off than the old tolerance";
    EXPECT_GT(tolerance_of({.m = 1, .n = 1, .k = 10000}).relative,
              4 * tolerance_of({.m = 1, .n = 1, .k = 100}).relative);
}

Status wrong(const Problem&, const Execution&) {
    return {};
}
Status refuses(const Problem&, const Execution&) {
    return {StatusCode::not_supported, "this kernel refuses"};
}

TEST(Bench, KernelsThatAreNotRightHaveNoTime) {
    const auto device = open_cpu(CpuMode::fast);
    const Case test{.m = 16, .n = 16, .k = 16};
    for (const Row& row : {bench_one(*device, PlantedRung(wrong), test),
                           bench_one(*device, PlantedRung(refuses), test)}) {
        EXPECT_NE(row.outcome, Outcome::ok);
        EXPECT_FALSE(row.reason.empty());
        EXPECT_FALSE(row.median_us || row.min_us || row.gflops || row.percent_of_peak);
    }
}

int calls_until_wrong = 0;

Status turns_wrong(const Problem& p, const Execution& execution) {
    if (--calls_until_wrong < 0) return {};
    return run_coalesced(p, execution);
}

TEST(Bench, KernelsAreVerifiedAgainAfterTheyWereTimed) {
    const auto device = open_cpu(CpuMode::fast);
    calls_until_wrong = 2;  // right when verified, and not for long after
    // With beta = 2, C is fresh for each call, so that a call that does nothing shows.
    const Row row =
        bench_one(*device, PlantedRung(turns_wrong), {.m = 16, .n = 16, .k = 16, .beta = 2});
    EXPECT_EQ(row.outcome, Outcome::wrong);
    EXPECT_EQ(row.reason, "right at first, wrong after it was timed");
    EXPECT_FALSE(row.median_us);
}

TEST(Bench, OtherKernelsGoOnAfterAFailure) {
    const auto device = open_cpu(CpuMode::fast);
    const PlantedRung bad(refuses, "bad"), good(run_coalesced, "good");
    const Candidate candidates[] = {bad.candidate(), good.candidate()};
    const auto rows = bench(*device, candidates, {.m = 16, .n = 16, .k = 16}, {.min_seconds = 0});
    EXPECT_EQ(rows[0].outcome, Outcome::failed);
    EXPECT_EQ(rows[1].outcome, Outcome::ok);
    EXPECT_TRUE(rows[1].median_us);
}

TEST(Bench, NothingToMultiplyHasATimeAndNoRate) {
    const auto device = open_cpu(CpuMode::fast);
    const Row row = bench_one(*device, PlantedRung(run_coalesced), {.m = 16, .n = 16, .k = 0});
    EXPECT_EQ(row.outcome, Outcome::ok) << row.reason;
    EXPECT_TRUE(row.median_us);
    EXPECT_FALSE(row.gflops);
}

TEST(Bench, RatesAboveThePeakAreErrors) {
    GpuLike device(1e-6, 0);
    device.call_us = 1e6;  // 8192 FLOP in a second, on a device of 1000 FLOP/s
    const Row row = bench_one(device, PlantedRung(counts_calls), {.m = 16, .n = 16, .k = 16}, 0);
    EXPECT_EQ(row.outcome, Outcome::failed);
    EXPECT_FALSE(row.median_us || row.gflops);
    EXPECT_NE(row.reason.find("peak"), row.reason.npos);
}

TEST(Bench, BuffersRotatePastTheCacheAndShortCallsAreCaptured) {
    GpuLike device(1e9, 16 << 10);
    const Case test{.m = 16, .n = 16, .k = 16};  // 3 KiB: eleven sets are 32 KiB
    const PreparedCase prepared(test);
    EXPECT_EQ(Workload(device, prepared, true).sets(), 11);
    EXPECT_TRUE(Workload(device, prepared, true).cold());
    EXPECT_FALSE(Workload(device, prepared, false).cold());
    const Row row = bench_one(device, PlantedRung(counts_calls), test, 0);
    ASSERT_EQ(row.outcome, Outcome::ok) << row.reason;
    EXPECT_EQ(row.cold, true);
    EXPECT_EQ(row.graph, true);
    EXPECT_EQ(device.captures, 1);
}

TEST(Bench, LongCallsAreNotCaptured) {
    GpuLike device(1e9, 0);
    device.call_us = 1e4;
    const Row row = bench_one(device, PlantedRung(counts_calls), {.m = 16, .n = 16, .k = 16}, 0);
    EXPECT_EQ(row.graph, false);
    EXPECT_EQ(row.cold, false);
    EXPECT_NEAR(row.median_us.value_or(0), 1e4, 1);
}

TEST(Bench, ComparesWithCublasOfTheSameRun) {
    GpuLike device(1e9, 0);
    device.call_us = 1e4;
    const PlantedRung cublas(counts_calls, "k0", Kind::baseline), other(counts_calls, "other");
    const Candidate candidates[] = {cublas.candidate(), other.candidate()};
    const KernelDefinition* of_device[] = {candidates[0].rung};
    const auto rows = bench(device, candidates, {.m = 16, .n = 16, .k = 16},
                            {.min_seconds = 0, .opponents = Opponents(of_device)});
    EXPECT_NEAR(rows[0].percent_of_cublas.value_or(0), 100, 1e-9);
    EXPECT_NEAR(rows[1].percent_of_cublas.value_or(0), 100, 1e-9);
}

TEST(Bench, ShapesThatDoNotFitAreNotRun) {
    const auto device = open_cpu(CpuMode::fast);
    const Row row =
        bench_one(*device, PlantedRung(run_coalesced), {.m = 1 << 30, .n = 1 << 30, .k = 1});
    EXPECT_EQ(row.outcome, Outcome::not_run);
    EXPECT_NE(row.reason.find("memory"), row.reason.npos);
}

}  // namespace
}  // namespace tilewright::lab
