// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/quantities.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

double real(uint64_t value) {
    return static_cast<double>(value);
}

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : kNone;
}

/// An asynchronous copy loads and stores as well.
AccessTotals loads(const Totals& t) {
    return t.global_load + t.copy_load;
}
AccessTotals stores_to_shared(const Totals& t) {
    return t.shared_store + t.copy_store;
}
AccessTotals global(const Totals& t) {
    return loads(t) + t.global_store + t.global_atomic;
}

// Each quantity: its names, its digits, its definition.
#define QUANTITY(name, key, label, digits, value)                                 \
    {                                                                             \
        name, key, label, digits, [](const Totals& t) -> double { return value; } \
    }
#define NONE nullptr

constexpr Quantity kGlobal[] = {
    QUANTITY(NONE, "global_load_requests", "load requests", 0, real(t.global_load.requests)),
    QUANTITY(NONE, "global_load_sectors", "load sectors", 0, real(t.global_load.sectors)),
    QUANTITY("sectors/load of X", "sectors_per_load", "sectors / load", 2,
             ratio(real(loads(t).sectors), real(loads(t).requests))),
    QUANTITY("sectors/FFMA", NONE, NONE, 4, ratio(real(loads(t).sectors), real(t.ffma))),
    QUANTITY("FFMA/global load", NONE, NONE, 2, ratio(real(t.ffma), real(loads(t).requests))),
    QUANTITY("FLOP/byte loaded", NONE, NONE, 2, ratio(t.flop, real(loads(t).bytes))),
    QUANTITY(NONE, "global_store_requests", "store requests", 0, real(t.global_store.requests)),
    QUANTITY(NONE, "global_store_sectors", "store sectors", 0, real(t.global_store.sectors)),
    QUANTITY("sectors/store of X", "sectors_per_store", "sectors / store", 2,
             ratio(real(t.global_store.sectors), real(t.global_store.requests))),
    QUANTITY(NONE, "copy_requests", "async copy requests", 0, real(t.copy_load.requests)),
    QUANTITY(NONE, "copy_sectors", "async copy sectors", 0, real(t.copy_load.sectors)),
    QUANTITY(NONE, "global_atomic_requests", "atomic requests", 0, real(t.global_atomic.requests)),
    QUANTITY(NONE, "global_bytes_asked", "bytes asked for", 0, real(global(t).bytes)),
    QUANTITY(NONE, "global_bytes_moved", "bytes moved", 0, real(global(t).sectors) * kSectorBytes),
    QUANTITY("global bytes/result", "global_bytes_per_result", "bytes moved / result", 1,
             ratio(real(global(t).sectors) * kSectorBytes, t.results)),
};

constexpr Quantity kShared[] = {
    QUANTITY(NONE, "shared_load_requests", NONE, 0, real(t.shared_load.requests)),
    QUANTITY(NONE, "shared_load_requests_32", "32-bit loads", 0,
             real(t.shared_load.requests_of_width[0])),
    QUANTITY(NONE, "shared_load_requests_64", "64-bit loads", 0,
             real(t.shared_load.requests_of_width[1])),
    QUANTITY(NONE, "shared_load_requests_128", "128-bit loads", 0,
             real(t.shared_load.requests_of_width[2])),
    QUANTITY("loads/k of X", NONE, NONE, 2, ratio(real(t.shared_load.requests), t.steps)),
    QUANTITY(NONE, "shared_load_wavefronts", "load wavefronts", 0, real(t.shared_load.wavefronts)),
    QUANTITY(NONE, "shared_load_ideal_wavefronts", "  ideal", 0,
             real(t.shared_load.ideal_wavefronts)),
    QUANTITY("ways/load of X", "shared_load_ways", "  conflict ways", 2,
             ratio(real(t.shared_load.wavefronts), real(t.shared_load.ideal_wavefronts))),
    QUANTITY("wavefronts/load of X", "wavefronts_per_load", "  wavefronts / load", 2,
             ratio(real(t.shared_load.wavefronts), real(t.shared_load.requests))),
    QUANTITY("wavefronts/k of X", NONE, NONE, 2, ratio(real(t.shared_load.wavefronts), t.steps)),
    QUANTITY(NONE, "shared_store_requests", NONE, 0, real(t.shared_store.requests)),
    QUANTITY(NONE, "shared_store_requests_32", "32-bit stores", 0,
             real(t.shared_store.requests_of_width[0])),
    QUANTITY(NONE, "shared_store_requests_64", "64-bit stores", 0,
             real(t.shared_store.requests_of_width[1])),
    QUANTITY(NONE, "shared_store_requests_128", "128-bit stores", 0,
             real(t.shared_store.requests_of_width[2])),
    QUANTITY(NONE, "shared_store_wavefronts", "store wavefronts", 0,
             real(t.shared_store.wavefronts)),
    QUANTITY(NONE, "shared_store_ideal_wavefronts", "  ideal", 0,
             real(t.shared_store.ideal_wavefronts)),
    QUANTITY(
        "ways/store of X", "shared_store_ways", "  conflict ways", 2,
        ratio(real(stores_to_shared(t).wavefronts), real(stores_to_shared(t).ideal_wavefronts))),
    QUANTITY("wavefronts/store of X", "wavefronts_per_store", "  wavefronts / store", 2,
             ratio(real(stores_to_shared(t).wavefronts), real(stores_to_shared(t).requests))),
    QUANTITY("wavefronts stored/load of X", NONE, NONE, 2,
             ratio(real(stores_to_shared(t).wavefronts), real(loads(t).requests))),
    QUANTITY(NONE, "copy_wavefronts", "async copy wavefronts", 0, real(t.copy_store.wavefronts)),
    QUANTITY(NONE, "shared_atomic_requests", "atomic requests", 0, real(t.shared_atomic.requests)),
};

