// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a report shows: which rows, against what, and what is said where there are none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/counts.h"
#include "lab/report/environment_texts.h"
#include "lab/report/kernels.h"
#include "lab/report/noise.h"
#include "lab/report/page.h"
#include "lab/usage.h"

namespace tilewright::lab::report {
namespace {

Json environment(const std::string& date = "2026-01-01",
                 const std::string& device = "NVIDIA H200") {
    return {{"device", device},        {"mode", "gpu"},
            {"multiprocessors", 132},  {"clocks", {{"sm_max_mhz", 1980}}},
            {"peak_gflops", 66908.16}, {"date", date}};
}

Json row(const std::string& rung, int64_t m, int64_t n, int64_t k, double gflops) {
    const double us = 2e-3 * static_cast<double>(m * n * k) / gflops;
    return {{"rung", rung},      {"variant", "default"}, {"shape", {m, n, k}},
            {"memory", "cold"},  {"launch", "stream"},   {"dist", "uniform"},
            {"samples", 30},     {"median_us", us},      {"spread_us", us / 1000},
            {"gflops", gflops},  {"status", "ok"},       {"sm_mhz", 1980},
            {"max_error", 2e-7}, {"bound", 3e-6},        {"percent_of_cublas", 50.0}};
}

Json cube(const std::string& rung, int64_t size, double gflops) {
    return row(rung, size, size, size, gflops);
}

Json with(Json row, const char* key, const Json& value) {
    row[key] = value;
    return row;
}

ResultsFile file(const std::vector<Json>& rows, const std::string& name = "a.json",
                 const Json& from = environment()) {
    return parse_results(name, Json{{"environment", from}, {"results", rows}}.dump());
}

Material material(const std::vector<ResultsFile>& files, Grouping grouping = Grouping::by_device) {
    Material made{.files = files};
    made.series = series_of(made.files, grouping, made.repeated);
    made.counts = counts_for(made.files, made.counts_from);
    return made;
}

/// The row of this kernel at this size.
Json square(const Json& panel, const std::string& id, int64_t size) {
    for (const Json& each : panel["rows"])
        if (each["id"] == id && each["size"] == size) return each;
    return nullptr;
}

std::string refusal_of(const std::string& text) {
    try {
        parse_results("odd.json", text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(ResultsFile, NamesTheFileAndWhatIsWrongWithIt) {
    for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
             {"", "not JSON"},
             {"{\"environment\": {}", "not JSON"},
             {"[1, 2]", "not a results file"},
             {"{\"rows\": []}", "no \"environment\""},
             {"{\"environment\": {}, \"profiles\": []}", "but \"profiles\""},
             {"{\"environment\": {}, \"results\": []}", "no rows"},
             {"{\"environment\": {}, \"results\": 3}", "no array"},
             {"{\"environment\": {}, \"results\": [3]}", "entry 1"},
             {"{\"environment\": {}, \"results\": [{\"rung\": \"k1\", \"shape\": [1, 2]}]}",
              "three whole numbers"}}) {
        EXPECT_EQ(refusal_of(text).rfind("odd.json: ", 0), 0u) << text;
        EXPECT_NE(refusal_of(text).find(what), std::string::npos) << refusal_of(text);
    }
    EXPECT_THROW(read_results("/nowhere/at.json"), UsageError);
    EXPECT_THROW(read_results("/tmp"), UsageError);
}

TEST(ResultsFile, MayBeJsonLines) {
    const ResultsFile read =
        parse_results("a.jsonl", Json{{"environment", environment()}}.dump() + '\n' +
                                     cube("k1", 64, 20).dump() + "\n{\"rung\": \"k2\", \"sha");
    ASSERT_EQ(read.rows.size(), 1u) << "a line that breaks off is no row";
    EXPECT_EQ(read.rows[0].m, 64);
    EXPECT_EQ(read.environment, environment());
}

TEST(ResultsFile, LacksWhatARowLacksAndIgnoresWhatItDoesNotKnow) {
    const ResultsFile read = file({{{"rung", "k1"}, {"shape", {8, 8, 8}}, {"joules", {1, 2}}},
                                   with(cube("k2", 8, 5), "gflops", nullptr)});
    EXPECT_FALSE(read.rows[0].median_us);
    EXPECT_EQ(read.rows[0].variant, "default");
    EXPECT_FALSE(read.rows[0].timed());
    EXPECT_FALSE(read.rows[1].timed());
    EXPECT_EQ(shape_label(file({with(row("tile", 4, 5, 6, 1), "transb", "T")}).rows[0]),
              "4x5x6 NT");
}

TEST(Series, OfOneDeviceANewerFileReplacesRows) {
    const auto made = material({file({cube("k1", 64, 20)}, "new.json", environment("2026-02-01")),
                                file({cube("k1", 64, 10), cube("k2", 64, 30)}, "old.json")});
    ASSERT_EQ(made.series.size(), 1u);
    EXPECT_EQ(made.repeated, (std::vector<size_t>{0, 1}));
    const Json panel = squares_panel(made);
    EXPECT_EQ(square(panel, "k1", 64)["gflops"], 20);
    EXPECT_EQ(square(panel, "k2", 64)["gflops"], 30);
}

TEST(Series, DevicesAndComparedFilesStandApart) {
    const std::vector<ResultsFile> files{
        file({cube("k1", 64, 20)}), file({cube("k1", 64, 20)}, "b.json"),
        file({cube("k1", 64, 20)}, "c.json", environment("", "NVIDIA GeForce RTX 3090"))};
    EXPECT_EQ(material(files).series.size(), 2u);
    const auto apart = material(files, Grouping::by_file);
    ASSERT_EQ(apart.series.size(), 3u);
    EXPECT_EQ(apart.series[1].label, "NVIDIA H200, b.json");
    EXPECT_STREQ(apart.series[2].gpu->word, "3090");
    EXPECT_EQ(gpu_named("NVIDIA B300"), nullptr);
}

TEST(Squares, TakeThePlainestCaseAndTheDefaultVariant) {
    const Json panel = squares_panel(material({file(
        {with(cube("k9", 64, 10), "variant", "a6000"), with(cube("k9", 64, 90), "variant", "a100"),
         with(with(cube("k9", 64, 95), "variant", "a6000"), "memory", "hot"),
         with(with(cube("k9", 64, 99), "variant", "a6000"), "beta", 1.0),
         with(cube("tile", 64, 40), "variant", "64x64"),
         with(cube("tile", 64, 50), "variant", "32x32")})}));
    EXPECT_EQ(square(panel, "k9", 64)["gflops"], 10);
    EXPECT_EQ(square(panel, "tile", 64)["label"], "tile/32x32");
}

TEST(Squares, CompareWithTheParentWhereBothComputeAlike) {
    const Json panel = squares_panel(material({file(
        {cube("k0", 4096, 50), cube("k1", 4096, 10), cube("k2", 4096, 25), cube("k10", 4096, 40),
         cube("k2", 128, 3), with(cube("tf32_mma", 4096, 80), "arithmetic", "tf32")})}));
    EXPECT_EQ(panel["size"], 4096);
    EXPECT_EQ(square(panel, "k2", 4096)["parent"], 2.5);
    EXPECT_TRUE(square(panel, "k1", 4096)["parent"].is_null());
    EXPECT_TRUE(square(panel, "tf32_mma", 4096)["parent"].is_null());
    EXPECT_EQ(panel["ids"].dump(), R"(["k0","k1","k2","k10","tf32_mma"])");
}

TEST(Panels, WithoutDataSayWhatMakesIt) {
    const auto made = material({file({with(cube("k1", 64, 1), "status", "wrong")})});
    for (const Json& panel :
         {squares_panel(made), sweep_panel(made), errors_panel(made), tuning_panel(made),
          roofline_panel(made), shapes_panel(made)["skinny"], shapes_panel(made)["batched"]}) {
        ASSERT_TRUE(panel.contains("missing"));
        EXPECT_EQ(panel["command"].get<std::string>().rfind("tilewright ", 0), 0u);
    }
    EXPECT_EQ(files_panel(made)["files"][0]["not_ok"].size(), 1u);
}

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
    EXPECT_EQ(sweep["engine"][5]["label"], "large_tile");
    EXPECT_EQ(sweep["rung_id"], "k10");  // copy_engine was not measured everywhere
    // 2048: 8 x 16 = 128 tiles of 256 x 128 for 132 multiprocessors; 2176: 9 x 17 = 153.
    EXPECT_EQ(sweep["wave_starts"][0]["size"], 2176);
    EXPECT_EQ(sweep["wave_starts"][0]["waves"], 2);
    rows.resize(4 * 7);
    EXPECT_TRUE(sweep_panel(material({file(rows)})).contains("missing"));
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

TEST(Roofline, OfAGpuWithoutPublicNumbersHasTheRoofThatFollowsFromItsClock) {
    const auto made =
        material({file({cube("k3", 4096, 8793)}, "a.json", environment("", "A GPU of next year"))});
    const Json panel = roofline_panel(made);
    ASSERT_EQ(panel["devices"][0]["roofs"].size(), 1u);
    EXPECT_EQ(panel["devices"][0]["roofs"][0]["level"], "shared");
}

TEST(Counts, OfTheFilesComeBeforeThoseOfTheProgram) {
    const ResultsFile counted = parse_results(
        "counts.json", Json{{"environment", environment()},
                            {"counts",
                             {{{"rung", "k3"}, {"shape", {8, 8, 8}}, {"totals", {{"ffma", 7}}}},
                              {{"rung", "k3"}, {"shape", {16, 8, 8}}, {"totals", {{"ffma", 9}}}}}}}
                           .dump());
    const auto made = material({counted});
    EXPECT_EQ(counted_kernel(made.counts, "k3", "default")->totals.at("ffma"), 9);
    EXPECT_NE(counted_kernel(made.counts, "k4", "default"), nullptr);
    EXPECT_EQ(made.counts_from.rfind("counts.json, results/counts.json", 0), 0u);
}

TEST(Counts, StandSideBySideWithoutAnyTimes) {
    const Json panel =
        counted_panel(material({file({with(cube("k1", 64, 1), "status", "wrong")})}));
    EXPECT_GE(panel["rows"].size(), 40u);
    EXPECT_EQ(panel["rows"][0]["id"], "k1");
    EXPECT_EQ(panel["rows"][0]["values"].size(), panel["columns"].size());
    EXPECT_TRUE(panel["rows"][0]["values"][2].is_null());  // k1 has no shared memory
}

TEST(Rungs, HaveIdeaTilesCountersAndLesson) {
    const Json panel = rungs_panel(material({file({cube("k1", 64, 1)})}));
    for (const Json& rung : panel["rungs"]) {
        EXPECT_FALSE(rung["idea"].get<std::string>().empty());
        EXPECT_FALSE(rung["counters"].empty()) << rung["id"];
        EXPECT_FALSE(rung["tiles"]["sums"].empty());
        EXPECT_EQ(rung["parent"].is_null(), !rung.contains("diff")) << rung["id"];
    }
    EXPECT_GE(panel["rungs"].size(), 40u);
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

TEST(Environment, IsShownWhole) {
    const auto texts = environment_texts(Json{{"a", nullptr},
                                              {"b", {{"c", 1.5}, {"d", {{"e", "x"}}}}},
                                              {"f", {"g", 2}},
                                              {"h", Json::array()}});
    const std::vector<std::pair<std::string, std::string>> want{
        {"a", "not known"}, {"b.c", "1.5"}, {"b.d.e", "x"}, {"f", "g, 2"}, {"h", "none"}};
    EXPECT_EQ(texts, want);
}

TEST(Page, KeepsTextInsideItsScript) {
    const std::string odd = "</script><!-- \xff";
    const std::string safe = script_json(Json{{"text", odd}});
    EXPECT_EQ(safe.find('<'), std::string::npos);
    EXPECT_EQ(Json::parse(safe)["text"], "</script><!-- \xef\xbf\xbd");
    const std::string page = page_with(Json{{"text", odd}});
    for (const char* place : {"/*STYLE*/", "/*CHARTS*/", "/*DATA*/", "/*SCRIPT*/"})
        EXPECT_EQ(page.find(place), std::string::npos) << place;
    EXPECT_NE(page.find(safe), std::string::npos);
}

}  // namespace
}  // namespace tilewright::lab::report
