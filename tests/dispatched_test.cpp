// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright dispatch: what the library logs of a call leads to the call's kernel.
#include "lab/dispatched.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "lab/command_line.h"
#include "lab/usage.h"

namespace tilewright::lab {
namespace {

constexpr engine::DeviceTraits kH200{Target::cpu_fast, 132, 90};

nlohmann::json answer_to(const std::string& command) {
    std::vector<std::string> words;
    std::istringstream text(command + " --format json");
    for (std::string word; text >> word;) words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    const auto run = parse_command_line(static_cast<int>(arguments.size()), arguments.data());
    testing::internal::CaptureStdout();
    const int status = run();
    const std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, kRight) << command;
    return nlohmann::json::parse(printed);
}

class Random {
  public:
    int64_t below(int64_t end) {
        return static_cast<int64_t>(engine_() % static_cast<uint64_t>(end));
    }
    bool coin() { return below(2) == 1; }
    /// All magnitudes alike.
    int64_t size() { return 1 + below(int64_t{2} << below(14)); }

  private:
    std::mt19937_64 engine_{1};
};

Problem draw(Random& random) {
    Problem p{.m = random.size(), .n = random.size(), .k = random.size()};
    p.alpha = random.below(4) == 0 ? 0.0f : 2.5f;
    p.transpose_a = random.coin(), p.transpose_b = random.coin();
    const auto ld = [&](int64_t least) { return least + (random.coin() ? random.below(9) : 0); };
    p.lda = ld(p.transpose_a ? p.m : p.k);
    p.ldb = ld(p.transpose_b ? p.k : p.n);
    p.ldc = ld(p.n);
    const auto place = [&] {
        return reinterpret_cast<float*>(uintptr_t{4096} +
                                        4 * (random.coin() ? random.below(64) : 0));
    };
    p.A = place(), p.B = place(), p.C = place();
    if (random.coin()) p.batch = 2 + random.below(50);
    const auto stride = [&](int64_t usual) {
        return random.coin() ? usual : usual + random.below(100);
    };
    p.stride_a = stride((p.transpose_a ? p.k : p.m) * p.lda);
    p.stride_b = random.below(4) == 0 ? 0 : stride((p.transpose_b ? p.n : p.k) * p.ldb);
    p.stride_c = stride(p.m * p.ldc);
    static const float scalar = 1;
    if (random.below(4) == 0) p.device_alpha = p.device_beta = &scalar;
    if (random.below(4) == 0) {
        p.arithmetic = Arithmetic::fp16x3;
        if (random.coin()) p.prepared_a = &scalar;
        if (random.coin()) p.prepared_b = &scalar;
    }
    return p;
}

TEST(Dispatch, AnswersWhatTheLibraryLogs) {
    Random random;
    for (int i = 0; i < 200; ++i) {
        const Problem problem = draw(random);
        const std::string command = engine::command_of(problem);
        const int64_t workspace = random.coin() ? engine::kWorkspaceBytes : 4096;
        const auto answer = answer_to(command + " --workspace " + std::to_string(workspace));
        EXPECT_EQ(answer["problem"], command);
        EXPECT_EQ(answer["compute"], name_of(problem.arithmetic));
        const engine::Choice choice = engine::choose(problem, kH200, workspace);
        EXPECT_EQ(answer["chosen"], engine::name_of(choice)) << command;
        const auto& first = answer["candidates"][0];
        EXPECT_TRUE(first["refusal"].is_null()) << command;
        EXPECT_EQ(first["predicted_us"], choice.predicted_us) << command;
        EXPECT_EQ(first["workspace_bytes"], choice.workspace_bytes) << command;
    }
}

Options asking(std::vector<std::string> product) {
    Options options;
    options.product = std::move(product);
    return options;
}

TEST(Dispatch, TakesTheDeviceFromOptions) {
    Options options = asking({"n", "C", "5", "6", "7"});
    DispatchQuestion question = dispatch_question(options);
    EXPECT_EQ(question.device.multiprocessors, 132);
    EXPECT_EQ(question.device.compute_capability, 90);
    EXPECT_EQ(question.workspace_bytes, engine::kWorkspaceBytes);
    EXPECT_TRUE(!question.problem.transpose_a && question.problem.transpose_b);
    EXPECT_EQ(question.problem.ldb, 7);
    options.device = "cpu", options.compute_capability = "8.6", options.workspace = "0";
    question = dispatch_question(options);
    EXPECT_EQ(question.device.multiprocessors, 6);
    EXPECT_EQ(question.device.compute_capability, 86);
    EXPECT_EQ(question.workspace_bytes, 0);
    EXPECT_EQ(question.device.tensor_rate, 4);
    options.tensor_rate = "2";  // a GeForce RTX 3090's
    EXPECT_EQ(dispatch_question(options).device.tensor_rate, 2);
    options.multiprocessors = "82";
    EXPECT_EQ(dispatch_question(options).device.multiprocessors, 82);
}

TEST(Dispatch, TakesTheModeFromOptions) {
    Options options = asking({"N", "N", "4096", "4096", "4096"});
    EXPECT_EQ(dispatch_question(options).problem.arithmetic, Arithmetic::fp32);
    options.compute = "fp16x3";
    EXPECT_EQ(dispatch_question(options).problem.arithmetic, Arithmetic::fp16x3);
    EXPECT_EQ(dispatch_question(options).workspace_bytes, INT64_MAX) << "a handle's own grows";
}

std::string refusal_of(const Options& options) {
    try {
        dispatch_question(options);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Dispatch, RefusesWhatTheLibraryRefuses) {
    EXPECT_EQ(refusal_of(asking({"N", "X", "1", "1", "1"})), "B's operation: 'X' is not N, T or C");
    EXPECT_EQ(refusal_of(asking({"N", "N", "-1", "1", "1"})), "m = -1 is negative");
    EXPECT_EQ(refusal_of(asking({"N", "N", "1", "1", "many"})), "K: 'many' is not a number");
    Options options = asking({"T", "N", "5", "6", "7"});
    options.lda = "4";
    EXPECT_EQ(refusal_of(options).substr(0, 28), "lda = 4 is less than max(1, ");
    options.lda.clear(), options.batch = "2", options.stride_c = "0";
    EXPECT_NE(refusal_of(options).find("stride_c = 0"), std::string::npos);
    options.stride_c.clear(), options.compute_capability = "90a";
    EXPECT_NE(refusal_of(options).find("--compute-capability"), std::string::npos);
    options.compute_capability = "7.5", options.compute = "fp16x3";
    EXPECT_EQ(refusal_of(options).find("--compute: this build has no kernel for fp16x3 on "), 0u);
    options.compute = "fp16";
    EXPECT_EQ(refusal_of(options).find("--compute: 'fp16' is none of "), 0u);
    options.compute = "fp32", options.compute_capability.clear(), options.offset_a = "-1";
    EXPECT_NE(refusal_of(options).find("--offset-a"), std::string::npos);
    options.offset_a = "0", options.prepared_b = true;
    EXPECT_EQ(refusal_of(options), "--prepared-b: in fp32 operands are taken as they are");
    EXPECT_NE(refusal_of(asking({"N", "N", "4000000000", "1", "4000000000"})), "accepted");
}

}  // namespace
}  // namespace tilewright::lab
