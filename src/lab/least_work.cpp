// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/least_work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace tilewright::lab {

namespace {

using simt::Operation;
using simt::SiteCounters;

constexpr double kSectorsPerClock = 4;  // L1: 128 bytes
/// The fewest clocks of a load of 32, 64 and 128 bits: a broadcast one of 128 takes 2 on an H200.
constexpr Widths kClocksOfLoad{1, 1, 2};
/// L1 is the part of the common memory that shared memory leaves; all of it is so much larger than
/// the most that shared memory takes.
constexpr double kL1Beyond = 28 * 1024;

double real(auto value) {
    return static_cast<double>(value);
}

double ceil_div(int64_t a, int64_t b) {
    return real((a + b - 1) / b);
}

/// Whether the compiler may merge it with its neighbours, or keep its value in a register.
bool is_free(const SiteCounters& site) {
    return site.width_bits <= 32 && !site.is_volatile;
}

/// Requests after the compiler has merged scalar ones to the widest that the kernel has.
double merged_requests(const simt::Counters& counters, Operation operation, const Widths& all) {
    double requests = 0;
    for (const SiteCounters& site : counters.sites)
        if (site.operation == operation)
            requests += real(site.requests) / (is_free(site) ? std::max(widest(all), 1) : 1);
    return requests;
}

/// Wavefronts for each word of a scalar site that has become part of a load of 32, 64 or 128 bits.
Widths wavefronts_a_word(const SiteCounters& site) {
    const double requests = real(site.requests);
    return {real(site.wavefronts) / requests, real(site.wider_wavefronts[0]) / requests / 2,
            real(site.wider_wavefronts[1]) / requests / 4};
}

/// Scalar loads, whose words the binary spreads over as many loads of each width as it has: the
/// cheapest way to do so. Each price for a word of the wider loads gives a sum that no way can go
/// below (linear programming's dual), and the best price is a difference of two costs.
double fewest_of_scalars(const std::vector<const SiteCounters*>& sites, const Widths& words) {
    std::vector<double> prices{0};
    for (const SiteCounters* site : sites)
        for (const double a : wavefronts_a_word(*site))
            for (const double b : wavefronts_a_word(*site)) prices.push_back(a - b);
    double most = 0;
    for (const double price_64 : prices)
        for (const double price_128 : prices) {
            double sum = -price_64 * words[1] - price_128 * words[2];
            for (const SiteCounters* site : sites) {
                const Widths cost = wavefronts_a_word(*site);
                sum += real(site->requests) *
                       std::min({cost[0], cost[1] + price_64, cost[2] + price_128});
            }
            most = std::max(most, sum);
        }
    return most;
}

/// How often all warps together go round the main loop.
double passes_of(const Count& count, const Instructions& loop) {
    return loop.ffma > 0 ? real(count.counters.ffma) / loop.ffma
                         : real(count.counters.mma) / loop.mma;
}

/// That no compiler and no hardware can save.
double fewest_load_wavefronts(const Count& count, const std::optional<Compiled>& compiled) {
    double kept = 0, scalar_words = 0;
    std::vector<const SiteCounters*> scalars;
    Widths written{};  // requests that the compiler keeps as they are
    for (const SiteCounters& site : count.counters.sites) {
        if (site.operation != Operation::shared_load || site.requests == 0) continue;
        if (is_free(site)) {
            scalars.push_back(&site);
            scalar_words += real(site.requests);
            continue;
        }
        kept += real(site.wavefronts);
        if (site.width_bits <= 128)
            written[std::countr_zero(site.width_bits / 32)] += real(site.requests);
    }
    if (!compiled || !compiled->main_loop) return kept;
    const double passes = passes_of(count, *compiled->main_loop);
    Widths loads = compiled->main_loop->shared_loads;
    double clocks = 0;
    Widths words{};  // that scalars have become
    for (size_t i = 0; i < loads.size(); ++i) {
        clocks += passes * loads[i] * kClocksOfLoad[i];
        words[i] = std::max(passes * loads[i] - written[i], 0.0) * (1 << i);
    }
    // Fewer words than written: the compiler keeps some in registers, and which is not known.
    constexpr double kAlmost = 1 - 1e-6;
    if (words[0] + words[1] + words[2] >= kAlmost * scalar_words)
        kept += fewest_of_scalars(scalars, words);
    return std::max(kept, clocks);
}

double fewest_store_wavefronts(const Count& count, const std::optional<Compiled>& compiled) {
    double wavefronts = real(count.totals.copy_store.wavefronts);
    for (const SiteCounters& site : count.counters.sites) {
        if (site.operation != Operation::shared_store) continue;
        const int merged = compiled ? std::max(widest(compiled->total.shared_stores), 1) : 4;
        wavefronts += real(site.wavefronts) / (is_free(site) ? merged : 1);
    }
    return wavefronts;
}

int64_t whole_tiles(const Count& count) {
    const Tile& tile = count.variant->config.block;
    return (count.test.m / tile.m) * (count.test.n / tile.n);
}

/// Rows of A and columns of B that so many tiles of C need at least: those of a near-square of them.
double fewest_lines(const Tile& tile, int64_t tiles) {
    double lines = std::numeric_limits<double>::infinity();
    for (int64_t a = 1; a <= tiles; ++a)
        lines = std::min(lines, real(a * tile.m) + ceil_div(tiles, a) * tile.n);
    return lines;
}

}  // namespace

