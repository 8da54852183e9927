// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The command line's parts: sizes, names, tables, diffs, rows.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "lab/bench_tables.h"
#include "lab/lesson.h"
#include "lab/registry.h"
#include "lab/results.h"
#include "lab/selection.h"
#include "lab/sizes.h"
#include "lab/table.h"
#include "lab/text.h"
#include "lab/text_diff.h"
#include "lab/timer.h"
#include "lab/usage.h"
#include "ladder/ladder.h"
#include "simt/counters.h"

namespace tilewright::lab {
namespace {

std::string refusal_of(const std::string& sizes) {
    try {
        parse_sizes(sizes);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

using Sizes = std::vector<int64_t>;

TEST(Sizes, ListsRangesAndBoth) {
    EXPECT_EQ(parse_sizes("0"), Sizes{0});
    EXPECT_EQ(parse_sizes("100,200,300"), (Sizes{100, 200, 300}));
    EXPECT_EQ(parse_sizes("128:4096*2"), (Sizes{128, 256, 512, 1024, 2048, 4096}));
    EXPECT_EQ(parse_sizes("128:4095*2"), (Sizes{128, 256, 512, 1024, 2048}));
    EXPECT_EQ(parse_sizes("256:1024:256"), (Sizes{256, 512, 768, 1024}));
    EXPECT_EQ(parse_sizes("7,1:9*3,5:5:1"), (Sizes{7, 1, 3, 9, 5}));
    EXPECT_EQ(parse_sizes("9223372036854775806:9223372036854775807:2"), Sizes{9223372036854775806});
}

TEST(Sizes, RefusalsSayWhy) {
    EXPECT_EQ(refusal_of("-5"), "'-5' is negative");
    EXPECT_EQ(refusal_of("12a"), "'12a' is not a number");
    EXPECT_EQ(refusal_of(""), "'' is not a number");
    EXPECT_EQ(refusal_of("1,,2"), "'' is not a number");
    EXPECT_EQ(refusal_of("9223372036854775808"), "'9223372036854775808' is too large for 64 bits");
    EXPECT_EQ(refusal_of("1:x:2"), "'x' in '1:x:2' is not a number");
    EXPECT_NE(refusal_of("128:256").find("has no step"), std::string::npos);
    EXPECT_NE(refusal_of("256:128*2").find("ends before it starts"), std::string::npos);
    for (const char* endless : {"0:9*2", "1:9*1", "1:9*0", "1:9:0"})
        EXPECT_NE(refusal_of(endless).find("never end"), std::string::npos) << endless;
    EXPECT_NE(refusal_of("1:1000000:1").find("more than"), std::string::npos);
}

TEST(Sizes, Shapes) {
    EXPECT_EQ(parse_shape("1x20X300"), (Shape{1, 20, 300}));
    for (const char* bad : {"", "1x2", "1x2x", "x2x3", "1x2x3x4", "1x-2x3", "1 x2x3"})
        EXPECT_THROW(parse_shape(bad), UsageError) << bad;
    EXPECT_EQ(flops({1024, 1024, 1024}), 2147483648.0);
    EXPECT_EQ(flops({4000000, 4000000, 4000000}), 1.28e20);  // beyond 64 bits
    EXPECT_EQ(text_of_bytes(1023), "1023 bytes");
    EXPECT_EQ(text_of_bytes(size_t{3} << 29), "1.5 GiB");
}

TEST(Names, NearestOnesAreOffered) {
    const std::vector<std::string> verbs{"list", "explain", "diff", "verify", "bench", "ladder"};
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("bnech", "bench"), 1u) << "neighbours that change places are one slip";
    EXPECT_EQ(nearest("bnech", verbs).front(), "bench");
    EXPECT_EQ(nearest("lader", verbs).front(), "ladder");
    EXPECT_EQ(did_you_mean("bnech", verbs), "did you mean 'bench'?");
    const std::vector<std::string> rungs{"naive", "block_tile_1d", "block_tile_2d"};
    EXPECT_EQ(did_you_mean("block", rungs), "did you mean 'block_tile_1d' or 'block_tile_2d'?");
}

TEST(Selection, WordsMeanRungsInReadingOrder) {
    const auto all = ladder::rungs(ladder::Target::cpu_counted);
    const auto some = select_rungs(all, {"warp_tile", "k1", "01"});
    ASSERT_EQ(some.size(), 2u);
    EXPECT_STREQ(some[0]->id, "k1");
    EXPECT_STREQ(some[1]->id, "k10");
    EXPECT_EQ(select_rungs(all, {}).size(), all.size());
    EXPECT_THROW(select_rungs(all, {"k99"}), UsageError);
    EXPECT_THROW(select_rung(all, "k*"), UsageError);
    EXPECT_THROW(select_candidates(some, "no-such-variant"), UsageError);
    EXPECT_EQ(select_candidates(some, "default").size(), 2u);
    EXPECT_GE(select_candidates(select_rungs(all, {}), "all").size(), all.size());
}

TEST(Tables, KeepToTheirWidth) {
    Table table({{"rung", Align::left}, {"time"}, {"idea", Align::left}});
    table.add({"k1", "12.5",
               std::string("words that go on ") + std::string(40, 'x') +
                   " and on until the line is full and fuller"});
    table.add({"k10", "3", "short"});
    for (const std::string& line : split_lines(table.plain(60)))
        EXPECT_LE(line.size(), 60u) << line;
    EXPECT_EQ(table.plain(60).find("k10"), table.plain(60).rfind("k10"));
    EXPECT_NE(table.plain().find("k1    12.5  words"), std::string::npos);
    EXPECT_NE(table.plain().find("k10      3  short"), std::string::npos);
}

TEST(Tables, EscapeWhatTheirFormatReserves) {
    Table table({{"a", Align::left}, {"b"}});
    table.add({"x,\"y\"", "p|q"});
    EXPECT_EQ(table.csv(), "a,b\n\"x,\"\"y\"\"\",p|q\n");
    EXPECT_EQ(table.markdown(), "| a | b |\n|---|---:|\n| x,\"y\" | p\\|q |\n");
}

std::vector<std::string> lines(const char* letters) {
    std::vector<std::string> result;
    for (; *letters; ++letters) result.emplace_back(1, *letters);
    return result;
}

TEST(TextDiff, IsAShortestEdit) {
    const auto diff = diff_lines(lines("abcde"), lines("axcdef"));
    EXPECT_EQ(unified(diff, 3, false), "@@ -1,5 +1,6 @@\n a\n-b\n+x\n c\n d\n e\n+f\n");
    EXPECT_EQ(count_lines(diff, Change::added), 2u);
    EXPECT_EQ(count_lines(diff, Change::removed), 1u);
    EXPECT_EQ(unified(diff_lines(lines("abc"), lines("abc")), 3, false), "");
    EXPECT_EQ(unified(diff_lines({}, lines("a")), 3, false), "@@ -1,0 +1,1 @@\n+a\n");
}

TEST(TextDiff, FarChangesAreHunksOfTheirOwn) {
    const auto diff = diff_lines(lines("abcdefghij"), lines("Abcdefghij+"));
    EXPECT_EQ(unified(diff, 1, false), "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -10,1 +10,2 @@\n j\n++\n");
    EXPECT_EQ(unified(diff_lines(lines("abcd"), lines("AbcD")), 1, false),
              "@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n-d\n+D\n");
    EXPECT_NE(unified(diff, 1, true).find("\033[32m+A\033[0m"), std::string::npos);
}

TEST(Lessons, LeaveOutHeaderNamesAndData) {
    const char* source =
        "// SPDX-License-Identifier: Apache-2.0\n//\n// Rung 01: naive\n//   picture\n"
        "#include \"device/kernel.h\"\n\nnamespace tilewright::ladder {\n\nkernel\n\n"
        "#if !defined(__CUDACC_RTC__)\nlauncher\nconstexpr Variant kVariants[] = {};\n"
        "constexpr const char* kAliases[] = {};\nextern const KernelDefinition definition;\n";
    EXPECT_EQ(header_in(source), "Rung 01: naive\n  picture\n");
    EXPECT_EQ(lesson_in(source), (std::vector<std::string>{"kernel", "", "launcher",
                                                           "constexpr Variant kVariants[] = {};"}));
}

TEST(Lessons, EachRungsTextIsInTheProgram) {
    for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_counted)) {
        EXPECT_FALSE(header_of(*rung).empty()) << rung->id;
        EXPECT_GT(lesson_of(*rung).size(), 10u) << rung->id;
    }
}

TEST(Lessons, SharedHeadersAreToldApart) {
    std::set<uint32_t> headers;
    for (const EmbeddedFile& file : embedded_files()) {
        const uint32_t header = simt::header_of(file.path.data(), file.path.size());
        EXPECT_EQ(header != 0, file.path.ends_with(".h")) << file.path;
        if (header == 0) continue;
        EXPECT_TRUE(headers.insert(header).second) << file.path << ": change simt::header_of()";
        EXPECT_EQ(shared_header(header).path, file.path);
    }
    EXPECT_GE(headers.size(), 3u);
}

TEST(Lessons, TablesOfTheCompilersWorkAreInTheProgram) {
    for (const std::string_view table : {embedded_resources(), embedded_sass()}) {
        const auto json = nlohmann::json::parse(table);
        std::set<std::string> architectures;
        for (const auto& kernel : json.at("kernels")) architectures.insert(kernel["architecture"]);
        // Also those that this build leaves out.
        for (const char* one : {"80", "86", "90a"}) EXPECT_TRUE(architectures.contains(one)) << one;
    }
    EXPECT_NE(embedded_resources(), embedded_sass());
}

TEST(Lessons, AddAtMost60LinesToTheParent) {
    const auto all = ladder::rungs(ladder::Target::cpu_counted);
    for (const KernelDefinition* rung : all) {
        for (const KernelDefinition* parent : all) {
            if (std::string_view(rung->parent) != parent->id) continue;
            EXPECT_LE(added_lines(*rung, *parent), 60u)
                << "tilewright diff " << parent->id << ' ' << rung->id;
        }
    }
}

TEST(Samples, AreSummarisedByMedianAndQuartiles) {
    const Timing timing = summarise({5, 1, 3, 2, 4});
    EXPECT_EQ(timing.samples, 5);
    EXPECT_EQ(timing.median_us, 3);
    EXPECT_EQ(timing.min_us, 1);
    EXPECT_EQ(timing.spread_us, 2);
    EXPECT_EQ(summarise({1, 2}).median_us, 1.5);
    EXPECT_EQ(summarise({7}).spread_us, 0);
    EXPECT_EQ(summarise({}).samples, 0);
    EXPECT_EQ(summarise({1, 1, 1, 1, 1000}).median_us, 1) << "one outlier changes nothing";
}

TEST(Rows, NotRunHaveAReasonAndNoNumbers) {
    Row row;
    row.rung = "k5";
    row.test = {.m = 2, .n = 3, .k = 4, .beta = 0.5f};
    row.median_us = 7;
    set_failure(row, Outcome::not_run, "no memory");
    const auto json = nlohmann::json::parse(json_of(row).dump());
    EXPECT_EQ(json["status"], "not_run");
    EXPECT_EQ(json["reason"], "no memory");
    EXPECT_EQ(json["shape"], nlohmann::json({2, 3, 4}));
    EXPECT_EQ(json["beta"], 0.5);
    for (const char* key : {"median_us", "min_us", "spread_us", "gflops", "percent_of_cublas",
                            "percent_of_peak", "max_error", "bound"})
        EXPECT_TRUE(json.at(key).is_null()) << key;
    EXPECT_EQ(exit_status({&row, 1}), kWrong);
    EXPECT_NE(complaints({&row, 1}).find("no memory"), std::string::npos);
}

TEST(Rows, InfiniteErrorsKeepTheJsonValid) {
    Row row;
    Verdict verdict;
    verdict.outcome = Outcome::wrong;
    verdict.max_error = std::numeric_limits<double>::infinity();
    set_verdict(row, verdict);
    EXPECT_TRUE(nlohmann::json::parse(json_of(row).dump())["max_error"].is_null());
}

TEST(Rows, FitIntoATerminal) {
    std::vector<Row> rows;
    for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_counted)) {
        Row row = row_for(select_candidates({rung}, "default").front(),
                          {.m = 16384, .n = 16384, .k = 16384});
        row.outcome = Outcome::ok;
        row.median_us = 123456.7, row.min_us = 1, row.spread_us = 99999, row.gflops = 65900.1;
        row.samples = 10000, row.percent_of_opponent = row.percent_of_peak = 100.0;
        row.cold = row.graph = row.sustained = true, row.opponent = "k0";
        row.joules = 12345.6, row.gflops_per_watt = 123.4;
        row.vitals = {.sm_mhz = 1980, .watts = 1000, .throttling = {{"power cap", "sync boost"}}};
        rows.push_back(row);
        const std::string all = bench_table({&rows.back(), 1}) + power_table({&rows.back(), 1});
        for (const std::string& line : split_lines(all)) EXPECT_LE(line.size(), 80u) << line;
    }
    const std::string all = bench_table(rows);
    for (const std::string& line : split_lines(all)) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_TRUE(all.starts_with("16384 in fp32:\nrung ")) << all;
    EXPECT_NE(all.find("\n16384 in tf32:\nrung "), all.npos);
    EXPECT_EQ(split_lines(bench_table(rows, Format::md)).size(), rows.size() + 2);
}

TEST(Csv, HasAColumnForEachFieldAndOneLineARow) {
    Row row;
    row.reason = "a, \"quoted\" reason";
    const Row rows[] = {row, row};
    const auto text = split_lines(csv_table(rows).csv());
    ASSERT_EQ(text.size(), 3u);
    EXPECT_TRUE(text[0].starts_with("rung,name,variant,m,n,k,"));
    EXPECT_NE(text[1].find("\"a, \"\"quoted\"\" reason\""), std::string::npos);
}

}  // namespace
}  // namespace tilewright::lab
