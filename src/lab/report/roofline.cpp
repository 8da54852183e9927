// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
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

std::optional<double> number_in(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number()) return {};
    return found->get<double>();
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
    return {{"id", row.rung},
            {"label", kernel_label(row)},
            {"gflops", *row.gflops},
            {"arithmetic", row.arithmetic},
            {"dram", 2 * m * n * k / bytes},
            {"l2", or_null(total_of(counted, "intensity_l2"))},
            {"shared", or_null(shared_intensity(counted))}};
}

}  // namespace

Json roofline_panel(const Material& material) {
    Json devices = Json::array();
    for (size_t index = 0; index < material.series.size(); ++index) {
        const Series& series = material.series[index];
        if (!series.on_gpu) continue;
        const Squares squares = squares_of(series);
        Json points = Json::array();
        std::set<int64_t> sizes;
        for (const auto& [place, row] : squares) {
            const CountedKernel* counted = counted_kernel(material.counts, row->rung, row->variant);
            if (!counted) continue;
            Json point = point_json(*row, *counted);
            point["size"] = row->m;
            points.push_back(point);
            sizes.insert(row->m);
        }
        if (points.empty()) continue;
        const auto clocks = series.environment.find("clocks");
        const double mhz = clocks != series.environment.end() && clocks->is_object()
                               ? number_in(*clocks, "sm_max_mhz").value_or(0)
                               : 0;
        const double multiprocessors = number_in(series.environment, "multiprocessors").value_or(0);
        devices.push_back(
            {{"series", index},
             {"sizes", sizes},
             {"peak", or_null(number_in(series.environment, "peak_gflops"))},
             {"tf32_peak", or_null(number_in(series.environment, "tf32_peak_gflops"))},
             {"roofs", roofs_of(series, mhz, multiprocessors)},
             {"source", series.gpu ? Json(series.gpu->source) : Json(nullptr)},
             {"points", points}});
    }
    if (devices.empty())
        return missing("There are no times from a GPU of kernels that were counted.",
                       "tilewright ladder --device 0 --output ladder.json");
    return {{"counted", material.counts_from}, {"devices", devices}};
}

}  // namespace tilewright::lab::report
