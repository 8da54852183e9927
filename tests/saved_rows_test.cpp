// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Rows that were written: read back from either form, and run again by their own command.
#include <gtest/gtest.h>

#include "lab/bench_plan.h"
#include "lab/command_line.h"
#include "lab/noise.h"
#include "lab/rerun.h"
#include "lab/results.h"
#include "lab/saved_results.h"
#include "lab/usage.h"

namespace tilewright::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string refusal_of(const std::string& text) {
    try {
        parse_saved(text, "x.jsonl");
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

constexpr const char* kLines =
    "{\"environment\":{\"device\":\"d\"}}\n{\"rung\":\"k1\"}\n{\"rung\":\"k2\"}\n";

TEST(Saved, LinesAreReadAsOneObject) {
    const Json whole = parse_saved(
        R"({"environment": {"device": "d"}, "results": [{"rung": "k1"}, {"rung": "k2"}]})", "x");
    EXPECT_EQ(parse_saved(kLines, "x"), whole);
    EXPECT_EQ(parse_saved(whole.dump(), "x"), whole);
    EXPECT_EQ(parse_saved(whole.dump(2), "x"), whole);
}

TEST(Saved, ALineThatBreaksOffIsNoRow) {
    const std::string lines = kLines;
    for (size_t end = lines.rfind("{\"rung\"") + 1; end + 2 < lines.size(); ++end)
        EXPECT_EQ(parse_saved(lines.substr(0, end), "x")["results"].size(), 1u) << end;
    const auto before_newline = lines.substr(0, lines.size() - 1);
    EXPECT_EQ(parse_saved(before_newline, "x")["results"].size(), 2u) << "whole, but for its end";
}

TEST(Saved, ErrorsNameFileAndLine) {
    EXPECT_EQ(refusal_of("{\"environment\":{}}\n{\"rung\":\nx\n"), "x.jsonl:2: not JSON");
    EXPECT_EQ(refusal_of("{\"environment\":{}}\n[1]\n"), "x.jsonl:2: no row: it has no \"rung\"");
    EXPECT_TRUE(refusal_of("hello").starts_with("x.jsonl: not JSON: parse error"));
    EXPECT_TRUE(refusal_of("").starts_with("x.jsonl: not JSON"));
    EXPECT_TRUE(refusal_of("[]").find("no \"environment\"") != std::string::npos);
    EXPECT_EQ(refusal_of("{\"environment\":{},\"results\":1}"), "x.jsonl: \"results\" is no array");
    EXPECT_THROW(read_saved("/nowhere/x.json"), UsageError);
    EXPECT_THROW(read_saved("/"), UsageError);
}

/// The row with its opponent, by the command of either.
std::vector<Row> rows_of(const std::string& command) {
    std::vector<Row> all;
    plan_bench(options_of(command)).run([&](std::span<const Row> rows) {
        all.insert(all.end(), rows.begin(), rows.end());
    });
    return all;
}

TEST(Rerun, ACommandGivesTheSameRow) {
    for (const char* asked :
         {"tilewright bench k9 --variant a100 --device cpu --sizes 16 --beta 0.25 --min-time 0",
          "tilewright bench tile --variant 32x32 --device cpu --shape 20x30x40 --transa T --batch "
          "2 --stride-b 0 --parts 2 --alpha -0.1 --lda 27 --min-time 0 --hot",
          "tilewright bench library --compute fp16x3 --device cpu --shape 9x8x7 --offset 1,2,3 "
          "--dist wide --seed 5 --against none --min-time 0",
          "tilewright bench k2 --against k1 --device cpu --sizes 8 --min-time 0",
          "tilewright bench k2 --device cpu --sizes 8 --profile"}) {
        const Row first = rows_of(asked).back();
        EXPECT_EQ(first.outcome, Outcome::ok) << first.reason;
        const Row second = rows_of(first.command).back();
        const Repeated row = repeated(json_of(first), json_of(second));
        EXPECT_TRUE(row.differing.empty()) << first.command << '\n' << second.command;
        EXPECT_EQ(first.test, second.test) << first.command;
        EXPECT_EQ(first.command, second.command);
        EXPECT_EQ(first.opponent, second.opponent);
        for (const auto& item : row.before.items())
            EXPECT_EQ(row.now.contains(item.key()), true) << item.key();
        EXPECT_EQ(row.now.size(), row.before.size());
    }
}

Json timed(double median_us, double spread_us) {
    Row row;
    row.rung = "k5";
    row.outcome = Outcome::ok;
    row.median_us = median_us;
    row.spread_us = spread_us;
    return json_of(row);
}

TEST(Rerun, OnlyMoreThanNoiseIsADifference) {
    const Repeated same = repeated(timed(100, 3), timed(102.5, 1));
    ASSERT_TRUE(same.change);
    EXPECT_NEAR(same.change->percent, 2.5, 1e-9);
    EXPECT_NEAR(same.change->noise_percent, 3, 1e-9);
    EXPECT_FALSE(same.change->beyond_noise());
    EXPECT_TRUE(repeated(timed(100, 1), timed(102.5, 2)).change->beyond_noise());
    EXPECT_TRUE(repeated(timed(100, 1), timed(95, 2)).change->beyond_noise());
    EXPECT_FALSE(repeated(timed(100, 0), timed(100.9, 0)).change->beyond_noise())
        << "runs differ by as much";
    Row failed;
    failed.rung = "k5";
    EXPECT_FALSE(repeated(timed(100, 1), json_of(failed)).change);
}

TEST(Rerun, WhatWasRunMustBeTheSame) {
    Json before = timed(1, 0), now = before;
    now["beta"] = 1;
    now["seed"] = 8;
    now["samples"] = 8;
    EXPECT_EQ(repeated(before, now).differing, (std::vector<std::string>{"beta", "seed"}));
    before = now;
    before["memory"] = "cold", before["launch"] = "stream", before["kernel"] = "tile/64x64";
    now["memory"] = "hot", now["launch"] = "graph", now["kernel"] = "tile/128x64";
    EXPECT_EQ(repeated(before, now).differing,
              (std::vector<std::string>{"memory", "launch", "kernel"}));
    now["memory"] = now["launch"] = now["kernel"] = nullptr;
    EXPECT_TRUE(repeated(before, now).differing.empty()) << "a row without a time";
}

TEST(Rerun, SaysWhereTheEnvironmentIsAnother) {
    const Json before{{"device", "NVIDIA H200"}, {"multiprocessors", 132}, {"driver", "1.2"}};
    Json now = before;
    EXPECT_TRUE(environments_of(before, now).differing.empty());
    now["multiprocessors"] = 66, now["driver"] = "1.3", now["date"] = "later";
    EXPECT_EQ(environments_of(before, now).differing,
              (std::vector<std::string>{"multiprocessors", "driver"}));
    EXPECT_TRUE(environments_of(before, Json()).differing.empty());
}

TEST(Rerun, FewSamplesAreMoreNoise) {
    EXPECT_DOUBLE_EQ(noise_between({100, 1, 100}, {100, 0.5, 100}), kBetweenRuns);
    EXPECT_DOUBLE_EQ(noise_between({100, 4, 100}, {100, 1, 100}), 0.04);
    EXPECT_GT(noise_between({100, 4, 3}, {100, 4, 3}), 0.08);
}

}  // namespace
}  // namespace tilewright::lab
