// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Every rung in the registry: right for shapes that hurt, and the same bits wherever it runs.
//
// Runs in CPU mode; with TILEWRIGHT_TEST_DEVICE=0 in the environment on that GPU.
#include "ladder/ladder.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "lab/hard_cases.h"
#include "lab/verify.h"

namespace tilewright::lab {
namespace {

#if TILEWRIGHT_ASAN
constexpr bool kSanitized = true;  // several times slower
#else
constexpr bool kSanitized = false;
#endif

std::optional<std::string> tested_word() {
    const char* word = std::getenv("TILEWRIGHT_TEST_DEVICE");
    return word && *word ? std::optional<std::string>(word) : std::nullopt;
}

const KernelDefinition* find(const Device& device, std::string_view id) {
    for (const KernelDefinition* kernel : device.kernels())
        if (kernel->id == id) return kernel;
    return nullptr;
}

void expect_right(Device& device, const KernelDefinition& kernel, const Variant& variant,
                  const std::vector<Case>& cases) {
    for (const Case& test : cases) {
        const Verdict verdict = verify(device, variant, test, kernel.arithmetic);
        EXPECT_TRUE(verdict.ok()) << variant.name << ": " << describe(test) << "\n"
                                  << name_of(verdict.outcome) << ": " << verdict.reason;
        // A fault on a GPU makes all that follows fail too.
        if (verdict.outcome == Outcome::failed) return;
    }
}

void expect_right_for_hard_cases(Device& device, const KernelDefinition& kernel, uint64_t seed) {
    SCOPED_TRACE(kernel.id);
    for (const Variant& variant : kernel.variants) {
        // A variant's text is its rung's: in CPU mode fewer cases do for the others.
        const bool few = kSanitized || (!device.info().gpu && &variant != kernel.variants.data());
        Effort effort = few ? kQuick : kThorough;
        effort.many_tiles = device.info().gpu;
        expect_right(device, kernel, variant, hard_cases(variant.config, effort, seed));
    }
}

/// NaN has many representations, so values will not do.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
        return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
    });
}

/// Several tiles with edges on all sides; on the fast path and off it.
std::vector<PreparedCase> cases_with_edges(const TileConfig& tile) {
    const int64_t depth = tile.block.k ? tile.block.k : 32;
    Case aligned{
        .m = tile.block.m + 4, .n = tile.block.n + 4, .k = 2 * depth + 4, .alpha = 0.5f, .beta = 3};
    Case odd{.m = tile.block.m + 1,
             .n = tile.block.n + 3,
             .k = 2 * depth + 1,
             .offset_a = 1,
             .alpha = 3,
             .distribution = Distribution::wide};
    std::vector<PreparedCase> cases;
    cases.emplace_back(aligned);
    cases.emplace_back(odd);
    return cases;
}

class Ladder : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        const auto word = tested_word();
        try {
            device_ = word ? open_device(word) : open_cpu(CpuMode::counted);
        } catch (const NoDevice& error) {
            GTEST_SKIP() << error.what();
        }
        kernel_ = find(*device_, GetParam());
        // A device has the rungs that it can run: CPU mode, or a GPU of their compute capability.
        if (!kernel_) GTEST_SKIP() << device_->info().name << " cannot run " << GetParam();
    }

    /// The rung in CPU mode's fast form.
    const KernelDefinition* find_in(const Device& fast) const { return find(fast, GetParam()); }

    const Variant& same_variant(const Device& other, const Variant& variant) const {
        return find(other, kernel_->id)->variants[&variant - kernel_->variants.data()];
    }

    std::unique_ptr<Device> device_;
    const KernelDefinition* kernel_ = nullptr;
};

TEST_P(Ladder, IsRightForHardCases) {
    expect_right_for_hard_cases(*device_, *kernel_, 1);
}

TEST_P(Ladder, IsRightForHardCasesInFastMode) {
    if (tested_word()) GTEST_SKIP() << "a GPU has one mode";
    const auto fast = open_cpu(CpuMode::fast);
    expect_right_for_hard_cases(*fast, *find_in(*fast), 1000);
}

TEST_P(Ladder, IsRightForMoreTilesThanAGridHasAlongY) {
    if (tested_word()) GTEST_SKIP() << "among the hard cases of a GPU";
    if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
    const auto fast = open_cpu(CpuMode::fast);
    const KernelDefinition& kernel = *find_in(*fast);
    const Variant& variant = kernel.variants.front();
    // No products: 65537 block tiles of them would take a minute. A GPU has these too.
    const Case tall{.m = 65536 * int64_t{variant.config.block.m} + 1,
                    .n = 1,
                    .k = 0,
                    .beta = 3,
                    .distribution = Distribution::integers};
    expect_right(*fast, kernel, variant, {tall});
}

