// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/totals.h"

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lab/sizes.h"

namespace tilewright::lab {

namespace {

using simt::Operation;

AccessTotals sum(const simt::Counters& counters, Operation operation) {
    AccessTotals all;
    for (const simt::SiteCounters& site : counters.sites) {
        if (site.operation != operation) continue;
        all.requests += site.requests;
        all.bytes += site.bytes;
        all.sectors += site.sectors;
        all.wavefronts += site.wavefronts;
        all.ideal_wavefronts += site.ideal_wavefronts;
        const size_t width = std::countr_zero(std::max(site.width_bits, 32u) / 32);
        if (width < all.requests_of_width.size()) all.requests_of_width[width] += site.requests;
        all.words += static_cast<double>(site.requests) * site.width_bits / 32;
    }
    return all;
}

double real(uint64_t value) {
    return static_cast<double>(value);
}

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : kNone;
}

double sectors(const Totals& t) {
    return real(t.global_load.sectors + t.global_store.sectors + t.copy_load.sectors +
                t.global_atomic.sectors);
}

double copied_to_shared(const Totals& t) {
    return real(t.shared_store.requests + t.copy_store.requests);
}

// Each quantity in one line: a key, what people read, its digits, its definition.
#define QUANTITY(key, label, digits, value)                                 \
    {                                                                       \
        key, label, digits, [](const Totals& t) -> double { return value; } \
    }

constexpr Quantity kGlobal[] = {
    QUANTITY("global_load_requests", "load requests", 0, real(t.global_load.requests)),
    QUANTITY("global_load_sectors", "load sectors", 0, real(t.global_load.sectors)),
    QUANTITY("sectors_per_load", "sectors / load", 2,
             ratio(real(t.global_load.sectors), real(t.global_load.requests))),
    QUANTITY("global_store_requests", "store requests", 0, real(t.global_store.requests)),
    QUANTITY("global_store_sectors", "store sectors", 0, real(t.global_store.sectors)),
    QUANTITY("sectors_per_store", "sectors / store", 2,
             ratio(real(t.global_store.sectors), real(t.global_store.requests))),
    QUANTITY("copy_requests", "async copy requests", 0, real(t.copy_load.requests)),
    QUANTITY("copy_sectors", "async copy sectors", 0, real(t.copy_load.sectors)),
    QUANTITY("global_atomic_requests", "atomic requests", 0, real(t.global_atomic.requests)),
    QUANTITY("global_bytes_asked", "bytes asked for", 0,
             real(t.global_load.bytes + t.global_store.bytes + t.copy_load.bytes +
                  t.global_atomic.bytes)),
    QUANTITY("global_bytes_moved", "bytes moved", 0, sectors(t) * kSectorBytes),
    QUANTITY("global_bytes_per_result", "bytes moved / result", 1,
             ratio(sectors(t) * kSectorBytes, t.results)),
};

constexpr Quantity kShared[] = {
    QUANTITY("shared_load_requests", nullptr, 0, real(t.shared_load.requests)),
    QUANTITY("shared_load_requests_32", "32-bit loads", 0,
             real(t.shared_load.requests_of_width[0])),
    QUANTITY("shared_load_requests_64", "64-bit loads", 0,
             real(t.shared_load.requests_of_width[1])),
    QUANTITY("shared_load_requests_128", "128-bit loads", 0,
             real(t.shared_load.requests_of_width[2])),
    QUANTITY("shared_load_wavefronts", "load wavefronts", 0, real(t.shared_load.wavefronts)),
    QUANTITY("shared_load_ideal_wavefronts", "  ideal", 0, real(t.shared_load.ideal_wavefronts)),
    QUANTITY("shared_load_ways", "  conflict ways", 2,
             ratio(real(t.shared_load.wavefronts), real(t.shared_load.ideal_wavefronts))),
    QUANTITY("wavefronts_per_load", "  wavefronts / load", 2,
             ratio(real(t.shared_load.wavefronts), real(t.shared_load.requests))),
    QUANTITY("shared_store_requests", nullptr, 0, real(t.shared_store.requests)),
    QUANTITY("shared_store_requests_32", "32-bit stores", 0,
             real(t.shared_store.requests_of_width[0])),
    QUANTITY("shared_store_requests_64", "64-bit stores", 0,
             real(t.shared_store.requests_of_width[1])),
    QUANTITY("shared_store_requests_128", "128-bit stores", 0,
             real(t.shared_store.requests_of_width[2])),
    QUANTITY("shared_store_wavefronts", "store wavefronts", 0, real(t.shared_store.wavefronts)),
    QUANTITY("shared_store_ideal_wavefronts", "  ideal", 0, real(t.shared_store.ideal_wavefronts)),
    QUANTITY("shared_store_ways", "  conflict ways", 2,
             ratio(real(t.shared_store.wavefronts), real(t.shared_store.ideal_wavefronts))),
    QUANTITY("wavefronts_per_store", "  wavefronts / store", 2,
             ratio(real(t.shared_store.wavefronts), real(t.shared_store.requests))),
    QUANTITY("copy_wavefronts", "async copy wavefronts", 0, real(t.copy_store.wavefronts)),
    QUANTITY("shared_atomic_requests", "atomic requests", 0, real(t.shared_atomic.requests)),
};

constexpr Quantity kWork[] = {
    QUANTITY("ffma", "FFMA", 0, real(t.ffma)),
    QUANTITY("ffma_per_shared_load", "FFMA / shared load", 2,
             ratio(real(t.ffma), real(t.shared_load.requests))),
    QUANTITY("shared_loads_per_ffma", nullptr, 4,
             ratio(real(t.shared_load.requests), real(t.ffma))),
    QUANTITY("words_per_ffma", "words / FFMA", 4, ratio(t.shared_load.words, real(t.ffma))),
    QUANTITY("shared_stores_per_ffma", nullptr, 4, ratio(copied_to_shared(t), real(t.ffma))),
    QUANTITY("barriers", nullptr, 0, real(t.barriers)),
    QUANTITY("barriers_per_block", "barriers / block", 2, ratio(real(t.barriers), real(t.blocks))),
    QUANTITY("blocks", "blocks", 0, real(t.blocks)),
};

constexpr Quantity kIntensity[] = {
    QUANTITY("intensity_shared", "shared -> registers", 3,
             ratio(t.flop, real(t.shared_load.bytes))),
    QUANTITY("intensity_l2", "L2 -> L1", 2, ratio(t.flop, sectors(t) * kSectorBytes)),
    QUANTITY("intensity_dram", "DRAM, at best", 2, ratio(t.flop, t.compulsory_bytes)),
};

#undef QUANTITY

constexpr QuantityGroup kGroups[] = {{"global memory", kGlobal},
                                     {"shared memory", kShared},
                                     {"work", kWork},
                                     {"FLOP a byte", kIntensity}};

}  // namespace

