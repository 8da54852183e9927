// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Bounds against all that was measured: no result may beat its bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lab/bound.h"
#include "lab/lesson.h"
#include "lab/measured.h"
#include "lab/quantities.h"
#include "lab/selection.h"

namespace tilewright::lab {
namespace {

/// Counts of a shape of whole tiles without running all of it: blocks do the same, and what they do
/// grows evenly with K.
class Extrapolated {
  public:
    Extrapolated(Device& device, const KernelDefinition& rung, const Variant& variant)
        : tile_(variant.config.block),
          short_(count(device, {&rung, &variant}, one_tile(kStep))),
          long_(count(device, {&rung, &variant}, one_tile(2 * kStep))) {}

    Count at(const Case& test) const {
        Count result = short_;
        result.test = test;
        const uint64_t steps = static_cast<uint64_t>(test.k) / kStep - 1;
        const uint64_t tiles = static_cast<uint64_t>(test.m / tile_.m * (test.n / tile_.n));
        const auto grow = [&](uint64_t& value, uint64_t at_twice) {
            value = (value + (at_twice - value) * steps) * tiles;
        };
        for (size_t i = 0; i < result.counters.sites.size(); ++i) {
            simt::SiteCounters& site = result.counters.sites[i];
            const simt::SiteCounters& twice = long_.counters.sites[i];
            grow(site.requests, twice.requests);
            grow(site.bytes, twice.bytes);
            grow(site.sectors, twice.sectors);
            grow(site.wavefronts, twice.wavefronts);
            grow(site.ideal_wavefronts, twice.ideal_wavefronts);
            for (size_t j = 0; j < site.wider_wavefronts.size(); ++j)
                grow(site.wider_wavefronts[j], twice.wider_wavefronts[j]);
        }
        grow(result.counters.ffma, long_.counters.ffma);
        grow(result.counters.mma, long_.counters.mma);
        grow(result.counters.mma_products, long_.counters.mma_products);
        grow(result.counters.barriers, long_.counters.barriers);
        result.counters.blocks *= tiles;
        result.counters.warps *= tiles;
        result.totals = totals_of(result.counters, test);
        return result;
    }

    bool is_whole(const Case& test) const {
        return test.m % tile_.m == 0 && test.n % tile_.n == 0 && test.k % kStep == 0;
    }

  private:
    static constexpr int64_t kStep = 64;

    Case one_tile(int64_t k) const { return {.m = tile_.m, .n = tile_.n, .k = k}; }

    Tile tile_;
    Count short_, long_;
};

/// A pass before does not grow with the tiles of C.
bool has_pass(const Variant& variant) {
    return variant.workspace_bytes != nullptr;
}

/// What waits for something that is not counted, and may be slower than half of its bound: v1 for
/// lines of the L1 cache, tensor cores that mma.sync feeds in turns with loading, and a C so thin
/// that few blocks have any of it.
bool is_loose(const Measured& row) {
    constexpr std::array<std::string_view, 4> kWaiting = {"v1", "tf32_mma", "tf32_promoted",
                                                          "tf32x3_mma"};
    return std::ranges::count(kWaiting, row.rung) > 0 || std::min(row.test.m, row.test.n) < 2048;
}

TEST(Bound, ExtrapolatedCountsAreThoseOfTheWhole) {
    const auto device = open_cpu(CpuMode::counted);
    const Case test{.m = 256, .n = 256, .k = 192};
    for (const KernelDefinition* rung : device->kernels()) {
        const Variant& variant = rung->variants.front();
        if (has_pass(variant)) continue;
        const Count whole = count(*device, {rung, &variant}, test);
        const Count grown = Extrapolated(*device, *rung, variant).at(test);
        EXPECT_EQ(json_of(whole.totals), json_of(grown.totals)) << rung->id;
    }
}

TEST(Bound, SoAreThoseOfSampledBlocks) {
    const auto device = open_cpu(CpuMode::counted);
    const Case test{.m = 1024, .n = 1024, .k = 128};
    for (const KernelDefinition* rung : device->kernels()) {
        const Variant& variant = rung->variants.front();
        if (has_pass(variant)) continue;
        const Count some = count(*device, {rung, &variant}, test);
        EXPECT_TRUE(some.sampled()) << rung->id;
        const Count grown = Extrapolated(*device, *rung, variant).at(test);
        EXPECT_EQ(json_of(some.totals), json_of(grown.totals)) << rung->id;
    }
}

TEST(Bound, NothingMeasuredBeatsIt) {
    const auto device = open_cpu(CpuMode::counted);
    const Gpu& gpu = gpu_of("h200");
    std::map<std::pair<std::string, std::string>, Extrapolated> counts;
    int compared = 0, close = 0, skipped = 0;
    const auto kernels = device->kernels();
    const auto place_of = [&](std::string_view id) {
        return std::find_if(kernels.begin(), kernels.end(),
                            [&](const KernelDefinition* rung) { return rung->id == id; }) -
               kernels.begin();
    };
    for (const Measured& row : measured_on(gpu, embedded_results())) {
        for (const KernelDefinition* rung : device->kernels()) {
            if (row.rung != rung->id) continue;
            for (const Variant& variant : rung->variants) {
                if (row.variant != variant.name || has_pass(variant)) continue;
                const auto& counted =
                    counts.try_emplace({row.rung, row.variant}, *device, *rung, variant)
                        .first->second;
                if (!counted.is_whole(row.test)) {
                    // Extrapolating is for whole tiles: only a tile that does not fit may be why.
                    const Tile& tile = variant.config.block;
                    skipped += row.test.m % tile.m == 0 && row.test.n % tile.n == 0;
                    continue;
                }
                const Bound bound = bound_of(
                    counted.at(row.test),
                    built_for(gpu, *rung, variant, embedded_resources(), embedded_sass()), gpu);
                const std::string what = row.rung + "/" + row.variant + " at " +
                                         std::to_string(row.test.m) + ", " + bound.limiter;
                EXPECT_LE(row.gflops, bound.gflops) << what;
                ++compared;
                const bool is_default = &variant == &rung->variants.front();
                if (place_of(row.rung) < place_of("k5") || is_loose(row)) continue;
                if (!is_default || row.test.m < 2048) continue;
                EXPECT_LE(bound.gflops, 2 * row.gflops) << what << ": the bound says too little";
                ++close;
            }
        }
    }
    EXPECT_GE(compared, 70);
    EXPECT_GE(close, 18);
    EXPECT_EQ(skipped, 0);
}

}  // namespace
}  // namespace tilewright::lab
