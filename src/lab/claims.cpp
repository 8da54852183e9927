// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

using simt::Counters;
using simt::Operation;
using simt::SiteCounters;
using Operations = std::initializer_list<Operation>;
using Value = std::optional<double>;

constexpr double kSectorBytes = 32;

// An asynchronous copy loads and stores as well.
constexpr Operations kGlobalLoads{Operation::global_load, Operation::copy_load};
constexpr Operations kGlobalStores{Operation::global_store};
constexpr Operations kGlobal{Operation::global_load, Operation::copy_load, Operation::global_store};
constexpr Operations kSharedLoads{Operation::shared_load};
constexpr Operations kSharedStores{Operation::shared_store, Operation::copy_store};
constexpr Operations kLoads{Operation::global_load, Operation::copy_load, Operation::shared_load};

/// A field's sum over the sites of some operations, on one operand or, if that is empty, on all.
double sum(const Counters& counters, Operations operations, std::string_view operand,
           double (*field)(const SiteCounters&)) {
    double total = 0;
    for (const SiteCounters& site : counters.sites)
        if (std::find(operations.begin(), operations.end(), site.operation) != operations.end() &&
            (operand.empty() || operand == site.operand))
            total += field(site);
    return total;
}

double requests(const SiteCounters& site) {
    return static_cast<double>(site.requests);
}
double bytes(const SiteCounters& site) {
    return static_cast<double>(site.bytes);
}
double sectors(const SiteCounters& site) {
    return static_cast<double>(site.sectors);
}
double wavefronts(const SiteCounters& site) {
    return static_cast<double>(site.wavefronts);
}
double ideal_wavefronts(const SiteCounters& site) {
    return static_cast<double>(site.ideal_wavefronts);
}
/// 32-bit words of one lane.
double words(const SiteCounters& site) {
    return static_cast<double>(site.requests) * site.width_bits / 32;
}

Value ratio(double part, double whole) {
    return whole > 0 ? Value(part / whole) : std::nullopt;
}

double ffma(const Counters& counters) {
    return static_cast<double>(counters.ffma);
}

/// Steps along k of all warps, each with all of its part of C.
double steps(const Counters& counters, const Case& test) {
    return static_cast<double>(counters.warps) * static_cast<double>(test.k);
}

double results(const Case& test) {
    return static_cast<double>(test.m) * static_cast<double>(test.n);
}

/// A field for each request.
template <const Operations& kOperations, double (*kField)(const SiteCounters&)>
Value for_each_request(const Counters& c, const Case&, std::string_view x) {
    return ratio(sum(c, kOperations, x, kField), sum(c, kOperations, x, requests));
}

/// How many times the fewest wavefronts.
template <const Operations& kOperations>
Value ways(const Counters& c, const Case&, std::string_view x) {
    return ratio(sum(c, kOperations, x, wavefronts), sum(c, kOperations, x, ideal_wavefronts));
}

template <const Operations& kOperations>
Value ffma_for_each(const Counters& c, const Case&, std::string_view x) {
    return ratio(ffma(c), sum(c, kOperations, x, requests));
}

/// A field of loads from shared memory, for each warp and step along k.
template <double (*kField)(const SiteCounters&)>
Value for_each_k(const Counters& c, const Case& test, std::string_view x) {
    return ratio(sum(c, kSharedLoads, x, kField), steps(c, test));
}