Totals totals_of(const simt::Counters& counters, const Case& test) {
    const double m = static_cast<double>(test.m), n = static_cast<double>(test.n),
                 k = test.has_product() ? static_cast<double>(test.k) : 0;
    return {.global_load = sum(counters, Operation::global_load),
            .global_store = sum(counters, Operation::global_store),
            .shared_load = sum(counters, Operation::shared_load),
            .shared_store = sum(counters, Operation::shared_store),
            .copy_load = sum(counters, Operation::copy_load),
            .copy_store = sum(counters, Operation::copy_store),
            .global_atomic = sum(counters, Operation::global_atomic),
            .shared_atomic = sum(counters, Operation::shared_atomic),
            .ffma = counters.ffma,
            .barriers = counters.barriers,
            .blocks = counters.blocks,
            .flop = 2 * m * n * k,
            .results = m * n,
            .compulsory_bytes = 4 * (m * k + k * n + (test.beta != 0 ? 2 : 1) * m * n)};
}

std::span<const QuantityGroup> quantities() {
    return kGroups;
}

double value_of(const Totals& totals, std::string_view key) {
    for (const QuantityGroup& group : kGroups)
        for (const Quantity& quantity : group.quantities)
            if (quantity.key == key) return quantity.value(totals);
    return kNone;
}

nlohmann::ordered_json json_of(const Totals& totals) {
    nlohmann::ordered_json json;
    for (const QuantityGroup& group : kGroups)
        for (const Quantity& quantity : group.quantities) {
            const double value = quantity.value(totals);
            if (std::isnan(value))
                json[quantity.key] = nullptr;
            else if (quantity.digits == 0)
                json[quantity.key] = static_cast<uint64_t>(value);
            else
                json[quantity.key] = value;
        }
    return json;
}

}  // namespace tilewright::lab
