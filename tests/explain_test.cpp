// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What tilewright explain says of a rung, and the parts it is made of.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/explanation.h"
#include "lab/header.h"
#include "lab/lesson.h"
#include "lab/selection.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "ladder/ladder.h"

namespace tilewright::lab {
namespace {

std::span<const KernelDefinition* const> rungs() {
    return ladder::rungs(ladder::Target::cpu_counted);
}

constexpr TileConfig kWarpTiled{
    .block = {128, 128, 16}, .thread = {8, 4}, .threads = 128, .warp = {64, 64}, .warp_n_steps = 4};

std::string arithmetic_of(const TileConfig& config) {
    std::string text;
    for (const Sum& sum : tile_arithmetic(config)) text += sum.part + ": " + sum.text + '\n';
    return text;
}

TEST(TileArithmetic, AddsUpFromThreadToBlock) {
    EXPECT_EQ(
        arithmetic_of(kWarpTiled),
        "block tile: 128 x 128 = 16384 elements of C, by 128 threads = 4 warps\n"
        "warp tile: 64 x 64 = 4096 elements; x 4 warps = 16384, the block tile\n"
        "thread tile: 8 x 4 = 32 elements in a step; x 32 lanes = 1024; x 4 steps (1 along "
        "m, 4 along n) = 4096, the warp tile\n"
        "accumulators: 16384 / 128 = 128 a thread\n"
        "k-tile: 128 x 16 = 2048 elements of A and 16 x 128 = 2048 of B: 16384 bytes\n"
        "loads: of a thread for a k-tile: 16 elements of A and 16 of B, for 2048 FMAs: 64 for "
        "each element\n");
    EXPECT_EQ(arithmetic_of({.block = {32, 32}, .threads = 1024}),
              "block tile: 32 x 32 = 1024 elements of C, by 1024 threads = 32 warps\n"
              "thread tile: 1 x 1 = 1 element; x 1024 threads = 1024, the block tile\n"
              "accumulators: 1024 / 1024 = 1 a thread\n"
              "k-tile: none: each product loads both of its factors\n");
}

TEST(Rules, AreTheStaticAssertsWithTheirValues) {
    const auto rules = rules_in(
        "static_assert(kTile.warp.m * kTile.warp_n_steps ==\n"
        "                  kOther,\n"
        "              \"two \"\n"
        "              \"literals\");\n"
        "static_assert(true);\n"
        "static_assert(f(kTile.block.k) % 4 == 0, \"(one)\");\n");
    ASSERT_EQ(rules.size(), 2u);
    EXPECT_EQ(rules[0].sentence, "two literals");
    EXPECT_EQ(rules[0].condition, "kTile.warp.m * kTile.warp_n_steps == kOther");
    EXPECT_EQ(with_values(rules[0].condition, kWarpTiled), "64 * 4 == kOther");
    EXPECT_EQ(rules[1].sentence, "(one)");
    EXPECT_EQ(with_values(rules[1].condition, kWarpTiled), "f(16) % 4 == 0");
}

TEST(Rules, OfEachRungAreFoundAndFilledIn) {
    for (const KernelDefinition* rung : rungs()) {
        const auto rules = rules_in(source_of(*rung));
        EXPECT_FALSE(rules.empty()) << rung->id;
        for (const Rule& rule : rules) {
            EXPECT_GT(rule.sentence.size(), 10u) << rung->id;
            const std::string values = with_values(rule.condition, rung->variants.front().config);
            EXPECT_EQ(values.find("kTile"), values.npos) << rung->id << ": " << values;
        }
    }
}

TEST(Header, HasSectionsAndWrapsProseOnly) {
    const Header header(
        "Rung 01: naive\n\n"
        "Idea     One two\n"
        "         three.\n\n"
        "Picture  As:  x    y\n"
        "          ->  z\n\n"
        "         Prose after it.\n"
        "Look at  7\n");
    EXPECT_EQ(header.section("Idea"), "One two three.");
    EXPECT_EQ(header.section("Look at"), "7");
    EXPECT_EQ(header.section("Cost"), "");
    EXPECT_EQ(header.plain(""), "Rung 01: naive\n");
    EXPECT_EQ(header.plain("Idea", 18), "Idea     One two\n         three.\n");
    EXPECT_EQ(header.plain("Picture", 18),
              "Picture  As:  x    y\n          ->  z\n\n         Prose\n         after it.\n");
    EXPECT_EQ(Header("no sections\nat all\n").plain(""), "no sections at all\n");
}

TEST(Resources, ComeFromTheNearestArchitecture) {
    const Resources all[] = {
        {"default", "80", 10}, {"default", "86", 20}, {"default", "90a", 30}, {"other", "90a", 40}};
    const auto registers = [&](const char* variant, const char* architecture) {
        const auto found = resources_for(all, variant, architecture);
        return found ? found->registers : 0;
    };
    EXPECT_EQ(registers("default", "86"), 20);
    EXPECT_EQ(registers("default", "89"), 20) << "the code that runs there";
    EXPECT_EQ(registers("default", "120"), 30);
    EXPECT_EQ(registers("default", "75"), 10);
    EXPECT_EQ(registers("other", "80"), 40);
    EXPECT_EQ(registers("none", "80"), 0);
}

TEST(Explain, FitsATerminalAndClaimsHold) {
    for (const KernelDefinition* rung : rungs()) {
        const Explanation explanation = explain(*rung, "default", "all");
        EXPECT_TRUE(explanation.holds()) << rung->id;
        EXPECT_EQ(explanation.occupancy.size(), gpus().size());
        for (const std::string& line : split_lines(page_of(explanation)))
            EXPECT_LE(line.size(), 80u) << rung->id << ": " << line;
    }
}

TEST(Explain, SaysWhenAClaimIsFalse) {
    KernelDefinition rung = select_rung(rungs(), "k10");
    const Claim claims[] = {{"barriers/block", 31}, {"FFMA/k", 128}};
    rung.claims = claims;
    const Explanation explanation = explain(rung, "default", "h200");
    EXPECT_FALSE(explanation.holds());
    const std::string page = page_of(explanation);
    EXPECT_NE(page.find("barriers/block       31       32  not so\n"), page.npos) << page;
    EXPECT_NE(page.find("FFMA/k              128      128  ok\n"), page.npos) << page;
    const auto json = json_of(explanation);
    EXPECT_EQ(json["claims"][0].dump(),
              R"({"quantity":"barriers/block","claimed":31.0,"counted":32.0})");
}

TEST(Explain, OfAnotherVariantCountsWithoutClaims) {
    const Explanation explanation = explain(select_rung(rungs(), "k10"), "a100", "a100");
    EXPECT_TRUE(explanation.holds());
    const auto json = json_of(explanation);
    EXPECT_EQ(json["variant"], "a100");
    for (const auto& claim : json["claims"]) {
        EXPECT_TRUE(claim["claimed"].is_null());
        if (claim["quantity"] == "words/FFMA") {
            EXPECT_EQ(claim["counted"], 0.3125);
        }
    }
    EXPECT_EQ(json["occupancy"][0]["gpu"], "a100");
}

TEST(Explain, RefusesWhatThereIsNot) {
    const KernelDefinition& rung = select_rung(rungs(), "k9");
    EXPECT_THROW(explain(rung, "default", "h300"), UsageError);
    EXPECT_THROW(explain(rung, "no-such-variant", "h200"), UsageError);
    EXPECT_THROW(explain(rung, "all", "h200"), UsageError);
}

}  // namespace
}  // namespace tilewright::lab
