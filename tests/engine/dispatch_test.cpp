// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Which kernel is chosen, and what is said of the choice. No device is needed: all are values.
#include "engine/dispatch.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/cost.h"
#include "engine/kernels.h"
#include "engine/product.h"

namespace tilewright::engine {
namespace {

constexpr int64_t kRoom = 32 << 20;
constexpr DeviceTraits kH200{Target::cpu_fast, 132, 90};
constexpr DeviceTraits kSmall{Target::cpu_fast, 6, 90};

float* place(int64_t offset = 0) {
    alignas(16) static float memory[8];
    return memory + offset;
}

Problem product(int64_t m, int64_t n, int64_t k) {
    return {.m = m,
            .n = n,
            .k = k,
            .A = place(),
            .lda = std::max<int64_t>(1, k),
            .B = place(),
            .ldb = std::max<int64_t>(1, n),
            .C = place(),
            .ldc = std::max<int64_t>(1, n)};
}

TEST(Choose, TakesTheFastestOfAllCandidates) {
    EXPECT_TRUE(rc::check([] {
        const auto size = [] {
            return *rc::gen::oneOf(rc::gen::inRange<int64_t>(1, 300),
                                   rc::gen::inRange<int64_t>(1, 20000));
        };
        Problem p = product(size(), size(), size());
        p.batch = *rc::gen::element<int64_t>(1, 1, 3, 1000);
        p.arithmetic = *rc::gen::element(Arithmetic::fp32, Arithmetic::fp16x3);
        const DeviceTraits device = *rc::gen::element(0, 1) ? kH200 : kSmall;
        const int64_t room = *rc::gen::element<int64_t>(0, 1 << 16, kRoom, INT64_MAX);
        const Choice best = choose(p, device, room);
        RC_ASSERT(best.kernel != nullptr);
        RC_ASSERT(best.workspace_bytes <= room);
        RC_ASSERT(std::isfinite(best.predicted_us) && best.predicted_us > 0);
        bool fine = true;
        for (const Candidate& candidate : candidates(p, device, room)) {
            RC_ASSERT(fine || candidate.refusal);  // those that cannot run are the last
            RC_ASSERT(serves(candidate.choice.kernel->arithmetic, p.arithmetic));
            fine = !candidate.refusal;
            if (fine) RC_ASSERT(candidate.choice.predicted_us >= best.predicted_us);
        }
        // Its name leads back to it.
        const auto again = named(name_of(best), p, device, room);
        RC_ASSERT(again && !again->refusal);
        RC_ASSERT(name_of(again->choice) == name_of(best));
        RC_ASSERT(again->choice.workspace_bytes == best.workspace_bytes);
        RC_ASSERT(again->choice.predicted_us == best.predicted_us);
        // And the same question gets the same answer.
        RC_ASSERT(name_of(choose(p, device, room)) == name_of(best));
    }));
}

TEST(Choose, AWorkspaceTooSmallMeansAnotherKernel) {
    const Problem p = product(32, 32, 65536);
    const Choice free = choose(p, kH200, kRoom);
    ASSERT_GT(free.workspace_bytes, 0);
    double before = free.predicted_us;
    for (int64_t room = free.workspace_bytes; room > 0; room /= 2) {
        const Choice tight = choose(p, kH200, room - 1);
        ASSERT_TRUE(tight.kernel);
        EXPECT_LT(tight.workspace_bytes, room);
        EXPECT_GE(tight.predicted_us, before) << "less room made it faster";
        before = tight.predicted_us;
    }
    EXPECT_EQ(choose(p, kH200, 0).workspace_bytes, 0);
}

TEST(Choose, TakesTensorCoresInTheirModeWhereTheyAreFaster) {
    const auto taken_for = [](int64_t size, Arithmetic mode, int64_t room = INT64_MAX) {
        Problem p = product(size, size, size);
        p.arithmetic = mode;
        return choose(p, kH200, room);
    };
    EXPECT_EQ(taken_for(4096, Arithmetic::fp32).kernel->arithmetic, Arithmetic::fp32);
    EXPECT_EQ(taken_for(4096, Arithmetic::fp16x3).kernel->arithmetic, Arithmetic::fp16x3);
    EXPECT_EQ(taken_for(64, Arithmetic::fp16x3).kernel->arithmetic, Arithmetic::fp32);
    EXPECT_EQ(taken_for(4096, Arithmetic::fp16x3, 0).kernel->arithmetic, Arithmetic::fp32);
    EXPECT_EQ(taken_for(4096, Arithmetic::tf32).kernel->arithmetic, Arithmetic::tf32);
    EXPECT_EQ(taken_for(64, Arithmetic::tf32).kernel->arithmetic, Arithmetic::fp32);
}

TEST(Modes, AreWhatADeviceHasKernelsFor) {
    const DeviceTraits ampere{Target::cpu_fast, 82, 86};
    for (const Arithmetic mode : kArithmetics)
        for (const DeviceTraits& device : {kH200, kSmall, ampere})
            EXPECT_EQ(refusal_of(mode, device), "") << name_of(mode);
    const DeviceTraits turing{Target::cpu_fast, 40, 75};
    const auto refused = [](const std::string& mode, const std::string& kernel,
                            const std::string& mma_kernel) {
        return "this build has no kernel for " + mode + " on compute capability 7.5: " + kernel +
               " needs 9.0, " + mma_kernel + " needs 8.0 or later";
    };
    EXPECT_EQ(refusal_of(Arithmetic::fp16x3, turing), refused("fp16x3", "tensor_tile", "mma_tile"));
    EXPECT_EQ(refusal_of(Arithmetic::bf16x6, turing),
              refused("bf16x6", "bf16x6_tile", "bf16x6_mma_tile"));
    EXPECT_EQ(refusal_of(Arithmetic::bf16x9, turing),
              refused("bf16x9", "bf16x9_tile", "bf16x9_mma_tile"));
    EXPECT_EQ(refusal_of(Arithmetic::tf32, turing), refused("tf32", "tf32_tile", "tf32_mma_tile"));
    EXPECT_EQ(refusal_of(Arithmetic::tf32x3, kH200), "this build has no kernel for tf32x3");
}

TEST(Modes, HaveVariantsForWhatABlockHasOfSharedMemory) {
    Problem p = product(4096, 4096, 4096);
    for (const Arithmetic mode : kArithmetics)
        for (const int capability : {80, 86, 89, 90, 100, 120}) {
            if (mode == Arithmetic::fp32) continue;
            p.arithmetic = mode;
            const DeviceTraits device{Target::cpu_fast, 100, capability};
            const bool is_small = capability == 86 || capability == 89 || capability == 120;
            for (const Candidate& candidate : candidates(p, device, INT64_MAX)) {
                if (!std::string_view(candidate.choice.kernel->id).ends_with("mma_tile")) continue;
                const bool is_large = candidate.choice.variant->name == std::string_view("192x128");
                EXPECT_EQ(candidate.refusal != nullptr, is_small && is_large)
                    << capability << ' ' << name_of(candidate.choice);
            }
            const bool gains = mode == Arithmetic::fp16x3 || mode == Arithmetic::tf32;
            const Arithmetic chosen = choose(p, device, INT64_MAX).kernel->arithmetic;
            EXPECT_TRUE(!gains || chosen == mode) << capability << ' ' << name_of(mode);
        }
}

TEST(Modes, GoWithoutTensorCoresThatAreSlowerThanFp32) {
    struct Chip {
        const char* name;
        int capability, rate;
    };
    for (const Chip& chip : {Chip{"NVIDIA H200", 90, 16}, Chip{"NVIDIA A100-SXM4-80GB", 80, 16},
                             Chip{"NVIDIA A10", 86, 4}, Chip{"NVIDIA L40S", 89, 4},
                             Chip{"NVIDIA GeForce RTX 3090", 86, 2},
                             Chip{"NVIDIA GeForce RTX 5090 Laptop GPU", 120, 2}})
        for (const Arithmetic mode : kArithmetics) {
            if (mode == Arithmetic::fp32) continue;
            SCOPED_TRACE(std::string(chip.name) + ' ' + name_of(mode));
            const DeviceTraits device{Target::cpu_fast, 82, chip.capability,
                                      tensor_rate_of(chip.capability, chip.name)};
            EXPECT_EQ(device.tensor_rate, chip.rate);
            EXPECT_EQ(refusal_of(mode, device), "") << "the mode is FP32's kernels there";
            Problem p = product(4096, 4096, 4096);
            p.arithmetic = mode;
            const bool gains = products_of(mode) < chip.rate;
            for (const Candidate& candidate : candidates(p, device, INT64_MAX)) {
                const Choice& choice = candidate.choice;
                if (gains || choice.kernel->arithmetic == Arithmetic::fp32) continue;
                ASSERT_TRUE(candidate.refusal) << name_of(choice);
                // Whoever names it has it.
                const auto own = named(name_of(choice), p, device, INT64_MAX);
                ASSERT_TRUE(own);
                const std::string refusal = candidate.refusal;
                EXPECT_TRUE(own->refusal || refusal.starts_with("FP32's kernels are faster"));
            }
            const Choice best = choose(p, device, INT64_MAX);
            ASSERT_TRUE(best.kernel);
            EXPECT_TRUE(gains || best.kernel->arithmetic == Arithmetic::fp32);
        }
}

TEST(Choose, CountsOnlyKWhereItIsRead) {
    Problem p = product(64, 64, 65536);
    EXPECT_GT(choose(p, kH200, kRoom).splits, 1);
    p.alpha = 0;
    EXPECT_EQ(choose(p, kH200, kRoom).splits, 1);
    p.device_alpha = p.device_beta = place();  // which may be anything
    EXPECT_GT(choose(p, kH200, kRoom).splits, 1);
    p = product(64, 64, 0);
    EXPECT_EQ(choose(p, kH200, kRoom).splits, 1);
}

// The predicted time of the choice: a little more to do is not much more time, nor much less.
TEST(Choose, HasNoCliff) {
    constexpr double kStep = 1.06;
    for (const DeviceTraits& device : {kH200})
        for (const int dimension : {0, 1, 2, 3})
            for (const int64_t other : {16, 100, 256, 1000, 4096}) {
                double before = 0;
                for (double size = 1; size < 9000; size = std::max(size + 1, size * kStep)) {
                    const auto s = static_cast<int64_t>(size);
                    const Problem p = product(dimension == 0 || dimension == 3 ? s : other,
                                              dimension == 1 || dimension == 3 ? s : other,
                                              dimension == 2 || dimension == 3 ? s : other);
                    const double us = choose(p, device, kRoom).predicted_us;
                    SCOPED_TRACE(command_of(p));
                    // It may take less, where tiles fill the SMs better than for a smaller size.
                    EXPECT_GT(us, 0.8 * before);
                    // One more tile each way may take a round more of the SMs: twice the time.
                    EXPECT_LT(us, before > 0 ? 2.1 * before : 1e9);
                    before = us;
                }
            }
}

TEST(Choose, SaysWhyWhereNothingCanRun) {
    Problem p = product(int64_t{1} << 29, int64_t{1} << 29, 1);
    EXPECT_EQ(choose(p, kH200, kRoom).kernel, nullptr);
    for (const Candidate& candidate : candidates(p, kH200, kRoom)) {
        ASSERT_TRUE(candidate.refusal);
        EXPECT_NE(std::string(candidate.refusal), "");
    }
    EXPECT_EQ(name_of({}), "none");
    // No kernel is for a GPU before 8.0.
    const DeviceTraits old{Target::cpu_fast, 132, 70};
    EXPECT_EQ(choose(product(9, 9, 9), old, kRoom).kernel, nullptr);
    for (const Candidate& candidate : candidates(product(9, 9, 9), old, kRoom))
        EXPECT_STREQ(candidate.refusal, "needs a newer GPU");
    const DeviceTraits next{Target::cpu_fast, 132, 120};
    EXPECT_NE(choose(product(9, 9, 9), next, kRoom).kernel, nullptr);
}

TEST(Choose, HoldsForEachProblemThatTheBlasKnows) {
    for (const bool ta : {false, true})
        for (const bool tb : {false, true})
            for (const int64_t m : {1, 17, 5000})
                for (const int64_t n : {1, 33, 7000})
                    for (const int64_t k : {0, 1, 100000})
                        for (const int64_t batch : {1, 65537})
                            for (const int64_t offset : {0, 1}) {
                                Problem p = product(m, n, k);
                                p.transpose_a = ta, p.transpose_b = tb;
                                p.lda = ta ? m : std::max<int64_t>(1, k);
                                p.ldb = tb ? std::max<int64_t>(1, k) : n;
                                p.A = place(offset), p.batch = batch, p.stride_c = m * n;
                                EXPECT_TRUE(choose(p, kH200, kRoom).kernel) << command_of(p);
                                EXPECT_TRUE(choose(p, kH200, 0).kernel) << command_of(p);
                            }
}

TEST(Kernels, AreTheSameForEveryTargetAndHaveACostAndAName) {
    const auto fast = kernels(Target::cpu_fast), counted = kernels(Target::cpu_counted);
    ASSERT_FALSE(fast.empty());
    ASSERT_EQ(fast.size(), counted.size());
    std::set<std::string> names;
    for (size_t i = 0; i < fast.size(); ++i) {
        EXPECT_STREQ(fast[i]->id, counted[i]->id);
        ASSERT_EQ(fast[i]->variants.size(), counted[i]->variants.size());
        EXPECT_EQ(fast[i]->kind, Kind::engine);
        for (const Variant& variant : fast[i]->variants) {
            EXPECT_TRUE(variant.run && variant.workspace_bytes && variant.work && variant.refusal);
            EXPECT_TRUE(names.insert(std::string(fast[i]->id) + '/' + variant.name).second)
                << fast[i]->id << '/' << variant.name << " is there twice";
            const Cost& cost = cost_of(*fast[i], variant);
            EXPECT_EQ(std::string(cost.kernel) + '/' + cost.variant,
                      std::string(fast[i]->id) + '/' + variant.name)
                << "a variant without a line in costs.def";
            EXPECT_GE(cost.busy_step_us, 0);
            EXPECT_GE(cost.step_us, cost.busy_step_us)
                << "an SM full of blocks is not slower than one";
        }
    }
}

TEST(Named, TakesNamesThatAreWholeAlone) {
    const Problem p = product(64, 64, 512);
    const auto parts = named("tile/64x64 parts=4", p, kH200, kRoom);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->choice.splits, 4);
    EXPECT_EQ(parts->choice.workspace_bytes % 4, 0);
    EXPECT_GE(parts->choice.workspace_bytes, 4 * 64 * 64 * 4);
    EXPECT_EQ(name_of(named("tile/64x64 parts=1", p, kH200, kRoom)->choice), "tile/64x64");
    // There are 16 k-tiles: more parts are none.
    EXPECT_EQ(named("tile/64x64 parts=2147483647", p, kH200, INT64_MAX)->choice.splits, 16);
    EXPECT_STREQ(named("tile/64x64 parts=4", p, kH200, 0)->refusal, "needs a larger workspace");
    // A kernel of another mode says so. Its name says which, and need not.
    const std::string tensor = "tensor_tile/128x128-32";
    EXPECT_STREQ(named(tensor, p, kH200, INT64_MAX)->refusal, "needs compute mode fp16x3");
    Problem in_mode = p;
    in_mode.arithmetic = Arithmetic::fp16x3;
    for (const char* rest : {"", " compute=fp16x3", " parts=1", " parts=1 compute=fp16x3"}) {
        const auto candidate = named(tensor + rest, in_mode, kH200, INT64_MAX);
        ASSERT_TRUE(candidate && !candidate->refusal) << rest;
        EXPECT_EQ(name_of(candidate->choice), tensor + " compute=fp16x3");
    }
    for (const char* rest : {" compute=", " compute=tf32", " compute=fp16x3 ", "compute=fp16x3"})
        EXPECT_FALSE(named(tensor + rest, in_mode, kH200, INT64_MAX)) << rest;
    EXPECT_FALSE(named("tile/64x64 compute=fp32", p, kH200, kRoom));
    for (const char* name :
         {"", " ", "tile", "tile/", "/64x64", "64x64", "tile/64x6", "tile/64x644",
          "tile/64x64  parts=4", "tile/64x64 parts=", "tile/64x64 parts=0", "tile/64x64 parts=-1",
          "tile/64x64 parts=+4", "tile/64x64 parts=4 ", "tile/64x64 parts=2147483648",
          "tile/64x64 Parts=4", "TILE/64x64"})
        EXPECT_FALSE(named(name, p, kH200, kRoom)) << '\'' << name << '\'';
}

TEST(Command, SaysAllThatAChoiceDependsOn) {
    Problem p = product(128, 4096, 512);
    EXPECT_EQ(command_of(p), "tilewright dispatch N N 128 4096 512");
    p.transpose_b = true, p.ldb = 512;
    EXPECT_EQ(command_of(p), "tilewright dispatch N T 128 4096 512");
    p.transpose_a = true, p.lda = 128;
    EXPECT_EQ(command_of(p), "tilewright dispatch T T 128 4096 512");
    p.lda = 130, p.ldb = 513, p.ldc = 4100;
    EXPECT_EQ(command_of(p), "tilewright dispatch T T 128 4096 512 --lda 130 --ldb 513 --ldc 4100");
    p = product(2, 3, 5);
    p.stride_a = p.stride_b = 9;  // of a single product they mean nothing
    EXPECT_EQ(command_of(p), "tilewright dispatch N N 2 3 5");
    p.batch = 7, p.stride_a = 0, p.stride_b = -15, p.stride_c = 6;
    EXPECT_EQ(command_of(p), "tilewright dispatch N N 2 3 5 --batch 7 --stride-a 0 --stride-b -15");
    p = product(2, 3, 5);
    p.A = place(1), p.B = place(2), p.C = place(3);
    EXPECT_EQ(command_of(p),
              "tilewright dispatch N N 2 3 5 --offset-a 1 --offset-b 2 --offset-c 3");
    p = product(2, 3, 5);
    p.alpha = -0.0f;
    EXPECT_EQ(command_of(p), "tilewright dispatch N N 2 3 5 --alpha 0");
    p.device_alpha = p.device_beta = place();
    EXPECT_EQ(command_of(p), "tilewright dispatch N N 2 3 5 --device-scalars");
    p = product(2, 3, 5);
    p.arithmetic = Arithmetic::fp16x3;
    EXPECT_EQ(command_of(p), "tilewright dispatch N N 2 3 5 --compute fp16x3");
    p.prepared_b = place();
    EXPECT_EQ(command_of(p), "tilewright dispatch N N 2 3 5 --compute fp16x3 --prepared-b");
}

/// The committed sweep has what the model said when it was fitted: tools/fit_costs.py and cost.cpp are
/// the same model, costs.def is its fit, and kernels still cut up problems as they did.
TEST(Predict, SaysWhatWasFitted) {
    std::set<std::filesystem::path> sweeps;  // by date
    for (const auto& entry : std::filesystem::directory_iterator(TILEWRIGHT_SOURCE "/results"))
        if (entry.path().string().ends_with("-engine-sweep.csv")) sweeps.insert(entry.path());
    ASSERT_FALSE(sweeps.empty());
    std::ifstream sweep(*sweeps.rbegin());
    std::string line;
    ASSERT_TRUE(std::getline(sweep, line)) << *sweeps.rbegin();
    ASSERT_TRUE(line.starts_with("ta,tb,m,n,k,batch,kernel,variant,parts,us,predicted_us,"))
        << line;
    int rows = 0;
    while (std::getline(sweep, line) && !HasFailure()) {
        std::vector<std::string> words;
        std::istringstream in(line);
        for (std::string word; std::getline(in, word, ',');) words.push_back(word);
        Problem p = product(std::stoll(words[2]), std::stoll(words[3]), std::stoll(words[4]));
        p.transpose_a = words[0] == "T", p.transpose_b = words[1] == "T";
        p.lda = p.transpose_a ? p.m : p.k, p.ldb = p.transpose_b ? p.k : p.n;
        p.batch = std::stoll(words[5]);
        p.stride_a = p.m * p.k, p.stride_b = p.k * p.n, p.stride_c = p.m * p.n;
        const std::string name = words[6] + '/' + words[7] + " parts=" + words[8];
        p.arithmetic = test::arithmetic_of(name);
        const auto candidate = named(name, p, kH200, own_workspace_bytes(p.arithmetic));
        ASSERT_TRUE(candidate && !candidate->refusal) << line;
        const double fitted = std::stod(words[10]);
        EXPECT_NEAR(candidate->choice.predicted_us, fitted, 1e-3 + 1e-3 * fitted) << line;
        ++rows;
    }
    EXPECT_GT(rows, 10000);
}

TEST(Predict, CountsThePassOverOperands) {
    const Problem p = product(256, 256, 256);
    const Cost& cost = cost_of(*choose(p, kH200, kRoom).kernel, *choose(p, kH200, kRoom).variant);
    Work work{.tiles = 1, .blocks = 1, .steps = 8};
    const double without = predict(p, work, cost, 132);
    work.prepared = 1;
    const double little = predict(p, work, cost, 132);
    EXPECT_GT(little, without + 1);
    work.prepared = 1 << 30;
    EXPECT_GT(predict(p, work, cost, 132), 10 * little);
}

}  // namespace
}  // namespace tilewright::engine