TEST_P(Ladder, GivesTheSameBitsInFastCpuMode) {
    const auto fast = open_cpu(CpuMode::fast, 0, 0, device_->execution().multiprocessors);
    if (device_->info().gpu && kernel_->arithmetic != Arithmetic::fp32)
        GTEST_SKIP() << "how tensor cores round is not documented";
    for (const Variant& variant : kernel_->variants)
        for (const PreparedCase& prepared : cases_with_edges(variant.config))
            EXPECT_TRUE(same_bits(result_of(*device_, variant, prepared),
                                  result_of(*fast, same_variant(*fast, variant), prepared)))
                << variant.name << ": " << describe(prepared.test());
}

TEST_P(Ladder, GivesTheSameBitsEachTime) {
    for (const Variant& variant : kernel_->variants) {
        for (const PreparedCase& prepared : cases_with_edges(variant.config)) {
            const auto first = result_of(*device_, variant, prepared);
            EXPECT_TRUE(same_bits(first, result_of(*device_, variant, prepared)))
                << variant.name << ": " << describe(prepared.test());
        }
    }
}

TEST_P(Ladder, GivesTheSameBitsInAnyOrderOfThreads) {
    if (tested_word()) GTEST_SKIP() << "a GPU's order of threads cannot be chosen";
    for (const Variant& variant : kernel_->variants) {
        for (const PreparedCase& prepared : cases_with_edges(variant.config)) {
            const auto natural = result_of(*device_, variant, prepared);
            for (const uint64_t seed : {1, 2, 3}) {
                const auto shuffled = open_cpu(CpuMode::fast, 1, seed);
                EXPECT_TRUE(same_bits(
                    natural, result_of(*shuffled, same_variant(*shuffled, variant), prepared)))
                    << variant.name << ", order " << seed << ": " << describe(prepared.test());
            }
        }
    }
}

TEST_P(Ladder, IsRightForAnyProblem) {
    const Variant& variant = kernel_->variants.front();
    const auto size = [](int tile) { return rc::gen::inRange<int64_t>(0, 3 * std::max(tile, 8)); };
    const auto slack = rc::gen::inRange<int64_t>(0, 6);
    const auto offset = rc::gen::inRange(0, 4);
    const auto factor = rc::gen::element(0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 3.0f, 1e-3f);
    EXPECT_TRUE(rc::check([&] {
        const Case test{.m = *size(variant.config.block.m),
                        .n = *size(variant.config.block.n),
                        .k = *size(variant.config.block.k),
                        .slack_a = *slack,
                        .slack_b = *slack,
                        .slack_c = *slack,
                        .offset_a = *offset,
                        .offset_b = *offset,
                        .offset_c = *offset,
                        .alpha = *factor,
                        .beta = *factor,
                        .distribution = *rc::gen::elementOf(std::vector<Distribution>(
                            kDistributions.begin(), kDistributions.end())),
                        .seed = *rc::gen::inRange<uint64_t>(0, 1000)};
        const Verdict verdict = verify(*device_, variant, test, kernel_->arithmetic);
        if (!verdict.ok()) RC_FAIL(describe(test) + ": " + verdict.reason);
    }));
}

std::vector<std::string> ids() {
    std::vector<std::string> ids;
    for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_counted))
        ids.push_back(rung->id);
    return ids;
}
INSTANTIATE_TEST_SUITE_P(Rungs, Ladder, testing::ValuesIn(ids()),
                         [](const auto& info) { return info.param; });

/// What the headers of the rungs say of their errors, of fewer results.
TEST(PromotedSums, DoNotLoseMoreTheLongerTheyGet) {
    if (tested_word()) GTEST_SKIP() << "how tensor cores cut is not documented";
    if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
    const auto fast = open_cpu(CpuMode::fast);
    const auto error_of = [&](const char* id, int64_t k) {
        const KernelDefinition& kernel = *find(*fast, id);
        const Case test{.m = 32, .n = 32, .k = k, .distribution = Distribution::positive};
        return verify(*fast, kernel.variants.front(), test, kernel.arithmetic).max_error;
    };
    constexpr int64_t kShort = 1024, kLong = 16384;
    for (const char* id : {"tf32_mma", "tf32_producer"})
        EXPECT_GT(error_of(id, kLong), 0.9 * error_of(id, kShort)) << id;
    for (const char* id : {"tf32_promoted", "tf32_promoted_wgmma"})
        EXPECT_LT(error_of(id, kLong), 0.4 * error_of(id, kShort)) << id;
    const double fp32 = error_of("k10", kLong);
    for (const char* id : {"tf32x3_mma", "tf32x3_wgmma"})
        EXPECT_LT(error_of(id, kLong), fp32) << id;
}

TEST(Baseline, IsRightForHardCases) {
    std::unique_ptr<Device> device;
    try {
        device = tested_word() ? open_device(tested_word()) : open_cpu(CpuMode::fast);
    } catch (const NoDevice& error) {
        GTEST_SKIP() << error.what();
    }
    bool found = false;
    for (const KernelDefinition* kernel : device->kernels()) {
        if (kernel->kind != Kind::baseline) continue;
        found = true;
        expect_right_for_hard_cases(*device, *kernel, 1);
    }
    if (!found) GTEST_SKIP() << "no baseline on " << device->info().name;
}

}  // namespace
}  // namespace tilewright::lab
