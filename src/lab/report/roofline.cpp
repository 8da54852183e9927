// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "lab/report/counts.h"
#include "lab/report/kernels.h"
#include "lab/report/panels.h"

namespace tilewright::lab::report {

namespace {

constexpr double kSharedBytesPerClock = 128;  // of an SM: a wavefront
constexpr double kFlopOfFfma = 64;  // of a warp

Json roof(const char* level, const char* label, double gb_s) {
    return {{"level", level}, {"label", label}, {"gb_s", gb_s}};
}

/// Bandwidths that are public or follow from the clock; an unknown GPU has shared memory's alone.
Json roofs_of(const Series& series, double clock_mhz, double multiprocessors) {
    const double clocks = clock_mhz * multiprocessors / 1e3;  // 10^9 a second, of all SMs
    Json roofs = Json::array();
    if (series.gpu) {
        roofs.push_back(roof("dram", "DRAM", series.gpu->dram_gb_s));
        roofs.push_back(roof("l2", "L2 to L1", series.gpu->l2_bytes_per_clock * clocks));
    }
    if (clocks > 0) roofs.push_back(roof("shared", "shared memory", kSharedBytesPerClock * clocks));
    return roofs;
}

std::optional<double> total_of(const CountedKernel& counted, const char* key) {
    const auto found = counted.totals.find(key);
    if (found == counted.totals.end() || found->second <= 0) return {};
    return found->second;
}

/// FLOP for each byte that the banks could deliver in its wavefronts. Bytes that lanes get are no
/// measure: one word that all of them want takes a wavefront too, and conflicts take more.
std::optional<double> shared_intensity(const CountedKernel& counted) {
    std::optional<double> wavefronts = total_of(counted, kCompiledWavefronts);
    if (const auto ffma = total_of(counted, "ffma"); ffma && !wavefronts) {
        double sum = 0;
        for (const char* key :
             {"shared_load_wavefronts", "shared_store_wavefronts", "copy_wavefronts"})
            sum += total_of(counted, key).value_or(0);
        if (sum > 0) wavefronts = sum / *ffma;
    }
    if (!wavefronts) return {};
    return kFlopOfFfma / (*wavefronts * kSharedBytesPerClock);
}

Json point_json(const MeasuredRow& row, const CountedKernel& counted) {
    // A, B and C move once, at best: of the size that was measured, not of that counted.
    const double m = static_cast<double>(row.m), n = static_cast<double>(row.n),
                 k = static_cast<double>(row.k);
    const double bytes = 4 * (m * k + k * n + (row.beta != 0 ? 2 : 1) * m * n);
    return {{"id", contender_of(row)},
            {"label", kernel_label(row)},
            {"size", row.m},
            {"hot", row.memory == "hot"},
            {"gflops", *row.gflops},
            {"dram", 2 * m * n * k / bytes},
            {"l2", or_null(total_of(counted, "intensity_l2"))},
            {"shared", or_null(shared_intensity(counted))}};
}

/// The points, and what has none: kernels of which no counts are known.
Json device_json(const Material& material, size_t index) {
    const Series& series = material.series[index];
    Json points = Json::array();
    std::set<int64_t> sizes;
    std::set<std::string> counted_at;
    std::vector<std::string> left_out;
    for (const auto& [place, row] : squares_of(series)) {
        const CountedKernel* counted = counted_kernel(material.counts, row->rung, row->variant);
        if (!counted || row->arithmetic != name_of(Arithmetic::fp32)) {
            left_out.push_back(place.first);
            continue;
        }
        points.push_back(point_json(*row, *counted));
        sizes.insert(row->m);
        counted_at.insert(fmt::format("{} x {} x {}", counted->m, counted->n, counted->k));
    }
    const Json* clocks = object_at(series.environment, "clocks");
    const double mhz = clocks ? number_at(*clocks, "sm_max_mhz").value_or(0) : 0;
    const double multiprocessors = number_at(series.environment, "multiprocessors").value_or(0);
    return {{"series", index},
            {"sizes", sizes},
            {"counted_at", counted_at},
            {"left_out", in_reading_order(left_out)},
            {"peak", or_null(number_at(series.environment, "peak_gflops"))},
            {"roofs", roofs_of(series, mhz, multiprocessors)},
            {"source", series.gpu ? Json(series.gpu->source) : Json(nullptr)},
            {"points", points}};
}

}  // namespace

Json roofline_panel(const Material& material) {
    Json devices = Json::array();
    for (size_t index = 0; index < material.series.size(); ++index) {
        if (!material.series[index].on_gpu) continue;
        const Json device = device_json(material, index);
        if (!device["points"].empty()) devices.push_back(device);
    }
    if (devices.empty())
        return missing("There are no times from a GPU of FP32 kernels that were counted.",
                       "tilewright ladder --device 0 --output ladder.json");
    return {{"counted", material.counts_from}, {"devices", devices}};
}

}  // namespace tilewright::lab::report