constexpr Quantity kWork[] = {
    QUANTITY(NONE, "ffma", "FFMA", 0, real(t.ffma)),
    QUANTITY("FFMA/k", NONE, NONE, 2, ratio(real(t.ffma), t.steps)),
    QUANTITY("FFMA/load of X", "ffma_per_shared_load", "FFMA / shared load", 2,
             ratio(real(t.ffma), real(t.shared_load.requests))),
    QUANTITY(NONE, "shared_loads_per_ffma", NONE, 4,
             ratio(real(t.shared_load.requests), real(t.ffma))),
    QUANTITY("words/FFMA", "words_per_ffma", "words / FFMA", 4,
             ratio(t.shared_load.words, real(t.ffma))),
    QUANTITY(NONE, "shared_stores_per_ffma", NONE, 4,
             ratio(real(stores_to_shared(t).requests), real(t.ffma))),
    QUANTITY(NONE, "mma", "mma", 0, real(t.mma)),
    QUANTITY("mma/k", NONE, NONE, 2, ratio(real(t.mma), t.steps)),
    QUANTITY("products/mma", "products_per_mma", "products / mma", 0,
             ratio(real(t.mma_products), real(t.mma))),
    QUANTITY("mma/load of X", "mma_per_shared_load", "mma / shared load", 2,
             ratio(real(t.mma), real(t.shared_load.requests))),
    QUANTITY(NONE, "barriers", NONE, 0, real(t.barriers)),
    QUANTITY("barriers/block", "barriers_per_block", "barriers / block", 0,
             ratio(real(t.barriers), real(t.blocks))),
    QUANTITY(NONE, "blocks", "blocks", 0, real(t.blocks)),
};

constexpr Quantity kIntensity[] = {
    QUANTITY(NONE, "intensity_shared", "shared -> registers", 3,
             ratio(t.flop, real(t.shared_load.bytes))),
    QUANTITY(NONE, "intensity_l2", "L2 -> L1", 2,
             ratio(t.flop, real(global(t).sectors) * kSectorBytes)),
    QUANTITY(NONE, "intensity_dram", "DRAM, at best", 2, ratio(t.flop, t.compulsory_bytes)),
};

#undef NONE
#undef QUANTITY

constexpr QuantityGroup kGroups[] = {{"global memory", kGlobal},
                                     {"shared memory", kShared},
                                     {"work", kWork},
                                     {"FLOP a byte", kIntensity}};

/// What stands for X when `name` is one of these, empty for all; nullopt when it is not.
std::optional<std::string_view> operand_in(std::string_view name, std::string_view pattern) {
    constexpr std::string_view kOperand = " of X";
    if (!pattern.ends_with(kOperand))
        return name == pattern ? std::optional(std::string_view()) : std::nullopt;
    if (name == pattern.substr(0, pattern.size() - kOperand.size())) return "";
    const std::string_view start = pattern.substr(0, pattern.size() - 1);
    if (!name.starts_with(start) || name.size() == start.size()) return {};
    return name.substr(start.size());
}

}  // namespace

std::span<const QuantityGroup> quantities() {
    return kGroups;
}

const Quantity* quantity_of(std::string_view key) {
    for (const QuantityGroup& group : kGroups)
        for (const Quantity& quantity : group.quantities)
            if (quantity.key && quantity.key == key) return &quantity;
    return nullptr;
}

double value_of(const Totals& totals, std::string_view key) {
    const Quantity* quantity = quantity_of(key);
    return quantity ? quantity->value(totals) : kNone;
}

std::optional<double> claimed_quantity(const simt::Counters& counters, const Case& test,
                                       std::string_view name) {
    std::vector<std::string> names;
    for (const QuantityGroup& group : kGroups)
        for (const Quantity& quantity : group.quantities) {
            if (!quantity.name) continue;
            names.emplace_back(quantity.name);
            const auto operand = operand_in(name, quantity.name);
            if (!operand) continue;
            const double value = quantity.value(totals_of(counters, test, *operand));
            return std::isnan(value) ? std::nullopt : std::optional(value);
        }
    throw UsageError(fmt::format("no quantity '{}'; there are: {}", name, join(names, ", ")));
}

nlohmann::ordered_json json_of(const Totals& totals) {
    nlohmann::ordered_json json;
    for (const QuantityGroup& group : kGroups)
        for (const Quantity& quantity : group.quantities) {
            if (!quantity.key) continue;
            const double value = quantity.value(totals);
            if (std::isnan(value))
                json[quantity.key] = nullptr;
            else if (quantity.digits == 0 && value == std::floor(value))
                json[quantity.key] = static_cast<uint64_t>(value);
            else
                json[quantity.key] = value;
        }
    return json;
}

}  // namespace tilewright::lab
