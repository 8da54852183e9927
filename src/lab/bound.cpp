// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/bound.h"

#include <algorithm>
#include <cmath>
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

Bound bound_of(const Count& count, const Built& built, const Gpu& gpu) {
    const double waves = waves_of(count, gpu);
    const double clocks_per_us = gpu.clock_mhz, all = gpu.multiprocessors * clocks_per_us;
    const double ffma = static_cast<double>(count.counters.ffma) * 32 / gpu.fp32_lanes;
    const double issue = least_instructions(count, built.compiled) / kIssued;
    const double shared = least_shared_wavefronts(count, built.compiled);
    const double l2 =
        least_l2_bytes(count, built.resident_blocks, waves, gpu) / gpu.l2_bytes_per_clock;
    Bound bound{
        .terms = {{{"ffma", "FFMA", ffma / all * waves},
                   {"issue", "instructions", issue / all * waves},
                   {"shared", "shared memory", shared / all * waves},
                   {"l1", "L1", least_l1_clocks(count.counters) / all * waves},
                   {"l2", "L2 to L1", l2 / clocks_per_us},
                   {"dram", "DRAM", count.totals.compulsory_bytes / (gpu.dram_gb_s * 1e3)},
                   {"launch", "launch", kLaunchFloorUs}}},
        .waves = waves,
        .dram_intensity = value_of(count.totals, "intensity_dram"),
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
    const double peak = all * gpu.fp32_lanes * 2 / 1e3;
    bound.ceiling_gflops = std::fmin(peak, bound.dram_intensity * gpu.dram_gb_s);
    return bound;
}

Built built_for(const Gpu& gpu, const KernelDefinition& rung, const Variant& variant,
                std::string_view resources, std::string_view sass) {
    const auto known =
        resources_for(resources_of(resources, rung.id), variant.name, gpu.architecture);
    const int threads = std::max(variant.config.threads, 1);
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