constexpr NamedQuantity kQuantities[] = {
    {"sectors/load of X", "pieces of 32 bytes that a warp's load from global memory touches",
     for_each_request<kGlobalLoads, sectors>},
    {"sectors/store of X", "the same for a store", for_each_request<kGlobalStores, sectors>},
    {"sectors/FFMA", "sectors loaded for each FFMA of a warp",
     [](const Counters& c, const Case&, std::string_view) {
         return ratio(sum(c, kGlobalLoads, "", sectors), ffma(c));
     }},
    {"global bytes/result", "bytes of all sectors, loaded and stored, for each element of C",
     [](const Counters& c, const Case& test, std::string_view) {
         return ratio(sum(c, kGlobal, "", sectors) * kSectorBytes, results(test));
     }},
    {"FLOP/byte loaded", "FLOP for each byte that lanes ask global memory for",
     [](const Counters& c, const Case& test, std::string_view) {
         return ratio(2 * results(test) * static_cast<double>(test.k),
                      sum(c, kGlobalLoads, "", bytes));
     }},
    {"FFMA/global load", "FFMAs of a warp for each of its loads from global memory",
     ffma_for_each<kGlobalLoads>},
    {"FFMA/load", "FFMAs of a warp for each of its loads from shared memory",
     ffma_for_each<kSharedLoads>},
    {"FFMA/load of X", "the same for one matrix or shared array", ffma_for_each<kLoads>},
    {"FFMA/k", "FFMAs of a warp in each step along k",
     [](const Counters& c, const Case& test, std::string_view) {
         return ratio(ffma(c), steps(c, test));
     }},
    {"words/FFMA", "32-bit words that a lane loads from shared memory for each FFMA",
     [](const Counters& c, const Case&, std::string_view) {
         return ratio(sum(c, kSharedLoads, "", words), ffma(c));
     }},
    {"loads/k", "loads from shared memory of a warp in each step along k", for_each_k<requests>},
    {"loads/k of X", "the same for one shared array", for_each_k<requests>},
    {"wavefronts/k", "passes through the banks that these loads take", for_each_k<wavefronts>},
    {"wavefronts/k of X", "the same for one shared array", for_each_k<wavefronts>},
    {"wavefronts/load of X", "passes through the banks that a load from shared memory takes",
     for_each_request<kSharedLoads, wavefronts>},
    {"wavefronts/store of X", "the same for a store", for_each_request<kSharedStores, wavefronts>},
    {"wavefronts stored/load of X",
     "passes that it takes to store what a load of matrix X brought, in its array Xs",
     [](const Counters& c, const Case&, std::string_view x) {
         return ratio(sum(c, kSharedStores, std::string(x) + 's', wavefronts),
                      sum(c, kGlobalLoads, x, requests));
     }},
    {"ways/load of X", "wavefronts of a load, as a multiple of the fewest", ways<kSharedLoads>},
    {"ways/store of X", "the same for a store", ways<kSharedStores>},
    {"barriers/block", "__syncthreads that a block comes to",
     [](const Counters& c, const Case&, std::string_view) {
         return ratio(static_cast<double>(c.barriers), static_cast<double>(c.blocks));
     }},
};

/// What stands for X when `name` is one of these; nullopt when it is not.
std::optional<std::string_view> operand_in(std::string_view name, std::string_view pattern) {
    if (name == pattern && !pattern.ends_with(" X")) return "";
    if (!pattern.ends_with(" X")) return {};
    const std::string_view start = pattern.substr(0, pattern.size() - 1);
    if (!name.starts_with(start) || name.size() == start.size()) return {};
    return name.substr(start.size());
}

}  // namespace

std::span<const NamedQuantity> named_quantities() {
    return kQuantities;
}

Value quantity(const Counters& counters, const Case& test, std::string_view name) {
    std::vector<std::string> names;
    for (const NamedQuantity& each : kQuantities) {
        if (const auto x = operand_in(name, each.name)) return each.value(counters, test, *x);
        names.emplace_back(each.name);
    }
    throw UsageError(fmt::format("no quantity '{}'; there are: {}", name, join(names, ", ")));
}

Case case_of_claims() {
    return {.m = 256, .n = 256, .k = 256};
}

Count count_for_claims(const Candidate& candidate) {
    return count(*open_cpu(CpuMode::counted), candidate, case_of_claims());
}

std::vector<CheckedClaim> check_claims(std::span<const Claim> claims, const Counters& counters) {
    constexpr double kRounding = 1e-9;
    std::vector<CheckedClaim> checked;
    for (const Claim& claim : claims) {
        const Value counted = quantity(counters, case_of_claims(), claim.quantity);
        const bool holds =
            counted && std::abs(*counted - claim.value) <= kRounding * std::abs(claim.value);
        checked.push_back({claim.quantity, claim.value, counted, holds});
    }
    return checked;
}

}  // namespace tilewright::lab
