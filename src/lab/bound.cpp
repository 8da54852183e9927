// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/bound.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lab/least_work.h"
#include "lab/quantities.h"

namespace tilewright::lab {

namespace {

constexpr double kIssued = 4;  // instructions of a warp in a clock and multiprocessor
constexpr double kSharedBytesPerClock = 128;

}  // namespace

const char* Bound::limiter_label() const {
    for (const BoundTerm& term : terms)
        if (term.key == std::string_view(limiter)) return term.label;
    return "";
}

Bound bound_of(const Count& count, const Built& built, const Gpu& gpu,
               const std::optional<Count>& whole_tile) {
    const double clocks_per_us = gpu.clock_mhz, all = gpu.multiprocessors * clocks_per_us;
    const double tiles = whole_tiles_of_busiest(count, gpu);
    const auto blocks = static_cast<double>(count.counters.blocks);
    // Of the multiprocessor that has the most to do: the mean at least, and its whole tiles.
    const auto busiest = [&](const std::function<double(const Count&)>& work) {
        const double total = work(count);
        const double of_tile = all_tiles_are_whole(count) && blocks > 0 ? total / blocks
                               : whole_tile                             ? work(*whole_tile)
                                                                        : 0;
        return std::max(total / gpu.multiprocessors, tiles * of_tile);
    };
    const double ffma =
        busiest([](const Count& c) { return static_cast<double>(c.counters.ffma); }) * 32 /
        gpu.fp32_lanes;
    const double mma =
        busiest([](const Count& c) { return static_cast<double>(c.counters.mma_products); }) /
        gpu.tf32_products;
    const double issue =
        busiest([&](const Count& c) { return least_instructions(c, built.compiled); }) / kIssued;
    const double shared =
        busiest([&](const Count& c) { return least_shared_wavefronts(c, built.compiled); });
    const double l1 = busiest(least_l1_clocks);
    const double l2 =
        std::min(least_l2_bytes(count, built.resident_blocks, tiles, gpu), busiest(most_l2_bytes)) /
        gpu.l2_bytes_per_clock;
    const double dram_bytes = least_dram_bytes(count, gpu);
    Bound bound{
        .terms = {{{"ffma", "FFMA", ffma / clocks_per_us},
                   {"issue", "instructions", issue / clocks_per_us},
                   {"shared", "shared memory", shared / clocks_per_us},
                   {"l1", "L1", l1 / clocks_per_us},
                   {"l2", "L2 to L1", l2 / clocks_per_us},
                   {"dram", "DRAM", dram_bytes / (gpu.dram_gb_s * 1e3)},
                   {"mma", "tensor cores", mma / clocks_per_us},
                   {"launch", "launch", gpu.launch_us > 0 ? gpu.launch_us : kNone}}},
        .waves = blocks > 0 ? std::max(1.0, tiles * gpu.multiprocessors / blocks) : 1,
        .dram_intensity =
            dram_bytes > 0 && count.totals.flop > 0 ? count.totals.flop / dram_bytes : kNone,
        .l2_intensity = value_of(count.totals, "intensity_l2"),
        .shared_intensity = value_of(count.totals, "intensity_shared"),
        .dram_gb_s = gpu.dram_gb_s,
        .l2_gb_s = gpu.l2_bytes_per_clock * all / 1e3,
        .shared_gb_s = kSharedBytesPerClock * all / 1e3,
    };
    const auto largest = std::max_element(
        bound.terms.begin(), bound.terms.end(), [](const BoundTerm& a, const BoundTerm& b) {
            return (std::isnan(a.us) ? 0 : a.us) < (std::isnan(b.us) ? 0 : b.us);
        });
    bound.limiter = largest->key;
    bound.us = largest->us;
    bound.gflops = count.totals.flop > 0 ? count.totals.flop / (bound.us * 1e3) : kNone;
    const bool on_tensor_cores = count.counters.mma_products > 0;
    const int products = count.rung ? products_of(count.rung->arithmetic) : 1;
    const double peak =
        all * (on_tensor_cores ? gpu.tf32_products : gpu.fp32_lanes) / products * 2 / 1e3;
    bound.ceiling_gflops = std::fmin(peak, bound.dram_intensity * gpu.dram_gb_s);
    return bound;
}

std::optional<Count> count_whole_tile(Device& device, const Candidate& candidate,
                                      const Case& test) {
    const Tile& tile = candidate.variant->config.block;
    if (tile.m <= 0 || tile.n <= 0 || test.m < tile.m || test.n < tile.n) return {};
    if (test.m % tile.m == 0 && test.n % tile.n == 0) return {};
    Case one = test;
    one.m = tile.m;
    one.n = tile.n;
    one.slack_b += test.n - tile.n;
    one.slack_c += test.n - tile.n;
    Count counted = count(device, candidate, one);
    if (!counted.ok() || counted.counters.blocks != 1) return {};
    return counted;
}

Built built_for(const Gpu& gpu, const KernelDefinition& rung, const Variant& variant,
                std::string_view resources, std::string_view sass) {
    const auto known =
        resources_for(resources_of(resources, rung.id), variant.name, gpu.architecture);
    const int threads = std::max(block_threads(variant.config), 1);
    // Where registers are not known, as many blocks as threads allow: the bound is then wider.
    const Occupancy most = known ? occupancy(gpu, threads, known->registers, known->shared_bytes)
                                 : occupancy(gpu, threads, 1, 0);
    return {.resident_blocks = most.blocks,
            .compiled = compiled_of(sass, rung.id, variant.name, gpu.architecture)};
}

nlohmann::ordered_json json_of(const Bound& bound, const Gpu& gpu, std::optional<double> measured) {
    using Json = nlohmann::ordered_json;
    const auto or_null = [](double value) {
        return std::isnan(value) ? Json(nullptr) : Json(value);
    };
    Json json{{"gpu", gpu.word}, {"terms_us", Json::object()}};
    for (const BoundTerm& term : bound.terms) json["terms_us"][term.key] = or_null(term.us);
    json["limiter"] = bound.limiter;
    json["us"] = bound.us;
    json["gflops"] = or_null(bound.gflops);
    json["measured_gflops"] = measured ? Json(*measured) : Json(nullptr);
    json["waves"] = bound.waves;
    json["roofline"] = {
        {"intensity",
         {{"dram", or_null(bound.dram_intensity)},
          {"l2", or_null(bound.l2_intensity)},
          {"shared", or_null(bound.shared_intensity)}}},
        {"bandwidth_gb_s",
         {{"dram", bound.dram_gb_s}, {"l2", bound.l2_gb_s}, {"shared", bound.shared_gb_s}}},
        {"ceiling_gflops", or_null(bound.ceiling_gflops)},
        {"point", {or_null(bound.dram_intensity), or_null(measured.value_or(bound.gflops))}}};
    return json;
}

}  // namespace tilewright::lab
