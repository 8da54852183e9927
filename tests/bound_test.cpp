// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Bounds by hand numbers.
#include "lab/bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/lesson.h"
#include "lab/measured.h"
#include "lab/quantities.h"
#include "lab/selection.h"

namespace tilewright::lab {
namespace {

using simt::Operation;

/// Round numbers: 10 multiprocessors of 1000 MHz, so that 10000 clocks of all are a microsecond.
constexpr Gpu kGpu{.word = "round",
                   .name = "round",
                   .architecture = "90a",
                   .multiprocessors = 10,
                   .fp32_lanes = 128,
                   .clock_mhz = 1000,
                   .dram_gb_s = 100,
                   .l2_bytes = 1 << 20,
                   .l2_bytes_per_clock = 64,
                   .registers = 65536,
                   .shared_bytes = 4 * 1024,
                   .threads = 2048,
                   .blocks = 32,
                   .block_shared_bytes = 4 * 1024,
                   .reserved_shared_bytes = 1024,
                   .launch_us = 0.25};

/// A rung of block tile 16 x 16 on M = N = 64: 16 blocks, of which one multiprocessor has 2.
struct ByHand {
    Variant variant{"default", {.block = {16, 16, 4}, .threads = 32}, nullptr};
    Count count;

    ByHand() {
        count.variant = &variant;
        count.test = {.m = 64, .n = 64, .k = 1000};
        count.counters.blocks = 16;
        count.counters.warps = 16;
        count.counters.ffma = 400000;
    }
    /// Counts of one whole tile of 16 x 16.
    std::optional<Count> tile(uint64_t ffma, std::vector<simt::SiteCounters> sites = {}) const {
        Count one = count;
        one.test.m = one.test.n = 16;
        one.counters.blocks = one.counters.warps = 1;
        one.counters.ffma = ffma;
        one.counters.sites = std::move(sites);
        one.totals = totals_of(one.counters, one.test);
        return one;
    }
    void add(simt::SiteCounters site) { count.counters.sites.push_back(site); }
    Bound bound(const Built& built = {}, const std::optional<Count>& whole_tile = {}) {
        count.totals = totals_of(count.counters, count.test);
        return bound_of(count, built, kGpu, whole_tile);
    }
    double us(const char* key, const Built& built = {},
              const std::optional<Count>& whole_tile = {}) {
        const Bound all = bound(built, whole_tile);
        for (const BoundTerm& term : all.terms)
            if (term.key == std::string_view(key)) return term.us;
        return -1;
    }
};

constexpr double kWaves = 2 / 1.6;

TEST(Bound, ArithmeticAndItsWaves) {
    ByHand kernel;
    EXPECT_DOUBLE_EQ(kernel.bound().waves, kWaves);
    EXPECT_DOUBLE_EQ(kernel.us("ffma"), 400000 / 4 / 10000.0 * kWaves);
    EXPECT_STREQ(kernel.bound().limiter, "ffma");
    EXPECT_DOUBLE_EQ(kernel.bound().gflops, 2 * 64 * 64 * 1000 / (12.5 * 1e3));
    EXPECT_TRUE(std::isnan(kernel.us("issue"))) << "nothing is known of its instructions";
    kernel.count.test.m = kernel.count.test.n = 63;
    EXPECT_DOUBLE_EQ(kernel.bound().waves, 1) << "9 whole tiles, one a multiprocessor";
}

TEST(Bound, EdgesMayDoMoreOrLessThanWholeTiles) {
    // 25 blocks, 16 of them whole: some multiprocessor has 2 of those.
    ByHand kernel;
    kernel.count.test.m = kernel.count.test.n = 79;
    kernel.count.counters.blocks = kernel.count.counters.warps = 25;
    const simt::SiteCounters all{
        .operation = Operation::global_load, .requests = 40000, .sectors = 4 * 40000};
    kernel.add(all);
    EXPECT_DOUBLE_EQ(kernel.us("ffma"), 400000 / 4 / 10000.0) << "a whole tile is not known";
    EXPECT_DOUBLE_EQ(kernel.us("l1"), 40000 / 10000.0);
    EXPECT_DOUBLE_EQ(kernel.us("ffma", {}, kernel.tile(25000)), 2 * 25000 / 4 / 1000.0);
    EXPECT_DOUBLE_EQ(kernel.us("ffma", {}, kernel.tile(15000)), 400000 / 4 / 10000.0)
        << "the mean is more than 2 of 15000";
    // Whole tiles take few requests, edges many: 4000 a multiprocessor, not 2 x 1600 of the mean.
    const auto with = [](uint64_t requests) {
        return std::vector<simt::SiteCounters>{
            {.operation = Operation::global_load, .requests = requests, .sectors = 4 * requests}};
    };
    EXPECT_DOUBLE_EQ(kernel.us("l1", {}, kernel.tile(25000, with(100))), 4000 / 1000.0);
    EXPECT_DOUBLE_EQ(kernel.us("l1", {}, kernel.tile(25000, with(2500))), 5000 / 1000.0);
    // Blocks that are no tiles of their own, or tiles that begin inside a sector.
    kernel.count.counters.blocks = 50;
    EXPECT_DOUBLE_EQ(kernel.us("ffma", {}, kernel.tile(25000)), 400000 / 4 / 10000.0);
    kernel.count.counters.blocks = 25;
    kernel.variant.config.block.m = 12;
    EXPECT_DOUBLE_EQ(kernel.us("ffma", {}, kernel.tile(25000)), 400000 / 4 / 10000.0);
}

TEST(Bound, AWholeTileIsCountedInItsProblem) {
    const auto device = open_cpu(CpuMode::counted);
    const KernelDefinition& k6 = *select_rungs(device->kernels(), {"k6"}).front();
    const Candidate candidate{&k6, &k6.variants.front()};
    // Rows of 256: whole tiles of 128 x 128 go by vectors, the 3 at the edges by elements.
    const Case test{.m = 255, .n = 255, .k = 128, .slack_b = 1, .slack_c = 1};
    const Count whole = count(*device, candidate, test);
    const auto tile = count_whole_tile(*device, candidate, test);
    ASSERT_TRUE(tile);
    EXPECT_EQ(tile->counters.total(Operation::global_load).requests, 2 * 128 * 128 / 4 / 32);
    EXPECT_GT(whole.counters.total(Operation::global_load).requests,
              4 * tile->counters.total(Operation::global_load).requests);
    const Gpu& gpu = gpu_of("h200");
    const Bound bound = bound_of(
        whole, built_for(gpu, k6, k6.variants.front(), embedded_resources(), embedded_sass()), gpu,
        tile);
    // A, B and C are 128 x 128 each, 8 elements a sector, 4 sectors a clock. Stores touch each sector
    // of C twice: lanes lie 32 bytes apart.
    EXPECT_STREQ(bound.terms[3].key, "l1");
    EXPECT_DOUBLE_EQ(bound.terms[3].us, 4 * 128 * 128 / 8 / 4 / 1980.0);
    EXPECT_FALSE(count_whole_tile(*device, candidate, {.m = 256, .n = 128, .k = 8}));
    EXPECT_FALSE(count_whole_tile(*device, candidate, {.m = 256, .n = 127, .k = 8}));
}

TEST(Bound, ScalarLoadsOfGlobalMemoryAreNotMerged) {
    // What the L1 term assumes: a rung that has only such loads has none that are wider.
    const auto device = open_cpu(CpuMode::counted);
    int seen = 0;
    for (const KernelDefinition* rung : device->kernels()) {
        const Variant& variant = rung->variants.front();
        if (variant.workspace_bytes) continue;  // what other kernels load is counted too
        const auto compiled = compiled_of(embedded_sass(), rung->id, variant.name, "90a");
        const Count counted = count(*device, {rung, &variant}, {.m = 256, .n = 256, .k = 64});
        const auto& widths = counted.totals.global_load.requests_of_width;
        if (!compiled || widths[0] == 0 || widths[1] + widths[2] > 0) continue;
        EXPECT_EQ(widest(compiled->total.global_loads), 1) << rung->id;
        ++seen;
    }
    EXPECT_GE(seen, 5);
}

TEST(Bound, InstructionsOfTheMainLoopAndOutsideIt) {
    ByHand kernel;
    Built built{.compiled = Compiled{}};
    built.compiled->total.global_loads = {4, 0, 0};
    built.compiled->total.shared_stores = {0, 0, 2};
    built.compiled->main_loop = Instructions{.all = 120, .ffma = 100};
    EXPECT_DOUBLE_EQ(kernel.us("issue", built), 400000 * 1.2 / 4 / 10000 * kWaves);
    kernel.add({.operation = Operation::global_load, .width_bits = 32, .requests = 8000});
    kernel.add({.operation = Operation::shared_store, .width_bits = 32, .requests = 4000});
    kernel.add({.operation = Operation::shared_store, .width_bits = 128, .requests = 1000});
    kernel.count.counters.barriers = 500;
    // Scalar loads of global memory are not merged, stores to shared memory may be.
    EXPECT_DOUBLE_EQ(kernel.us("issue", built),
                     (480000 + 8000 + 1000 + 1000 + 500) / 4.0 / 10000 * kWaves);
    built.compiled->main_loop->shared_stores = {0, 0, 2};
    built.compiled->main_loop->barriers = 1;
    EXPECT_DOUBLE_EQ(kernel.us("issue", built), (480000 + 8000) / 4.0 / 10000 * kWaves);
}

TEST(Bound, SharedVectorsAsWrittenAndScalarsAsCompiled) {
    const auto load = [](unsigned bits, uint64_t requests, uint64_t wavefronts, uint64_t ideal,
                         std::array<uint64_t, 2> wider = {}) {
        return simt::SiteCounters{.operation = Operation::shared_load,
                                  .width_bits = bits,
                                  .requests = requests,
                                  .wavefronts = wavefronts,
                                  .ideal_wavefronts = ideal,
                                  .wider_wavefronts = wider};
    };
    const auto us = [](double wavefronts) { return wavefronts / 10000 * kWaves; };
    ByHand kernel;
    kernel.add(load(128, 1000, 8000, 4000));
    EXPECT_DOUBLE_EQ(kernel.us("shared"), us(8000));
    kernel.add(load(128, 1000, 4000, 4000));
    EXPECT_DOUBLE_EQ(kernel.us("shared"), us(12000));
    // As 128 bits: 8 wavefronts and 4, so 2 and 1 for each word.
    kernel.add(load(32, 8000, 32000, 8000, {8000 * 6, 8000 * 8}));
    kernel.add(load(32, 8000, 8000, 8000, {8000 * 2, 8000 * 4}));
    EXPECT_DOUBLE_EQ(kernel.us("shared"), us(12000)) << "they could be in registers";
    // 4000 passes of 100 FFMAs: the vector loads, 2000 of 128 bits and 8000 of 32 are there.
    Built built{.compiled = Compiled{}};
    built.compiled->main_loop = Instructions{.all = 120, .ffma = 100};
    built.compiled->main_loop->shared_loads = {2, 0, 1};
    EXPECT_DOUBLE_EQ(kernel.us("shared", built), us(12000 + 8000 * 2 + 8000))
        << "the first is merged: 40000 otherwise";
    built.compiled->main_loop->shared_loads = {4, 0, 0.5};
    EXPECT_DOUBLE_EQ(kernel.us("shared", built), us(12000 + 32000 + 8000)) << "nothing is merged";
    built.compiled->main_loop->shared_loads = {1, 0, 0.5};
    EXPECT_DOUBLE_EQ(kernel.us("shared", built), us(12000)) << "some are in registers";
    built.compiled->main_loop->shared_loads = {10, 0, 0};
    kernel.count.counters.sites.clear();
    EXPECT_DOUBLE_EQ(kernel.us("shared", built), us(40000)) << "each takes a clock";
}

TEST(Bound, VolatileScalarsStay) {
    ByHand kernel;
    kernel.add({.operation = Operation::shared_load,
                .width_bits = 32,
                .is_volatile = true,
                .requests = 100,
                .wavefronts = 400,
                .ideal_wavefronts = 100});
    EXPECT_DOUBLE_EQ(kernel.us("shared"), 400 / 10000.0 * kWaves);
}

TEST(Bound, Memory) {
    ByHand kernel;
    kernel.add({.operation = Operation::global_load, .requests = 1000, .sectors = 320000});
    kernel.add({.operation = Operation::global_load, .requests = 1000, .sectors = 1000});
    EXPECT_DOUBLE_EQ(kernel.us("l1"), (80000 + 1000) / 10000.0 * kWaves);
    const double compulsory = 4.0 * (64 * 1000 + 1000 * 64 + 64 * 64);
    EXPECT_DOUBLE_EQ(kernel.us("dram"), (compulsory - 4.0 * 64 * 64) / (100 * 1e3))
        << "C may stay in L2";
    EXPECT_DOUBLE_EQ(kernel.us("launch"), 0.25);
    // Two tiles on the busiest multiprocessor. One after the other, the second finds what 4 + 28 KiB
    // hold of the first; at one time they share the rows or the columns.
    const double panels = 4.0 * 1000 * (16 + 16);
    EXPECT_DOUBLE_EQ(kernel.us("l2"), (2 * panels - 32 * 1024) / 64 / 1000);
    EXPECT_DOUBLE_EQ(kernel.us("l2", {.resident_blocks = 2}), 4.0 * 1000 * 48 / 64 / 1000);
}

TEST(Bound, WritesBeyondL2ReachDram) {
    ByHand kernel;
    const double inputs = 4.0 * (1024 * 1000 + 1000 * 1024), C = 4.0 * 1024 * 1024;
    kernel.count.test.m = kernel.count.test.n = 1024;
    const double l2 = static_cast<double>(kGpu.l2_bytes);
    EXPECT_DOUBLE_EQ(kernel.us("dram"), (inputs + C - l2) / (100 * 1e3));
    EXPECT_DOUBLE_EQ(kernel.bound().dram_intensity, 2e3 * 1024 * 1024 / (inputs + C - l2));
    kernel.count.test.beta = 1;
    EXPECT_DOUBLE_EQ(kernel.us("dram"), (inputs + 2 * C - l2) / (100 * 1e3));
}

TEST(Bound, EdgesNeedNoWholePanels) {
    // 1 whole tile and 3 at the edges: 32 panels of a whole tile, and no more for one column.
    ByHand kernel;
    kernel.add({.operation = Operation::global_load, .requests = 1, .sectors = 1'000'000});
    kernel.count.test.m = kernel.count.test.n = 17;
    kernel.count.counters.blocks = kernel.count.counters.warps = 4;
    const auto tile = kernel.tile(
        100000, {{.operation = Operation::global_load, .requests = 1, .sectors = 250'000}});
    EXPECT_DOUBLE_EQ(kernel.us("l2", {}, tile), 4.0 * 1000 * (16 + 16) / 64 / 1000);
    kernel.count.test.m = kernel.count.test.n = 15;
    kernel.count.counters.blocks = kernel.count.counters.warps = 1;
    EXPECT_DOUBLE_EQ(kernel.us("l2"), 4.0 * 1000 * (15 + 15) / 10 / 64 / 1000);
}

TEST(Bound, LaunchesAreThoseOfTheResults) {
    double least = INFINITY;
    for (const EmbeddedResults& file : embedded_results()) {
        if (file.name != "nvidia-h200-2026-11-30-launch.json") continue;
        const auto json = nlohmann::json::parse(file.text);
        for (const auto& launch : json["launches"])
            least = std::min(least, launch["min_us"].get<double>());
    }
    EXPECT_EQ(gpu_of("h200").launch_us, least);
    ByHand kernel;
    kernel.count.totals = totals_of(kernel.count.counters, kernel.count.test);
    const Bound elsewhere = bound_of(kernel.count, {}, gpu_of("a100"));
    EXPECT_TRUE(std::isnan(elsewhere.terms.back().us)) << "not measured there";
}

TEST(Bound, NoProductHasNoRate) {
    ByHand kernel;
    kernel.count.test.k = 0;
    kernel.count.counters.ffma = 0;
    EXPECT_TRUE(std::isnan(kernel.bound().gflops));
    const auto json = json_of(kernel.bound(), kGpu, {});
    EXPECT_TRUE(json["gflops"].is_null());
    EXPECT_TRUE(json["measured_gflops"].is_null());
    EXPECT_EQ(json["gpu"], "round");
}

TEST(Bound, TablesThatDoNotTellAreNone) {
    EXPECT_FALSE(compiled_of("", "k1", "default", "90a"));
    EXPECT_FALSE(compiled_of(R"({"kernels": []})", "k1", "default", "90a"));
    constexpr const char* kText = R"({"kernels": [
        {"rung": "k1", "variant": "default", "architecture": "90a", "registers": 10,
         "total": {"instructions": 50, "FFMA": 9, "STS.32": 4},
         "main_loop": {"instructions": 30, "shortest": 20, "FFMA": 8, "LDS.64": 3}}]})";
    const auto compiled = compiled_of(kText, "k1", "default", "90a");
    ASSERT_TRUE(compiled && compiled->main_loop);
    EXPECT_EQ(compiled->main_loop->all, 20);
    EXPECT_EQ(compiled->main_loop->shared_loads, (Widths{0, 3, 0}));
    EXPECT_EQ(widest(compiled->total.shared_stores), 1);
    EXPECT_EQ(compiled->architecture, "90a");
    EXPECT_EQ(compiled_of(kText, "k1", "default", "80")->architecture, "90a") << "stands in";
    EXPECT_FALSE(compiled_of(kText, "k1", "other", "90a"));
    EXPECT_FALSE(compiled_of(kText, "k2", "default", "90a"));
    EXPECT_EQ(resources_of(kText, "k1").front().registers, 10);
}

}  // namespace
}  // namespace tilewright::lab
