// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the engine makes of the tuning database: an entry is taken where it fits, else prediction decides.
#include "engine/tuned.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/dispatch.h"
#include "engine/tuned_file.h"
#include "lab/tune/database.h"
#include "tilewright/tilewright.h"
#include "tune/folder.h"

namespace tilewright::engine {
namespace {

constexpr int64_t kRoom = 32 << 20;
const TunedDevice kH200{"NVIDIA H200", 132, 90};

Problem product(int64_t m, int64_t n, int64_t k) {
    alignas(16) static float memory[8];
    return {.m = m,
            .n = n,
            .k = k,
            .A = memory,
            .lda = k,
            .B = memory,
            .ldb = n,
            .C = memory,
            .ldc = n};
}

TunedEntry entry_of(const Problem& problem, const std::string& kernel,
                    const TunedDevice& device = kH200) {
    return {kEngine, device, kernels_version(),     class_of(problem), kernel, 10,
            1,       5,      "2026-12-01T00:00:00Z"};
}

Choice choose_with(const std::vector<TunedEntry>& entries, const Problem& problem,
                   int64_t room = kRoom) {
    const Tuned tuned(entries, kH200);
    const DeviceTraits device{.multiprocessors = 132, .tuned = &tuned};
    const Choice choice = choose(problem, device, room);
    // All that shows a choice shows the same.
    EXPECT_EQ(name_of(candidates(problem, device, room).front().choice), name_of(choice));
    EXPECT_EQ(candidates(problem, device, room).front().choice.tuned, choice.tuned);
    return choice;
}

std::string predicted(const Problem& problem, int64_t room = kRoom) {
    const Choice choice = choose_with({}, problem, room);
    EXPECT_FALSE(choice.tuned);
    return name_of(choice);
}

/// Any that dispatch would not take by itself.
std::string another(const Problem& problem) {
    const DeviceTraits device{Target::cpu_fast, 132, 90};
    const auto all = candidates(problem, device, kRoom);
    return name_of(all.at(1).choice);
}

TEST(Tuned, AnEntryForTheProblemIsTaken) {
    const Problem p = product(512, 512, 512);
    const std::string other = another(p);
    ASSERT_NE(other, predicted(p));
    const Choice choice = choose_with({entry_of(p, other)}, p);
    EXPECT_EQ(name_of(choice), other);
    EXPECT_TRUE(choice.tuned);
    EXPECT_GT(choice.predicted_us, 0);
}

TEST(Tuned, OnlyOfThisDeviceAndVersion) {
    const Problem p = product(512, 512, 512);
    std::vector<TunedEntry> strangers(6, entry_of(p, another(p)));
    strangers[0].device.name = "NVIDIA H100";
    strangers[1].device.multiprocessors = 66;  // half of it, by MIG
    strangers[2].device.compute_capability = 100;
    strangers[3].version = "0.0.1";
    strangers[4].subject = "k9";
    // Of this release, before or after a kernel was changed.
    std::string& version = strangers[5].version;
    ASSERT_NE(version.find('+'), version.npos);
    version.back() = version.back() == '0' ? '1' : '0';
    EXPECT_EQ(name_of(choose_with(strangers, p)), predicted(p));
}

TEST(Tuned, OnlyForThisClass) {
    const Problem p = product(512, 512, 512);
    Problem transposed = p, other_mode = p, unaligned = p, batch = p;
    transposed.transpose_b = true;
    other_mode.arithmetic = Arithmetic::fp16x3;
    unaligned.lda = 513;
    batch.batch = 2;
    for (const Problem& stranger :
         {transposed, other_mode, unaligned, batch, product(1024, 512, 512)})
        EXPECT_FALSE(choose_with({entry_of(stranger, another(p))}, p).tuned);
    Problem empty = p;
    empty.alpha = 0;
    EXPECT_FALSE(choose_with({entry_of(p, another(p))}, empty).tuned) << "nothing is multiplied";
}

TEST(Tuned, WhatCannotRunIsNot) {
    const Problem p = product(64, 64, 65536);
    const DeviceTraits device{Target::cpu_fast, 132, 90};
    const Choice best = choose(p, device, kRoom);
    ASSERT_GT(best.workspace_bytes, 0);
    const std::vector<TunedEntry> entries{entry_of(p, name_of(best))};
    EXPECT_TRUE(choose_with(entries, p).tuned);
    EXPECT_FALSE(choose_with(entries, p, 0).tuned) << "the workspace is too small";
    EXPECT_EQ(name_of(choose_with(entries, p, 0)), predicted(p, 0));
    EXPECT_FALSE(choose_with({entry_of(p, "no_such_kernel/64x64")}, p).tuned);
    EXPECT_FALSE(choose_with({entry_of(p, "tensor_tile/128x128-32 compute=fp16x3")}, p).tuned)
        << "a mode that was not asked for";
}

TEST(Tuned, TheNearestStandsInWhereItIsNotPredictedToBeFarSlower) {
    const Problem p = product(512, 512, 512), near = product(600, 512, 512),
                  nearer = product(520, 512, 512), far = product(700, 512, 512);
    const std::string other = another(p);
    EXPECT_TRUE(choose_with({entry_of(near, other)}, p).tuned);
    EXPECT_FALSE(choose_with({entry_of(far, other)}, p).tuned);
    const std::string own = predicted(p);
    EXPECT_EQ(name_of(choose_with({entry_of(near, own), entry_of(nearer, other)}, p)), other);
    EXPECT_EQ(name_of(choose_with({entry_of(nearer, own), entry_of(p, other)}, p)), other);
    const DeviceTraits device{Target::cpu_fast, 132, 90};
    const auto all = candidates(p, device, kRoom);
    const auto slow = std::find_if(all.begin(), all.end(), [&](const Candidate& candidate) {
        return !candidate.refusal && candidate.choice.predicted_us > 2 * all[0].choice.predicted_us;
    });
    ASSERT_NE(slow, all.end());
    EXPECT_FALSE(choose_with({entry_of(near, name_of(slow->choice))}, p).tuned);
    EXPECT_TRUE(choose_with({entry_of(p, name_of(slow->choice))}, p).tuned)
        << "measured is measured";
}

TEST(Tuned, OfTwoForTheSameTheLaterHolds) {
    const Problem p = product(512, 512, 512);
    TunedEntry early = entry_of(p, predicted(p)), late = entry_of(p, another(p));
    late.date = "2027-01-01T00:00:00Z";
    EXPECT_EQ(name_of(choose_with({early, late}, p)), late.kernel);
    EXPECT_EQ(name_of(choose_with({late, early}, p)), late.kernel);
}

/// What a handle's log says of a product of 256^3, in CPU mode.
std::string log_of_a_call() {
    setenv("TILEWRIGHT_DEVICE", "cpu", 1);
    tilewright_handle_t handle;
    EXPECT_EQ(tilewright_create(&handle), TILEWRIGHT_STATUS_SUCCESS);
    std::string heard;
    tilewright_set_log(
        handle, [](const char* line, void* user) { *static_cast<std::string*>(user) = line; },
        &heard);
    constexpr int64_t n = 64;
    const std::vector<float> ones(n * n, 1.0f);
    std::vector<float> c(n * n, -1.0f);
    const float alpha = 1, beta = 0;
    EXPECT_EQ(tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, n, n,
                               n, &alpha, ones.data(), n, ones.data(), n, &beta, c.data(), n),
              TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(c, std::vector<float>(n * n, n));
    tilewright_destroy(handle);
    unsetenv("TILEWRIGHT_DEVICE");
    return heard;
}

TEST(Tuned, AHandleReadsTheDatabase) {
    const test::Folder folder;
    const test::Variable tuning("TILEWRIGHT_TUNING");
    tuning.set("off");
    const std::string untuned = log_of_a_call();
    EXPECT_EQ(untuned.find("tuned"), untuned.npos);
    tuning.set(folder / "tuning.tsv");
    EXPECT_EQ(log_of_a_call(), untuned);
    const TunedDevice cpu{kCpuDevice, 6, 90};
    const Problem p = product(64, 64, 64);
    lab::add_to_database(folder / "tuning.tsv", {entry_of(p, another(p), cpu)}, lab::Merge::newest);
    const std::string tuned = log_of_a_call();
    EXPECT_NE(tuned.find("# " + another(p) + ", predicted"), tuned.npos) << tuned;
    EXPECT_TRUE(tuned.ends_with(" us, tuned")) << tuned;
}

TEST(Tuned, ADatabaseThatIsBrokenIsToldOnceAndIgnored) {
    const test::Folder folder;
    const test::Variable tuning("TILEWRIGHT_TUNING");
    tuning.set("off");
    const std::string untuned = log_of_a_call();
    tuning.set(folder / "tuning.tsv");
    folder.write("tuning.tsv", "tilewright-tuning 1\nbroken\n");
    testing::internal::CaptureStderr();
    EXPECT_EQ(log_of_a_call(), untuned);
    EXPECT_EQ(log_of_a_call(), untuned);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "tilewright: tuning database " + folder / "tuning.tsv" +
                  ": line 2 is no entry: it does not have 17 fields\n");
}

}  // namespace
}  // namespace tilewright::engine
