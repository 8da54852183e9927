// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The table of GPUs, and occupancy against values worked out by the rules of CUDA's calculator.
#include "lab/gpus.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lab/usage.h"

namespace tilewright::lab {
namespace {

TEST(Gpus, AreCompleteAndToldApart) {
    std::set<std::string> words;
    for (const Gpu& gpu : gpus()) {
        EXPECT_TRUE(words.insert(gpu.word).second) << gpu.word;
        EXPECT_EQ(&gpu_of(gpu.word), &gpu);
        EXPECT_EQ(gpu.registers, 65536) << gpu.word;
        EXPECT_EQ(gpu.threads % 32, 0) << gpu.word;
        EXPECT_EQ(gpu.block_shared_bytes + gpu.reserved_shared_bytes, gpu.shared_bytes) << gpu.word;
        EXPECT_NE(std::string(gpu.source).find("NVIDIA"), std::string::npos) << gpu.word;
    }
}

TEST(Gpus, ReachTheirPublishedPeaks) {
    const auto tflops = [](const char* word) {
        const Gpu& gpu = gpu_of(word);
        return gpu.multiprocessors * gpu.fp32_lanes * 2 * gpu.clock_mhz / 1e6;
    };
    EXPECT_NEAR(tflops("h200"), 66.9, 0.05);
    EXPECT_NEAR(tflops("h100"), 66.9, 0.05);
    EXPECT_NEAR(tflops("a100"), 19.5, 0.05);
    EXPECT_NEAR(tflops("l40s"), 91.6, 0.05);
    EXPECT_NEAR(tflops("b200"), 74.4, 0.05);
    // Boards whose boost clock is no upper limit.
    EXPECT_GT(tflops("3090"), 35.6);
    EXPECT_GT(tflops("a6000"), 38.7);
    EXPECT_GT(tflops("4090"), 82.6);
    EXPECT_GT(tflops("5090"), 104.8);
}

TEST(Gpus, AnUnknownWordIsAnsweredWithAllWords) {
    try {
        gpu_of("rtx");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "--gpu: no GPU 'rtx'; there are h200, h100, a100, 3090, a6000, 4090, l40s, "
                     "b200, 5090");
    }
}

struct Expected {
    const char* gpu;
    int threads, registers, shared_bytes;
    int blocks;
    const char* limit;
    int resident;
};

constexpr Expected kExpected[] = {
    // 168 * 32 = 21 * 256 registers a warp; 16384 / 5376 = 3 warps a part, 12 in all: 3 blocks of 4
    {"h200", 128, 168, 16384, 3, "registers", 384},
    {"a100", 128, 168, 16384, 3, "registers", 384},
    // 128 * 32 = 4096: 4 warps a part, 16 in all
    {"3090", 256, 128, 8192, 2, "registers", 512},
    // 1536 / 1024 threads, though the registers would do for 2 blocks
    {"3090", 1024, 32, 8192, 1, "threads", 1024},
    {"h200", 1024, 32, 8192, 2, "threads", 2048},
    // 56 * 32 = 7 * 256: 9 warps a part, 36 in all: 1 block of 32
    {"h200", 1024, 56, 0, 1, "registers", 1024},
    // 33 registers are 40 of each lane
    {"h200", 512, 33, 0, 3, "registers", 1536},
    // 100 KiB / (32 KiB + 1 KiB reserved), and 228 KiB / 33 KiB
    {"3090", 128, 32, 32768, 3, "shared memory", 384},
    {"h200", 128, 32, 32768, 6, "shared memory", 768},
    // 10093 + 1024 bytes are 11136 in units of 128; without units 21 blocks would fit
    {"h200", 64, 32, 10093, 20, "shared memory", 1280},
    // Without shared memory of its own a block takes what is reserved
    {"3090", 32, 16, 0, 16, "blocks", 512},
    {"4090", 32, 16, 0, 24, "blocks", 768},
    {"h200", 32, 16, 0, 32, "blocks", 1024},
    {"h200", 100, 32, 0, 16, "threads", 2048},  // 4 warps
    // What does not fit at all
    {"h200", 1056, 16, 0, 0, "threads", 0},
    {"h200", 1024, 65, 0, 0, "registers", 0},
    {"h200", 288, 224, 0, 0, "registers", 0},  // 9 warps, 2 a part
    {"4090", 128, 32, 99 * 1024 + 1, 0, "shared memory", 0},
    {"4090", 128, 32, 99 * 1024, 1, "shared memory", 128},
};

TEST(Occupancy, FollowsTheRulesOfCudasCalculator) {
    for (const Expected& each : kExpected) {
        const Gpu& gpu = gpu_of(each.gpu);
        const Occupancy got = occupancy(gpu, each.threads, each.registers, each.shared_bytes);
        SCOPED_TRACE(std::string(each.gpu) + ' ' + std::to_string(each.threads) + " threads " +
                     std::to_string(each.registers) + " registers " +
                     std::to_string(each.shared_bytes) + " bytes");
        EXPECT_EQ(got.blocks, each.blocks);
        EXPECT_STREQ(got.limit, each.limit);
        EXPECT_DOUBLE_EQ(got.share, static_cast<double>(each.resident) / gpu.threads);
    }
}

}  // namespace
}  // namespace tilewright::lab