double least_shared_wavefronts(const Count& count, const std::optional<Compiled>& compiled) {
    return fewest_load_wavefronts(count, compiled) + fewest_store_wavefronts(count, compiled);
}

double least_instructions(const Count& count, const std::optional<Compiled>& compiled) {
    if (!compiled || !compiled->main_loop) return kNone;
    const Instructions &loop = *compiled->main_loop, &total = compiled->total;
    double instructions = passes_of(count, loop) * loop.all;
    const auto add = [&](Operation operation, const Widths& in_loop, const Widths& in_all) {
        if (widest(in_loop) == 0)
            instructions += merged_requests(count.counters, operation, in_all);
    };
    add(Operation::global_load, loop.global_loads, total.global_loads);
    add(Operation::global_store, loop.global_stores, total.global_stores);
    add(Operation::shared_store, loop.shared_stores, total.shared_stores);
    if (loop.barriers == 0 && count.counters.blocks > 0)
        instructions += real(count.counters.barriers) * real(count.counters.warps) /
                        real(count.counters.blocks);
    return instructions;
}

double least_l1_clocks(const Count& count) {
    double clocks = 0;
    for (const SiteCounters& site : count.counters.sites)
        if (site.sectors > 0)
            clocks += std::max(real(site.requests), real(site.sectors) / kSectorsPerClock);
    return clocks;
}

double most_l2_bytes(const Count& count) {
    return kSectorBytes * real(count.totals.global_load.sectors + count.totals.copy_load.sectors);
}

double whole_tiles_of_busiest(const Count& count, const Gpu& gpu) {
    const Tile& tile = count.variant->config.block;
    // All whole tiles are alike only where each of them begins at a sector's boundary as the first
    // one does.
    constexpr int kAlike = static_cast<int>(kSectorBytes / sizeof(float));
    if (tile.m <= 0 || tile.n <= 0 || tile.m % kAlike != 0 || tile.n % kAlike != 0) return 0;
    const double tiles = ceil_div(count.test.m, tile.m) * ceil_div(count.test.n, tile.n);
    if (real(count.counters.blocks) != tiles) return 0;
    return ceil_div(whole_tiles(count), gpu.multiprocessors);
}

bool all_tiles_are_whole(const Count& count) {
    const Tile& tile = count.variant->config.block;
    return tile.m > 0 && tile.n > 0 && count.test.m % tile.m == 0 && count.test.n % tile.n == 0;
}

double least_l2_bytes(const Count& count, int resident, double busiest, const Gpu& gpu) {
    const Case& test = count.test;
    const Tile& tile = count.variant->config.block;
    const double column = sizeof(float) * (test.has_product() ? real(test.k) : 0);
    const double once = column * (real(test.m) + real(test.n)) / gpu.multiprocessors;
    if (tile.m <= 0 || tile.n <= 0) return once;
    const double mean = real(whole_tiles(count)) / gpu.multiprocessors;
    const double tiles = busiest > 0 ? busiest : mean;
    const auto together =
        static_cast<int64_t>(std::clamp(std::ceil(tiles), 1.0, std::max(real(resident), 1.0)));
    // More blocks than tiles take turns more often.
    const double blocks = busiest > 0 ? tiles : real(count.counters.blocks) / gpu.multiprocessors;
    const double groups = std::max(tiles, blocks) / real(together);
    const double fetched = tiles / real(together) * fewest_lines(tile, together) * column -
                           std::max(groups - 1, 0.0) * (gpu.shared_bytes + kL1Beyond);
    return std::max(once, fetched);
}

double least_dram_bytes(const Count& count, const Gpu& gpu) {
    const double written = sizeof(float) * count.totals.results;
    return count.totals.compulsory_bytes - std::min(written, real(gpu.l2_bytes));
}

}  // namespace tilewright::lab
