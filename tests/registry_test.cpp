// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What every kernel's definition must keep, whoever adds it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "ladder/ladder.h"

namespace tilewright {
namespace {

using ladder::Target;

std::span<const KernelDefinition* const> all() {
    return ladder::rungs(Target::cpu_counted);
}

TEST(Registry, HoldsEachFileOfTheLadder) {
    std::set<std::string> files, registered;
    for (const auto& file : std::filesystem::directory_iterator(TILEWRIGHT_SOURCE "/src/ladder"))
        if (file.path().extension() == ".cu") files.insert(file.path().filename());
    for (const KernelDefinition* rung : all())
        registered.insert(std::filesystem::path(rung->file).filename());
    EXPECT_EQ(files, registered);
}

TEST(Registry, IsInTheOrderOfItsNumbers) {
    std::string before;
    for (const KernelDefinition* rung : all()) {
        const std::string number(ladder::number_of(*rung));
        EXPECT_EQ(number.size(), 2u) << rung->file;
        EXPECT_LT(before, number);
        before = number;
    }
}

TEST(Registry, GivesAWordToOneRungOnly) {
    std::map<std::string, std::set<std::string>> owners;
    for (const KernelDefinition* rung : all()) {
        owners[rung->id].insert(rung->file);
        owners[std::string(ladder::name_of(*rung))].insert(rung->file);
        for (const char* alias : rung->aliases) owners[alias].insert(rung->file);
    }
    for (const auto& [word, files] : owners) EXPECT_EQ(files.size(), 1u) << word;
}

TEST(Registry, NamesParentsThatComeBefore) {
    std::set<std::string> before;
    for (const KernelDefinition* rung : all()) {
        if (before.empty()) {
            EXPECT_STREQ(rung->parent, "");
        } else {
            EXPECT_TRUE(before.contains(rung->parent)) << rung->id << " from " << rung->parent;
        }
        before.insert(rung->id);
    }
}

TEST(Registry, SaysWhatAPersonAsks) {
    for (const KernelDefinition* rung : all()) {
        for (const char* text : {rung->title, rung->idea, rung->requirements})
            EXPECT_GT(std::string(text).size(), 3u) << rung->id;
        EXPECT_EQ(std::string(rung->idea).back(), '.') << rung->id;
        std::set<std::string> names;
        for (const Variant& variant : rung->variants) names.insert(variant.name);
        EXPECT_EQ(names.size(), rung->variants.size()) << rung->id;
        EXPECT_FALSE(rung->variants.empty()) << rung->id;
    }
}

TEST(Registry, IsTheSameForEachTarget) {
    for (const Target target : {Target::cpu_fast, Target::gpu}) {
        const auto other = ladder::rungs(target);
        if (other.empty()) continue;  // a build without CUDA
        ASSERT_EQ(other.size(), all().size());
        for (size_t i = 0; i < other.size(); ++i) {
            EXPECT_STREQ(other[i]->id, all()[i]->id);
            ASSERT_EQ(other[i]->variants.size(), all()[i]->variants.size());
            for (size_t j = 0; j < other[i]->variants.size(); ++j)
                EXPECT_EQ(other[i]->variants[j].config, all()[i]->variants[j].config);
        }
    }
}

TEST(Launch, RefusesMoreTilesThanAKernelCanCount) {
    const float nothing = 0;
    float result = 0;
    const Problem wide{.m = 1,
                       .n = 1,
                       .k = int64_t{1} << 40,
                       .A = &nothing,
                       .lda = int64_t{1} << 40,
                       .B = &nothing,
                       .C = &result};
    const Problem tall{.m = int64_t{1} << 50, .n = 1, .k = 0, .C = &result};
    for (const KernelDefinition* rung : all()) {
        const Variant& variant = rung->variants.front();
        EXPECT_EQ(variant.run(tall, {}).code, StatusCode::not_supported) << rung->id;
        if (variant.config.block.k == 0) continue;
        EXPECT_EQ(variant.run(wide, {}).code, StatusCode::not_supported) << rung->id;
    }
}

std::string ids(std::string_view word) {
    std::string text;
    for (const KernelDefinition* rung : ladder::match(all(), word))
        text += (text.empty() ? "" : " ") + std::string(rung->id);
    return text;
}

TEST(Match, UnderstandsIdsAliasesNamesNumbersAndPatterns) {
    EXPECT_EQ(ids("k5"), "k5");
    EXPECT_EQ(ids("K5"), "k5");
    EXPECT_EQ(ids("v0"), "k2");
    EXPECT_EQ(ids("warp_tile"), "k10");
    EXPECT_EQ(ids("10_warp_tile"), "k10");
    EXPECT_EQ(ids("5"), "k5");
    EXPECT_EQ(ids("05"), "k5");
    EXPECT_EQ(ids("block_tile_*"), "k4 k5");
    EXPECT_EQ(ids("k[67]"), "k6 k7");
    EXPECT_EQ(ids("all").size(), ids("*").size());
    EXPECT_EQ(ids("k"), "");
    EXPECT_EQ(ids(""), "");
    EXPECT_EQ(ids("k11x"), "");
}

}  // namespace
}  // namespace tilewright
