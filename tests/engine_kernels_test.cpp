// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Every kernel of the engine: what its definition must keep, and right for any problem, without a
// hazard, in each of its variants.
//
// Runs in CPU mode; with TILEWRIGHT_TEST_DEVICE=0 in the environment on that GPU.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/cost.h"
#include "engine/kernels.h"
#include "lab/hard_cases.h"
#include "lab/selection.h"
#include "lab/verify.h"
#include "ladder/ladder.h"

namespace tilewright::lab {
namespace {

constexpr engine::Cost kCosts[] = {
#include "engine/costs.def"
};

KernelSpan all() {
    return engine::kernels(Target::cpu_counted);
}

TEST(EngineKernels, AreTheFilesOfTheEngine) {
    std::set<std::string> files, registered;
    for (const auto& file : std::filesystem::directory_iterator(TILEWRIGHT_SOURCE "/src/engine"))
        if (file.path().extension() == ".cu") files.insert(file.path().filename());
    for (const KernelDefinition* kernel : all()) {
        registered.insert(std::filesystem::path(kernel->file).filename());
        EXPECT_EQ(std::string(kernel->id) + ".cu",
                  std::filesystem::path(kernel->file).filename().string());
    }
    EXPECT_EQ(files, registered);
}

TEST(EngineKernels, HaveNamesThatNoRungHas) {
    const auto rungs = ladder::rungs(Target::cpu_counted);
    std::set<std::string> ids{"engine", "all"};
    for (const KernelDefinition* kernel : all()) {
        EXPECT_TRUE(ids.insert(kernel->id).second) << kernel->id;
        EXPECT_TRUE(kernel->aliases.empty()) << kernel->id << ": an id is enough";
        EXPECT_TRUE(ladder::match(rungs, kernel->id).empty()) << kernel->id << " names a rung";
    }
    for (const char* word : {"engine", "cublas"}) EXPECT_TRUE(ladder::match(rungs, word).empty());
}

TEST(EngineKernels, SayWhatAPersonAsks) {
    const auto rungs = ladder::rungs(Target::cpu_counted);
    for (const KernelDefinition* kernel : all()) {
        SCOPED_TRACE(kernel->id);
        EXPECT_EQ(kernel->kind, Kind::engine);
        EXPECT_TRUE(kernel->claims.empty()) << "claims are of rungs";
        for (const char* text : {kernel->title, kernel->idea, kernel->requirements}) {
            ASSERT_NE(text, nullptr);
            EXPECT_GT(std::string(text).size(), 3u);
        }
        EXPECT_EQ(std::string(kernel->idea).back(), '.');
        if (*kernel->parent) {
            EXPECT_NO_THROW(select_kernel(rungs, all(), kernel->parent));
        }
    }
}

TEST(EngineKernels, LetDispatchAskEachVariant) {
    for (const KernelDefinition* kernel : all()) {
        std::set<std::string> names;
        EXPECT_FALSE(kernel->variants.empty()) << kernel->id;
        for (const Variant& variant : kernel->variants) {
            SCOPED_TRACE(std::string(kernel->id) + '/' + variant.name);
            EXPECT_TRUE(names.insert(variant.name).second);
            EXPECT_NE(variant.run, nullptr);
            EXPECT_NE(variant.workspace_bytes, nullptr);
            EXPECT_NE(variant.work, nullptr);
            EXPECT_NE(variant.refusal, nullptr);
        }
    }
}

TEST(EngineKernels, HaveOneCostAVariant) {
    std::multiset<std::string> costs, variants;
    for (const engine::Cost& cost : kCosts) {
        costs.insert(std::string(cost.kernel) + '/' + cost.variant);
        EXPECT_GT(cost.block_us, 0) << cost.kernel << '/' << cost.variant;
        EXPECT_GE(cost.busy_block_us, 0) << cost.kernel << '/' << cost.variant;
    }
    for (const KernelDefinition* kernel : all())
        for (const Variant& variant : kernel->variants)
            variants.insert(std::string(kernel->id) + '/' + variant.name);
    EXPECT_EQ(costs, variants) << "costs.def has a row for each variant, and no other";
}

TEST(EngineKernels, AreTheSameForEachTarget) {
    for (const Target target : {Target::cpu_fast, Target::gpu}) {
        const auto other = engine::kernels(target);
        if (other.empty()) continue;  // a build without CUDA
        ASSERT_EQ(other.size(), all().size());
        for (size_t i = 0; i < other.size(); ++i) {
            EXPECT_STREQ(other[i]->id, all()[i]->id);
            ASSERT_EQ(other[i]->variants.size(), all()[i]->variants.size());
            for (size_t j = 0; j < other[i]->variants.size(); ++j) {
                EXPECT_STREQ(other[i]->variants[j].name, all()[i]->variants[j].name);
                EXPECT_EQ(other[i]->variants[j].config, all()[i]->variants[j].config);
            }
        }
    }
}

struct Tested {
    std::string kernel;
    size_t variant;
};

std::string name_of(const testing::TestParamInfo<Tested>& info) {
    std::string name =
        info.param.kernel + '_' +
        select_kernel({}, all(), info.param.kernel).variants[info.param.variant].name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

std::vector<Tested> variants() {
    std::vector<Tested> tested;
    for (const KernelDefinition* kernel : all())
        for (size_t i = 0; i < kernel->variants.size(); ++i) tested.push_back({kernel->id, i});
    return tested;
}

class EngineVariant : public testing::TestWithParam<Tested> {
  protected:
    void SetUp() override {
        const char* word = std::getenv("TILEWRIGHT_TEST_DEVICE");
        try {
            device_ = word && *word ? open_device(word) : open_cpu(CpuMode::counted);
        } catch (const NoDevice& error) {
            GTEST_SKIP() << error.what();
        }
        for (const KernelDefinition* kernel : device_->engine_kernels())
            if (kernel->id == GetParam().kernel) kernel_ = kernel;
        if (!kernel_) GTEST_SKIP() << device_->info().name << " cannot run " << GetParam().kernel;
        variant_ = &kernel_->variants[GetParam().variant];
    }

    const Variant& same_variant(const Device& other) const {
        return select_kernel({}, other.engine_kernels(), GetParam().kernel)
            .variants[GetParam().variant];
    }

    std::unique_ptr<Device> device_;
    const KernelDefinition* kernel_ = nullptr;
    const Variant* variant_ = nullptr;
};

TEST_P(EngineVariant, IsRightForAnyProblemWithoutHazards) {
    Effort effort = device_->info().gpu ? kThorough : kQuick;
    effort.any_problem = true;
    // Other cases for each variant: their text is the same.
    const auto cases =
        accepted(*device_, *variant_, hard_cases(variant_->config, effort, 1 + GetParam().variant));
    EXPECT_FALSE(cases.empty()) << "it refuses all";
    for (const Case& test : cases) {
        const Verdict verdict = verify(*device_, *variant_, test, kernel_->arithmetic);
        EXPECT_TRUE(verdict.ok()) << describe(test) << "\n" << verdict.reason;
        for (const simt::Hazard& hazard : device_->take_hazards())
            ADD_FAILURE() << describe(test) << "\n" << hazard.sentence();
        if (verdict.outcome == Outcome::failed) return;  // a fault makes all that follows fail
    }
}

/// Several tiles, edges on all sides, k-tiles for several parts.
std::vector<Case> cases_with_parts(const TileConfig& tile) {
    const int64_t m = std::max(tile.block.m, 8), n = std::max(tile.block.n, 8),
                  k = std::max(tile.block.k, 8);
    const Case edges{.m = m + 1,
                     .n = n + 3,
                     .k = 3 * k + 1,
                     .alpha = 3,
                     .beta = 0.5f,
                     .distribution = Distribution::wide,
                     .transpose_a = true,
                     .transpose_b = true,
                     .parts = 3};
    Case thin = edges;
    thin.m = 1, thin.transpose_a = false, thin.batch = 2;
    Case column = edges;
    column.n = 1, column.transpose_b = false;
    return {edges, thin, column};
}

/// NaN has many representations, so values will not do.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
        return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
    });
}

TEST_P(EngineVariant, GivesTheSameBitsEachTimeInAnyOrderAndMode) {
    const int multiprocessors = device_->execution().multiprocessors;
    for (const Case& test : accepted(*device_, *variant_, cases_with_parts(variant_->config))) {
        const PreparedCase prepared(test);
        const auto first = result_of(*device_, *variant_, prepared);
        EXPECT_TRUE(same_bits(first, result_of(*device_, *variant_, prepared))) << describe(test);
        if (kernel_->arithmetic != Arithmetic::fp32 && device_->info().gpu) continue;
        for (const uint64_t seed : {0, 1, 2}) {
            const auto fast = open_cpu(CpuMode::fast, seed == 0 ? 0 : 1, seed, multiprocessors);
            EXPECT_TRUE(same_bits(first, result_of(*fast, same_variant(*fast), prepared)))
                << "fast, order " << seed << ": " << describe(test);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Engine, EngineVariant, testing::ValuesIn(variants()), name_of);

}  // namespace
}  // namespace tilewright::lab
