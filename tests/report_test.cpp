// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a report shows: which rows, against what, and what is said where there are none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/report/environment_texts.h"
#include "lab/report/kernels.h"
#include "lab/report/page.h"
#include "lab/usage.h"
#include "report_rows.h"

namespace tilewright::lab::report {
namespace {

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

TEST(ResultsFile, NamesTheEntryOfATuningThatIsOdd) {
    for (const char* text :
         {R"([1])", R"([{"subject": "k9"}])", R"([{"subject": "k9", "candidates": [{}]}])"})
        EXPECT_NE(refusal_of(R"({"environment": {}, "tuning": )" + std::string(text) + "}")
                      .find("\"tuning\", entry 1"),
                  std::string::npos)
            << text;
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

TEST(ResultsFile, DerivesATimeOrListsTheRow) {
    Json rate = cube("k1", 64, 20), nothing = cube("k2", 64, 20);
    rate.erase("median_us");
    nothing.erase("median_us"), nothing.erase("gflops");
    const ResultsFile read = file({rate, nothing});
    EXPECT_NEAR(*read.rows[0].median_us, *file({cube("k1", 64, 20)}).rows[0].median_us, 1e-9);
    const Json listed = files_panel(material({read}))["files"][0]["not_ok"];
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_EQ(listed[0][0], "k2");
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

TEST(Squares, TellArithmeticsAndSustainedRowsApart) {
    const Json panel = squares_panel(material({file(
        {cube("k0", 4096, 50), with(cube("k0_tf32", 4096, 400), "arithmetic", "tf32"),
         cube("library", 4096, 60), with(cube("library", 4096, 200), "arithmetic", "fp16x3"),
         cube("k1", 4096, 10), cube("k2", 4096, 30), with(cube("k2", 4096, 20), "sustained", true),
         with(cube("k1", 4096, 5), "sustained", true)})}));
    EXPECT_EQ(
        panel["ids"].dump(),
        R"(["k0","k0_tf32","k1","k1 sustained","k2","k2 sustained","library","library fp16x3"])");
    EXPECT_EQ(square(panel, "library", 4096)["gflops"], 60);
    EXPECT_EQ(square(panel, "library fp16x3", 4096)["gflops"], 200);
    EXPECT_EQ(square(panel, "k2", 4096)["parent"], 3);
    EXPECT_EQ(square(panel, "k2 sustained", 4096)["parent"], 4);
    EXPECT_EQ(square(panel, "k2 sustained", 4096)["mode"], "cold, sustained");
}

TEST(Squares, SayHowFarTheWholeLadderHasCome) {
    const Json panel =
        squares_panel(material({file({cube("k1", 4096, 10), cube("k10", 4096, 400),
                                      with(cube("k2", 4096, 30), "memory", "hot")})}));
    EXPECT_EQ(square(panel, "k10", 4096)["first"], 40);
    EXPECT_TRUE(square(panel, "k1", 4096)["first"].is_null());
    EXPECT_TRUE(square(panel, "k2", 4096)["first"].is_null()) << "hot is not compared with cold";
}

TEST(Series, ASustainedRowDoesNotReplaceABurst) {
    const auto made =
        material({file({cube("k1", 64, 20)}), file({with(cube("k1", 64, 10), "sustained", true)},
                                                   "b.json", environment("2026-02-01"))});
    EXPECT_EQ(made.repeated, (std::vector<size_t>{0, 0}));
    EXPECT_EQ(square(squares_panel(made), "k1", 64)["gflops"], 20);
}

TEST(Series, CountsAreOfNoDevice) {
    const ResultsFile counted = parse_results(
        "counts.json",
        Json{{"environment", {{"device", "AMD EPYC"}}},
             {"counts", {{{"rung", "k3"}, {"shape", {8, 8, 8}}, {"totals", {{"ffma", 7}}}}}}}
            .dump());
    const auto made = material({file({cube("k1", 64, 20)}), counted});
    ASSERT_EQ(made.series.size(), 1u);
    EXPECT_TRUE(files_panel(made)["files"][1]["series"].is_null());
    EXPECT_TRUE(material({counted}).series.empty());
    EXPECT_THROW(comparison_panel(material({counted, counted}, Grouping::by_file)), UsageError);
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
        EXPECT_FALSE(rung["main_loop"].empty()) << rung["id"];
        EXPECT_GT(rung["occupancy"]["blocks"].get<int>(), 0) << rung["id"];
        EXPECT_EQ(rung["parent"].is_null(), !rung.contains("diff")) << rung["id"];
    }
    EXPECT_GE(panel["rungs"].size(), 40u);
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
