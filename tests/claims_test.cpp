// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the rungs claim is what CPU mode counts, and their headers name no other numbers.
#include "lab/claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "lab/header.h"
#include "lab/lesson.h"
#include "lab/quantities.h"
#include "lab/selection.h"
#include "lab/usage.h"
#include "ladder/ladder.h"

namespace tilewright::lab {
namespace {

std::span<const KernelDefinition* const> rungs() {
    return ladder::rungs(ladder::Target::cpu_counted);
}

class Claims : public testing::TestWithParam<const KernelDefinition*> {};

TEST_P(Claims, AreWhatIsCounted) {
    const KernelDefinition& rung = *GetParam();
    ASSERT_FALSE(rung.claims.empty()) << rung.id << " claims nothing that can be counted";
    const Count count = count_for_claims({&rung, &rung.variants.front()});
    ASSERT_TRUE(count.ok()) << count.failure;
    for (const CheckedClaim& claim : check_claims(rung.claims, count.counters))
        EXPECT_TRUE(claim.holds) << rung.id << ": " << claim.quantity << " is said to be "
                                 << claim.claimed << " and counted as "
                                 << claim.counted.value_or(std::nan(""));
    // Of all rungs: the products, and nothing else.
    EXPECT_EQ(count.counters.ffma * 32 + count.counters.mma_products,
              256u * 256 * 256 * products_of(rung.arithmetic));
}

/// Numbers that a text gives, other than names, sizes in bytes, and numbers of lanes and rungs.
std::vector<double> numbers_in(std::string text) {
    static const std::regex aside(
        R"rx("[^"]*"|rung \d+\S*|\d+\^\d+|\d+[- ]bytes?\b|\d+ lanes|[A-Za-z_]\w*)rx");
    text = std::regex_replace(text, aside, "");
    static const std::regex number(R"(\d+(\.\d+)?)");
    std::vector<double> found;
    for (std::sregex_iterator i(text.begin(), text.end(), number), end; i != end; ++i)
        found.push_back(std::stod(i->str()));
    return found;
}

/// The values that a rung and the rungs before it claim, and its tile sizes.
std::set<double> supported(const KernelDefinition& rung) {
    std::set<double> values{1};
    for (const Claim& claim : rung.claims) values.insert(claim.value);
    if (*rung.parent) {
        const KernelDefinition& parent = select_rung(rungs(), rung.parent);
        for (const Claim& claim : parent.claims) values.insert(claim.value);
    }
    const TileConfig& c = rung.variants.front().config;
    for (const int size : {c.block.m, c.block.n, c.block.k, c.thread.m, c.thread.n})
        values.insert(size);
    return values;
}

TEST_P(Claims, HoldTheNumbersOfTheHeader) {
    const KernelDefinition& rung = *GetParam();
    const Header header(header_of(rung));
    ASSERT_FALSE(header.section("Look at").empty()) << rung.id;
    const std::set<double> values = supported(rung);
    for (const double number : numbers_in(header.section("Look at")))
        EXPECT_TRUE(values.contains(number))
            << rung.id << "'s Look at says " << number << ", and no claim does";
}

INSTANTIATE_TEST_SUITE_P(Rungs, Claims, testing::ValuesIn(rungs().begin(), rungs().end()),
                         [](const auto& test) { return std::string(test.param->id); });

TEST(Numbers, AreToldFromNames) {
    EXPECT_EQ(numbers_in("A 32 -> 1.125; 16 bytes, a 16-byte load, rung 05's, \"a4\", k5, 256^3, "
                         "32 lanes, 128 : 6"),
              (std::vector<double>{32, 1.125, 128, 6}));
}

constexpr Case kCase{.m = 2, .n = 16, .k = 8};

simt::Counters counted() {
    using simt::Operation;
    simt::Counters counters;
    counters.sites = {{.operation = Operation::global_load,
                       .operand = "A",
                       .width_bits = 32,
                       .requests = 2,
                       .bytes = 256,
                       .sectors = 6},
                      {.operation = Operation::copy_load,
                       .operand = "A",
                       .width_bits = 128,
                       .requests = 2,
                       .bytes = 1024,
                       .sectors = 32},
                      {.operation = Operation::copy_store,
                       .operand = "As",
                       .width_bits = 128,
                       .requests = 2,
                       .wavefronts = 16,
                       .ideal_wavefronts = 8},
                      {.operation = Operation::global_store,
                       .operand = "C",
                       .width_bits = 32,
                       .requests = 1,
                       .bytes = 128,
                       .sectors = 4},
                      {.operation = Operation::shared_load,
                       .operand = "As",
                       .width_bits = 128,
                       .requests = 8,
                       .wavefronts = 32,
                       .ideal_wavefronts = 32},
                      {.operation = Operation::shared_load,
                       .operand = "Bs",
                       .width_bits = 32,
                       .requests = 8,
                       .wavefronts = 24,
                       .ideal_wavefronts = 8}};
    counters.ffma = 16;
    counters.barriers = 6;
    counters.blocks = 2;
    counters.warps = 2;
    return counters;
}

TEST(Quantities, AreRatiosOfWhatWasCounted) {
    const simt::Counters c = counted();
    const auto value = [&](const char* name) { return claimed_quantity(c, kCase, name); };
    EXPECT_EQ(value("sectors/load of A"), 38.0 / 4) << "asynchronous copies load too";
    EXPECT_EQ(value("sectors/load"), 38.0 / 4);
    EXPECT_EQ(value("sectors/store of C"), 4);
    EXPECT_EQ(value("sectors/FFMA"), 38.0 / 16);
    EXPECT_EQ(value("global bytes/result"), 42.0 * 32 / 32);
    EXPECT_EQ(value("FLOP/byte loaded"), 512.0 / 1280);
    EXPECT_EQ(value("FFMA/global load"), 4);
    EXPECT_EQ(value("FFMA/load"), 1);
    EXPECT_EQ(value("FFMA/load of As"), 2);
    EXPECT_EQ(value("FFMA/load of A"), 2) << "its shared array's";
    EXPECT_EQ(value("FFMA/k"), 1);
    EXPECT_EQ(value("words/FFMA"), (8.0 * 4 + 8) / 16);
    EXPECT_EQ(value("loads/k"), 1);
    EXPECT_EQ(value("loads/k of Bs"), 0.5);
    EXPECT_EQ(value("wavefronts/k"), 56.0 / 16);
    EXPECT_EQ(value("wavefronts/k of Bs"), 24.0 / 16);
    EXPECT_EQ(value("wavefronts/load of As"), 4);
    EXPECT_EQ(value("wavefronts/store of As"), 8);
    EXPECT_EQ(value("wavefronts stored/load of A"), 4);
    EXPECT_EQ(value("ways/load of Bs"), 3);
    EXPECT_EQ(value("ways/store of As"), 2);
    EXPECT_EQ(value("barriers/block"), 3);
}

TEST(Quantities, OfWhatDoesNotOccurAreNone) {
    EXPECT_EQ(claimed_quantity(counted(), kCase, "sectors/load of Z"), std::nullopt);
    EXPECT_EQ(claimed_quantity({}, kCase, "words/FFMA"), std::nullopt);
    const Claim claims[] = {{"ways/load of Zs", 0}};
    EXPECT_FALSE(check_claims(claims, counted()).front().holds);
}

/// All that can be claimed.
std::vector<const char*> names() {
    std::vector<const char*> names;
    for (const QuantityGroup& group : quantities())
        for (const Quantity& quantity : group.quantities)
            if (quantity.name) names.push_back(quantity.name);
    return names;
}

TEST(Quantities, AnUnknownNameIsAnsweredWithAllNames) {
    for (const char* unknown :
         {"sectors", "sectors/load of ", "barriers/block of As", "", "FFMA/load ", "FFMA/load of"})
        try {
            claimed_quantity(counted(), kCase, unknown);
            ADD_FAILURE() << unknown;
        } catch (const UsageError& error) {
            for (const char* name : names())
                EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
        }
}

TEST(Quantities, AreAllOnThePageForAuthors) {
    std::ifstream file(TILEWRIGHT_SOURCE "/docs/add-a-kernel.md");
    std::stringstream page;
    page << file.rdbuf();
    for (const char* name : names())
        EXPECT_NE(page.str().find(std::string("`") + name + '`'), std::string::npos)
            << "docs/add-a-kernel.md does not name " << name;
}

}  // namespace
}  // namespace tilewright::lab
