// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The model of shared memory's banks against what a GPU counted, pattern by pattern.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "simt/account.h"

namespace tilewright::simt {
namespace {

TEST(Wavefronts, AreThoseThatAnH200Counts) {
    std::ifstream csv(TILEWRIGHT_SOURCE "/results/nvidia-h200-2026-11-29-wavefronts.csv");
    std::string line;
    std::getline(csv, line);
    ASSERT_EQ(line, "pattern,width_bits,operation,active,clocks,wavefronts,conflicts,words");
    int patterns = 0;
    while (std::getline(csv, line)) {
        std::istringstream fields(line);
        std::string pattern, width, operation, active, clocks, wavefronts, conflicts, words;
        for (std::string* field :
             {&pattern, &width, &operation, &active, &clocks, &wavefronts, &conflicts, &words})
            std::getline(fields, *field, ',');
        std::array<uintptr_t, kWarpSize> addresses{};
        std::istringstream list(words);
        for (uintptr_t& address : addresses) {
            list >> address;
            address *= 4;
        }
        ASSERT_TRUE(list) << line;
        const Wavefronts counted =
            simt::wavefronts(addresses, static_cast<uint32_t>(std::stoul(active, nullptr, 16)),
                             static_cast<unsigned>(std::stoul(width)) / 8, operation == "load");
        EXPECT_EQ(counted.taken, std::stod(wavefronts)) << line;
        EXPECT_EQ(counted.taken - counted.ideal, std::stod(conflicts)) << line;
        ++patterns;
    }
    EXPECT_GE(patterns, 1000);
}

}  // namespace
}  // namespace tilewright::simt
