// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/counted.h"

#include <nlohmann/json.hpp>

namespace tilewright::lab {

namespace {

constexpr double kSectorBytes = 32;

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

}  // namespace

Counted count(const simt::Counters& counters, const Case& test) {
    using simt::Operation;
    const simt::SiteCounters global_loads = counters.total(Operation::global_load);
    const simt::SiteCounters global_stores = counters.total(Operation::global_store);
    const simt::SiteCounters shared_loads = counters.total(Operation::shared_load);
    double words = 0;  // of a lane; sites differ in width
    for (const simt::SiteCounters& site : counters.sites)
        if (site.operation == Operation::shared_load)
            words += static_cast<double>(site.requests) * site.width_bits / 32;
    const double sectors = static_cast<double>(global_loads.sectors + global_stores.sectors);
    const double results = static_cast<double>(test.m) * static_cast<double>(test.n);
    const auto real = [](uint64_t value) { return static_cast<double>(value); };
    return {
        .global_loads = global_loads.requests,
        .sectors_per_load = ratio(real(global_loads.sectors), real(global_loads.requests)),
        .global_bytes_per_result = ratio(sectors * kSectorBytes, results),
        .shared_loads = shared_loads.requests,
        .wavefronts_per_load = ratio(real(shared_loads.wavefronts), real(shared_loads.requests)),
        .words_per_fma = ratio(words, real(counters.ffma)),
        .ffma = counters.ffma,
        .barriers_per_block = ratio(real(counters.barriers), real(counters.blocks))};
}

nlohmann::ordered_json json_of(const Counted& counted) {
    return {{"global_loads", counted.global_loads},
            {"sectors_per_load", counted.sectors_per_load},
            {"global_bytes_per_result", counted.global_bytes_per_result},
            {"shared_loads", counted.shared_loads},
            {"wavefronts_per_load", counted.wavefronts_per_load},
            {"words_per_fma", counted.words_per_fma},
            {"ffma", counted.ffma},
            {"barriers_per_block", counted.barriers_per_block}};
}

}  // namespace tilewright::lab
