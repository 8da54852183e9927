// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a report's panels compare with what: shapes, sweeps, variants, rooflines and two runs.
#include <gtest/gtest.h>

#include <map>

#include "lab/noise.h"
#include "lab/report/noise.h"
#include "report_rows.h"

namespace tilewright::lab::report {
namespace {

TEST(Shapes, AreGroupedByWhatIsThin) {
    const auto made = material(
        {file({row("k0", 1, 4096, 4096, 10), with(row("tile", 1, 4096, 4096, 5), "variant", "a"),
               with(row("tile", 1, 4096, 4096, 15), "variant", "b"), row("gemv", 1, 4096, 4096, 9),
               row("split_k", 64, 64, 65536, 1), with(cube("tile", 64, 2), "batch", 8),
               row("k1", 4096, 1024, 2048, 1)})});
    const Json groups = shapes_panel(made);
    const Json& skinny = groups["skinny"]["shapes"];
    ASSERT_EQ(skinny.size(), 1u);
    EXPECT_EQ(skinny[0]["kernels"][0]["label"], "tile/b");
    EXPECT_EQ(skinny[0]["kernels"][1]["id"], "gemv");
    EXPECT_EQ(groups["long"]["shapes"][0]["shape"], "64x64x65536");
    EXPECT_EQ(groups["batched"]["shapes"][0]["shape"], "64 x8");
    EXPECT_EQ(groups["other"]["shapes"][0]["shape"], "4096x1024x2048");
}

TEST(Shapes, AreComparedInOneAccuracyAndInTheSameConditions) {
    const auto tf32 = [](Json row) {
        row["percent_of_cublas"] = nullptr;
        return with(std::move(row), "arithmetic", "tf32");
    };
    const auto made =
        material({file({row("k0", 1, 4096, 4096, 10), tf32(row("k0_tf32", 1, 4096, 4096, 40)),
                        with(row("k0", 1, 4096, 4096, 25), "memory", "hot"),
                        with(row("library", 1, 4096, 4096, 20), "percent_of_cublas", nullptr),
                        with(with(row("library", 1, 4096, 4096, 30), "percent_of_cublas", nullptr),
                             "memory", "hot"),
                        with(row("library", 1, 4096, 4096, 15), "arithmetic", "fp16x3"),
                        tf32(row("library", 1, 4096, 4096, 80))})});
    std::map<std::pair<bool, std::string>, Json> by;
    const Json groups = shapes_panel(made);
    for (const Json& each : groups["skinny"]["shapes"])
        by[{each["tf32"], each["conditions"]}] = each;
    ASSERT_EQ(by.size(), 3u);
    const Json& cold = by[std::pair(false, "")];
    ASSERT_EQ(cold["kernels"].size(), 2u);
    EXPECT_NEAR(cold["kernels"][0]["cublas"].get<double>(), 2, 1e-9);
    EXPECT_EQ(cold["kernels"][1]["arithmetic"], "fp16x3");
    EXPECT_NEAR(by[std::pair(false, "hot")]["kernels"][0]["cublas"].get<double>(), 1.2, 1e-9);
    EXPECT_NEAR(by[std::pair(true, "")]["kernels"][0]["cublas"].get<double>(), 2, 1e-9);
}

TEST(Sweep, NeedsARunWithoutGapsAndShowsWhereWavesBegin) {
    std::vector<Json> rows;
    for (int64_t size = 128; size <= 4096; size += 128)
        for (const char* kernel : {"k0", "k10", "large_tile", "thin"})
            rows.push_back(cube(kernel, size, kernel[0] == 'l' ? 60 : 50));
    rows.push_back(cube("copy_engine", 4096, 70));
    const Json panel = sweep_panel(material({file(rows)}));
    ASSERT_EQ(panel["sweeps"].size(), 1u);
    const Json& sweep = panel["sweeps"][0];
    EXPECT_EQ(sweep["sizes"].size(), 32u);
    EXPECT_EQ(sweep["best"][5]["label"], "large_tile");
    EXPECT_TRUE(sweep["library"][5].is_null());
    EXPECT_EQ(sweep["rung_id"], "k10");  // copy_engine was not measured everywhere
    // Of k10's tiles of 128 x 128: 1408 has 11 x 11 for 132 multiprocessors, 1536 has 12 x 12.
    EXPECT_EQ(sweep["tile"].dump(), "[128,128]");
    EXPECT_EQ(sweep["wave_starts"][0]["size"], 1536);
    EXPECT_EQ(sweep["wave_starts"][0]["waves"], 2);
    rows.resize(4 * 7);
    EXPECT_TRUE(sweep_panel(material({file(rows)})).contains("missing"));
}

TEST(Sweep, IsOfOneSetOfConditionsAndOfTheLibraryItself) {
    std::vector<Json> rows;
    for (int64_t size = 128; size <= 1024; size += 128) {
        rows.push_back(cube("k0", size, 50));
        rows.push_back(with(cube("library", size, 60), "kernel", "tile/64x64"));
        rows.push_back(with(cube("k0", size, 90), "memory", "hot"));
        rows.push_back(with(cube("library", size, 70), "sustained", true));
        rows.push_back(with(cube("library", size, 300), "arithmetic", "fp16x3"));
    }
    const Json panel = sweep_panel(material({file(rows)}));
    std::map<std::string, Json> by;
    for (const Json& each : panel["sweeps"]) by[each["conditions"]] = each;
    ASSERT_EQ(by.size(), 3u);
    EXPECT_EQ(by[""]["cublas"][0]["gflops"], 50);
    EXPECT_EQ(by[""]["library"][0]["gflops"], 60);
    EXPECT_EQ(by[""]["library"][0]["label"], "tile/64x64");
    EXPECT_EQ(by["hot"]["cublas"][0]["gflops"], 90);
    EXPECT_TRUE(by["hot"]["library"][0].is_null());
    EXPECT_EQ(by["sustained"]["library"][0]["gflops"], 70);
}

TEST(Tuning, HasTheConfigurationsThatAreKnown) {
    const Json panel = tuning_panel(material({file(
        {with(cube("k9", 64, 1), "variant", "a6000"), with(cube("k9", 64, 3), "variant", "a100"),
         with(cube("k9", 64, 2), "variant", "of another build"), cube("k5", 64, 9)})}));
    ASSERT_EQ(panel["spaces"].size(), 1u);
    const Json& variants = panel["spaces"][0]["variants"];
    EXPECT_EQ(variants[0]["name"], "a100");
    EXPECT_TRUE(variants[1]["config"].is_null());
    EXPECT_EQ(variants[2]["config"]["intensity"], 32);
}

/// As `tilewright tune k9 --output` writes it.
Json tuned_file() {
    Json config = Json::array();
    for (const int value : {128, 64, 16, 8, 8, 0, 128, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 1})
        config.push_back(value);
    const auto candidate = [](const std::string& name, const std::string& variant, Json gflops) {
        const bool ok = !gflops.is_null();
        const Json us = ok ? Json(1e5 / gflops.get<double>()) : Json(nullptr);
        return Json{{"name", name},
                    {"kernel", "k9"},
                    {"variant", variant},
                    {"parts", 1},
                    {"outcome", ok ? "ok" : "failed"},
                    {"reason", ok ? Json(nullptr) : Json("the process ended by signal 11")},
                    {"samples", ok ? 20 : 0},
                    {"median_us", us},
                    {"min_us", us},
                    {"spread_us", ok ? Json(0.5) : Json(nullptr)},
                    {"gflops", gflops},
                    {"tied", name == "a100"},
                    {"compile_ms", nullptr}};
    };
    Json compiled = candidate("128x64x16-8x8-u1-b2", "", 37000);
    compiled["config"] = config;
    return {{"environment", environment()},
            {"tuning",
             {{{"subject", "k9"},
               {"problem", "4096x4096x4096"},
               {"compute", "fp32"},
               {"measured", true},
               {"complete", true},
               {"best", "128x64x16-8x8-u1-b2"},
               {"candidates",
                {compiled, candidate("a100", "a100", 36900), candidate("a6000", "a6000", 30000),
                 candidate("crashed", "", nullptr)}}}}}};
}

TEST(Tuning, ReadsWhatTheTunerWrote) {
    const auto made = material({parse_results("k9.json", tuned_file().dump())});
    ASSERT_EQ(made.series.size(), 1u);
    const Json panel = tuning_panel(made);
    ASSERT_EQ(panel["spaces"].size(), 1u);
    const Json& space = panel["spaces"][0];
    EXPECT_EQ(space["id"], "k9");
    ASSERT_EQ(space["variants"].size(), 3u);
    EXPECT_EQ(space["variants"][0]["note"], "best");
    EXPECT_EQ(space["variants"][0]["config"]["block"].dump(), "[128,64,16]") << "not compiled in";
    EXPECT_EQ(space["variants"][1]["note"], "tied");
    EXPECT_EQ(space["variants"][1]["config"]["block"].size(), 3u) << "by its variant's name";
    ASSERT_EQ(space["failed"].size(), 1u);
    EXPECT_EQ(space["failed"][0][2], "the process ended by signal 11");
    EXPECT_EQ(files_panel(made)["files"][0]["tuned"], 1u);
}

TEST(Roofline, HasNoPointAboveItsRoof) {
    const auto made = material({file({cube("k1", 4096, 494), cube("k3", 4096, 8793),
                                      cube("v2", 4096, 13444), cube("copy_engine", 4096, 53947)})});
    const Json panel = roofline_panel(made);
    const Json& device = panel["devices"][0];
    EXPECT_EQ(device["roofs"].size(), 3u);
    EXPECT_EQ(device["points"].size(), 4u);
    for (const Json& point : device["points"])
        for (const Json& roof : device["roofs"]) {
            const Json& intensity = point[roof["level"].get<std::string>()];
            if (intensity.is_null()) continue;
            EXPECT_LE(point["gflops"].get<double>(),
                      intensity.get<double>() * roof["gb_s"].get<double>())
                << point["id"] << ' ' << roof["label"];
        }
}

TEST(Roofline, NamesWhatItLeavesOutAndWhereItWasCounted) {
    const Json panel =
        roofline_panel(material({file({cube("k0", 4096, 50000), cube("k3", 4096, 8793),
                                       with(cube("tf32_mma", 4096, 90000), "arithmetic", "tf32"),
                                       with(cube("k4", 4096, 9000), "memory", "hot")})}));
    const Json& device = panel["devices"][0];
    EXPECT_EQ(device["left_out"].dump(), R"(["k0","tf32_mma"])");
    EXPECT_EQ(device["counted_at"].dump(), R"(["1024 x 1024 x 1024"])");
    for (const Json& point : device["points"]) EXPECT_EQ(point["hot"], point["id"] == "k4");
}

TEST(Roofline, OfAGpuWithoutPublicNumbersHasTheRoofThatFollowsFromItsClock) {
    const auto made =
        material({file({cube("k3", 4096, 8793)}, "a.json", environment("", "A GPU of next year"))});
    const Json panel = roofline_panel(made);
    ASSERT_EQ(panel["devices"][0]["roofs"].size(), 1u);
    EXPECT_EQ(panel["devices"][0]["roofs"][0]["level"], "shared");
}

MeasuredRow timed(double us, double spread, int samples) {
    MeasuredRow row;
    row.median_us = us, row.spread_us = spread, row.samples = samples;
    return row;
}

TEST(Noise, IsTheLargestOfWhatCanBeToldOfIt) {
    const double between = kBetweenRuns;
    EXPECT_EQ(*noise_between(timed(100, 0.1, 100), timed(100, 0.1, 100)), between);
    EXPECT_EQ(*noise_between(timed(100, 0.1, 100), timed(50, 5, 100)), 0.1);
    // Three samples: 3 x 1.2533 / 1.349 x 0.04 x sqrt(2 / 3).
    EXPECT_NEAR(*noise_between(timed(100, 4, 3), timed(100, 4, 3)), 0.0910, 1e-4);
    EXPECT_FALSE(noise_between(timed(100, 4, 0), timed(100, 4, 3)));
    EXPECT_FALSE(noise_between(MeasuredRow{}, timed(100, 4, 3)));
}

TEST(Comparison, TellsChangesFromNoiseAndFromOtherCases) {
    const auto made =
        material({file({cube("k1", 64, 100), cube("k2", 64, 100), cube("k3", 64, 100),
                        cube("k4", 64, 100), cube("k5", 64, 100), cube("k6", 64, 100)}),
                  file({cube("k1", 64, 101), cube("k2", 64, 110), cube("k3", 64, 90),
                        with(cube("k4", 64, 200), "memory", "hot"),
                        with(cube("k5", 64, 100), "status", "wrong"), cube("v1", 64, 1),
                        with(cube("k6", 64, 90), "sm_mhz", 1605)},
                       "b.json", environment("2026-02-02"))},
                 Grouping::by_file);
    const Json panel = comparison_panel(made);
    std::map<std::string, Json> by;
    for (const Json& each : panel["rows"]) by[each["id"]] = each;
    EXPECT_EQ(by["k1"]["verdict"], "same");
    EXPECT_EQ(by["k2"]["verdict"], "faster");
    EXPECT_EQ(by["k3"]["verdict"], "slower");
    EXPECT_EQ(by["k4"]["verdict"], "other case");
    EXPECT_EQ(by["k4"]["notes"], "memory: cold, hot");
    EXPECT_EQ(by["k5"]["verdict"], "broken");
    EXPECT_EQ(by["v1"]["verdict"], "only after");
    EXPECT_NE(by["k6"]["notes"].get<std::string>().find("1605 MHz"), std::string::npos);
    EXPECT_FALSE(panel["devices_differ"].get<bool>());
    EXPECT_TRUE(panel["environment"].empty());  // but for the date
}

TEST(Comparison, PairsByTheFullCase) {
    const auto hot = [](Json row) { return with(std::move(row), "memory", "hot"); };
    const auto made =
        material({file({cube("k1", 64, 100), hot(cube("k1", 64, 200)), cube("library", 64, 60),
                        with(cube("library", 64, 200), "arithmetic", "fp16x3"), cube("k3", 64, 10),
                        with(cube("k4", 64, 1), "status", "not_run"), cube("k5", 64, 100)},
                       "a.json", environment("", "")),
                  file({hot(cube("k1", 64, 200)), cube("k1", 64, 100), cube("library", 64, 60),
                        with(cube("library", 64, 200), "arithmetic", "fp16x3"),
                        with(cube("k3", 64, 10), "status", "not_run"), cube("k4", 64, 1),
                        with(cube("k5", 64, 80), "sustained", true)},
                       "b.json", Json{{"device", nullptr}, {"mode", "gpu"}})},
                 Grouping::by_file);
    const Json panel = comparison_panel(made);
    std::map<std::string, std::vector<std::string>> by;
    for (const Json& each : panel["rows"]) by[each["label"]].push_back(each["verdict"]);
    using Verdicts = std::vector<std::string>;
    EXPECT_EQ(by["k1"], (Verdicts{"same", "same"}));
    EXPECT_EQ(by["library"], Verdicts{"same"});
    EXPECT_EQ(by["library fp16x3"], Verdicts{"same"});
    EXPECT_EQ(by["k3"], Verdicts{"did not run"});
    EXPECT_EQ(by["k4"], Verdicts{"ran"});
    EXPECT_EQ(by["k5 sustained"], Verdicts{"other case"});
}

TEST(Comparison, SaysThatDevicesDiffer) {
    const auto made =
        material({file({cube("k1", 64, 1)}),
                  file({cube("k1", 64, 2)}, "b.json", environment("", "NVIDIA A100-SXM4-80GB"))},
                 Grouping::by_file);
    const Json panel = comparison_panel(made);
    EXPECT_TRUE(panel["devices_differ"].get<bool>());
    EXPECT_EQ(panel["environment"][0].dump(),
              R"(["device","NVIDIA H200","NVIDIA A100-SXM4-80GB"])");
}

}  // namespace
}  // namespace tilewright::lab::report
