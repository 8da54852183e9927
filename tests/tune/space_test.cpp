// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a tuner chooses from, and the rules by which it leaves out the rest.
#include "lab/tune/space.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "lab/lesson.h"
#include "lab/selection.h"
#include "lab/tune/rules.h"
#include "ladder/ladder.h"

namespace tilewright::lab {
namespace {

std::span<const KernelDefinition* const> rungs() {
    return ladder::rungs(ladder::Target::cpu_counted);
}

std::set<std::string> names_in(const Space& space) {
    std::set<std::string> names;
    for (const TuneCandidate& candidate : space.candidates) names.insert(candidate.name);
    EXPECT_EQ(names.size(), space.candidates.size()) << "two have one name";
    return names;
}

TEST(Rules, AreComputedAsTheCompilerDoes) {
    constexpr TileConfig c{.block = {128, 64, 16}, .thread = {8, 4}, .threads = 256};
    const auto says = [&](const char* condition) { return holds(condition, c); };
    EXPECT_EQ(says("kTile.threads * kTile.thread.m * kTile.thread.n == kTile.block.m * "
                   "kTile.block.n"),
              true);
    EXPECT_EQ(says("2 + 3 * 4 == 14 && 2 * (3 + 4) == 14 && 7 - 2 - 1 == 4"), true);
    EXPECT_EQ(says("8 / 2 % 3 == 1 && 1 < 2 && 2 <= 2 && !(1 > 2)"), true);
    EXPECT_EQ(says("!kTile.pad_a && !!1 && -2 * -3 == 6 && 1 - -1 == 2 && -(1 - 2) == 1"), true);
    EXPECT_EQ(says("!(kTile.block.m % kTile.pad_a == 0)"), false) << "no constant";
    EXPECT_EQ(says("kTile.block.m % kTile.pad_a == 0 || 1 == 1"), false) << "no constant";
    EXPECT_EQ(says("kTile.block.m % kTile.pad_a == 0 && f(1)"), false);
    EXPECT_EQ(says("1 == 1 && kTile.block.m % kTile.pad_a == 0"), false);
    EXPECT_EQ(says("1 == 2 && kTile.block.m % kTile.pad_a == 0 || 1 == 1"), true);
    EXPECT_EQ(says("f(1) && 1 == 2"), std::nullopt) << "behind a call nothing is read";
    EXPECT_EQ(says("1 != 1 || 3 >= 4"), false);
    EXPECT_EQ(says("kTile.block.m % kTile.pad_a == 0"), false) << "divided by zero";
    EXPECT_EQ(says("kTile.pad_a == 0 || kTile.block.m % kTile.pad_a == 0"), true);
    EXPECT_EQ(says("is_power_of_two(kTile.block.m)"), std::nullopt);
    EXPECT_EQ(says("1 == 2 && f(kTile.block.m)"), false);
    EXPECT_EQ(says("kOther == 3"), std::nullopt);
    EXPECT_EQ(says(""), std::nullopt);
    EXPECT_EQ(says("1 +"), std::nullopt);
    EXPECT_EQ(says("(1"), std::nullopt);
}

TEST(Rules, WhatIsNotKnownIsNotBroken) {
    constexpr TileConfig c{.block = {128, 64, 16}};
    const std::vector<Rule> rules{{"f knows", "f(kTile.block.m)"}, {"N", "kTile.block.n > 0"}};
    EXPECT_EQ(broken_rule(rules, c), "");
    EXPECT_EQ(unknown_rule(rules, c), "whether it adds up is not known before it runs: f knows");
    const std::vector<Rule> broken{{"f knows", "f(kTile.block.m)"}, {"N < 0", "kTile.block.n < 0"}};
    EXPECT_EQ(broken_rule(broken, c), "N < 0: 64 < 0");
}

TEST(Rules, HoldForAllThatIsCompiledIn) {
    for (const KernelDefinition* rung : rungs())
        for (const Variant& variant : rung->variants)
            for (const Rule& rule : rules_in(source_of(*rung)))
                EXPECT_NE(holds(rule.condition, variant.config), false)
                    << rung->id << '/' << variant.name << ": " << rule.sentence;
}

TEST(Space, HasBoehmsPicksByName) {
    const KernelDefinition& k9 = select_rung(rungs(), "k9");
    const auto compiled_in = names_in(space_of(k9, false)), all = names_in(space_of(k9, true));
    for (const char* pick : {"a100", "a6000"}) {
        EXPECT_TRUE(compiled_in.contains(pick));
        EXPECT_TRUE(all.contains(pick));
    }
    EXPECT_EQ(compiled_in.size(), k9.variants.size());
    EXPECT_GT(all.size(), 4 * compiled_in.size());
    EXPECT_EQ(space_of(k9, false).missing, all.size() - compiled_in.size());
}

TEST(Space, OfARungThatCanBeTunedAddsUp) {
    for (const KernelDefinition* rung : rungs()) {
        if (!rung->space) continue;
        const Space space = space_of(*rung, true);
        EXPECT_EQ(space.configurations, space.candidates.size() + space.illegal.size());
        const auto rules = rules_in(source_of(*rung));
        for (const Rule& rule : rules)  // what the compiler would refuse must be found out before
            EXPECT_NE(holds(rule.condition, rung->variants[0].config), std::nullopt)
                << rung->id << ": " << rule.sentence;
        for (const TuneCandidate& candidate : space.candidates) {
            EXPECT_NE(candidate.variant.empty(), !candidate.config) << candidate.name;
            if (!candidate.config) continue;
            EXPECT_EQ(broken_rule(rules, *candidate.config), "");
            for (const TuneCandidate& near : finer(*rung, *candidate.config))
                EXPECT_EQ(near.config->block, candidate.config->block);
        }
        for (const Illegal& illegal : space.illegal)
            EXPECT_NE(illegal.reason.find(": "), std::string::npos) << illegal.name;
    }
}

TEST(Space, SaysWhyInTheWordsBesideTheKernel) {
    const Space space = space_of(select_rung(rungs(), "k9"), true);
    const auto illegal =
        std::find_if(space.illegal.begin(), space.illegal.end(),
                     [](const Illegal& each) { return each.name == "128x256x8-16x16-u8-b0"; });
    ASSERT_NE(illegal, space.illegal.end());
    EXPECT_EQ(illegal->reason, "a thread has 255 registers: 288 results and fragments");
    const auto unequal =
        std::find_if(space.illegal.begin(), space.illegal.end(),
                     [](const Illegal& each) { return each.name == "64x64x8-4x4-u8-b0"; });
    ASSERT_NE(unequal, space.illegal.end());
    EXPECT_EQ(unequal->reason,
              "threads load equally many float4: 4 * threads divides BM * BK and BK * BN: 64 * 8 "
              "% (4 * 256) == 0 && 8 * 64 % (4 * 256) == 0");
}

TEST(Space, OfTheEngineIsWhatDispatchWeighs) {
    alignas(16) static float memory[4];
    const Problem p{.m = 64,
                    .n = 64,
                    .k = 4096,
                    .A = memory,
                    .lda = 4096,
                    .B = memory,
                    .ldb = 64,
                    .C = memory,
                    .ldc = 64};
    const engine::DeviceTraits device{Target::cpu_fast, 132, 90};
    const Space space = engine_space(p, device);
    EXPECT_EQ(space.configurations, engine::candidates(p, device, engine::kWorkspaceBytes).size());
    EXPECT_EQ(space.candidates.front().name,
              engine::name_of(engine::choose(p, device, engine::kWorkspaceBytes)));
    names_in(space);
    EXPECT_TRUE(std::any_of(space.candidates.begin(), space.candidates.end(),
                            [](const TuneCandidate& each) { return each.parts > 1; }));
}

TEST(Candidate, IsTheSameAfterItWasText) {
    const Space space = space_of(select_rung(rungs(), "k9"), true);
    for (const TuneCandidate& candidate : {space.candidates.front(), space.candidates.back()}) {
        const auto again = candidate_in(json_of(candidate));
        ASSERT_TRUE(again);
        EXPECT_EQ(again->config, candidate.config);
        EXPECT_EQ(json_of(*again), json_of(candidate));
    }
    EXPECT_FALSE(candidate_in(nlohmann::ordered_json{{"name", 3}}));
}

}  // namespace
}  // namespace tilewright::lab
