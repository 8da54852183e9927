// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tile_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "lab/text.h"

namespace tilewright::lab {

namespace {

constexpr int kLanes = 32;

int area(const Tile& tile) {
    return tile.m * tile.n;
}

std::string size(int m, int n) {
    return fmt::format("{} x {}", m, n);
}

std::string product(int m, int n) {
    return fmt::format("{} = {}", size(m, n), m * n);
}

std::string many(int count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Warps that share elements have a slice of the k-tile each, or rows of k in turn.
int slices_of(const TileConfig& c) {
    if (c.warp.m > 0) return c.warp.k > 0 ? c.block.k / c.warp.k : 1;
    return std::max(1, c.threads * area(c.thread) / area(c.block));
}

/// From the warp tile down to what a lane computes in one step.
void add_warp(std::vector<Sum>& sums, const TileConfig& c) {
    const int warps = c.threads / kLanes;
    const int slices = slices_of(c), apart = warps / slices;
    sums.push_back(
        {"warp tile",
         fmt::format("{} elements; x {} = {}, the block tile{}", product(c.warp.m, c.warp.n),
                     many(apart, "warp"), apart * area(c.warp),
                     slices > 1 ? fmt::format("; {} for the same elements, with {} of "
                                              "the k-tile's {} each",
                                              many(slices, "warp"), c.warp.k, c.block.k)
                                : "")});
    if (area(c.thread) == 0) return;  // tensor cores deal the results out
    const int step = kLanes * area(c.thread), steps = area(c.warp) / step;
    sums.push_back(
        {"thread tile",
         fmt::format("{} elements in a step; x 32 lanes = {}; x {} ({} along m, {} along n) = {}, "
                     "the warp tile",
                     product(c.thread.m, c.thread.n), step, many(steps, "step"),
                     steps / c.warp_n_steps, c.warp_n_steps, steps * step)});
}

void add_thread(std::vector<Sum>& sums, const TileConfig& c) {
    // A rung without thread tiles computes one element a thread.
    const int m = std::max(c.thread.m, 1), n = std::max(c.thread.n, 1);
    const int slices = slices_of(c), apart = c.threads / slices;
    sums.push_back(
        {"thread tile",
         fmt::format("{} = {}; x {} threads = {}, the block tile{}", size(m, n),
                     many(m * n, "element"), apart, apart * m * n,
                     slices > 1 ? fmt::format("; {} for the same elements, with parts of k",
                                              many(slices, "thread"))
                                : "")});
}

void add_k_tile(std::vector<Sum>& sums, const TileConfig& c) {
    const int a = c.block.m * c.block.k, b = c.block.k * c.block.n;
    const int fma = area(c.block) * c.block.k / c.threads;
    sums.push_back({"k-tile", fmt::format("{} elements of A and {} of B: {} bytes",
                                          product(c.block.m, c.block.k),
                                          product(c.block.k, c.block.n), 4 * (a + b))});
    if (c.pad_a || c.pad_b)
        sums.push_back({"padding", fmt::format("unused columns behind each row: {} of As, {} of Bs",
                                               c.pad_a, c.pad_b)});
    const auto share = [&](int elements) {
        return static_cast<double>(elements) / (c.producers > 0 ? c.producers : c.threads);
    };
    if (c.producers > 0)
        sums.push_back({"loads", fmt::format("of a thread that copies, for a k-tile: {:.4g} "
                                             "elements of A and {:.4g} of B; one that multiplies "
                                             "does {} FMAs with it",
                                             share(a), share(b), fma)});
    else
        sums.push_back({"loads", fmt::format("of a thread for a k-tile: {:.4g} elements of A and "
                                             "{:.4g} of B, for {} FMAs: {:.4g} for each element",
                                             share(a), share(b), fma, fma / share(a + b))});
}

}  // namespace

std::vector<Sum> tile_arithmetic(const TileConfig& c) {
    std::vector<Sum> sums;
    sums.push_back({"block tile", fmt::format("{} elements of C, by {} threads = {}",
                                              product(c.block.m, c.block.n), c.threads,
                                              many((c.threads + kLanes - 1) / kLanes, "warp"))});
    c.warp.m > 0 ? add_warp(sums, c) : add_thread(sums, c);
    const int slices = slices_of(c);
    sums.push_back(
        {"accumulators", fmt::format("{}{} / {} = {} a thread", area(c.block),
                                     slices > 1 ? fmt::format(" x {} slices of k", slices) : "",
                                     c.threads, area(c.block) * slices / c.threads)});
    if (c.block.k > 0)
        add_k_tile(sums, c);
    else
        sums.push_back({"k-tile", "none: each product loads both of its factors"});
    return sums;
}

std::vector<Rule> rules_in(std::string_view source) {
    constexpr std::string_view kStart = "static_assert(";
    static const std::regex spaces("\\s+");
    std::vector<Rule> rules;
    for (size_t at = source.find(kStart); at != source.npos; at = source.find(kStart, at)) {
        at += kStart.size();
        const std::string_view body = source.substr(at, source.find(");", at) - at);
        const size_t quote = body.find('"');
        if (quote == body.npos) continue;
        Rule rule;
        rule.condition = std::regex_replace(std::string(body.substr(0, quote)), spaces, " ");
        rule.condition.erase(rule.condition.find_last_not_of(" ,") + 1);
        bool inside = false;  // a sentence may be several literals
        for (const char c : body.substr(quote)) {
            if (c == '"')
                inside = !inside;
            else if (inside)
                rule.sentence += c;
        }
        rules.push_back(std::move(rule));
    }
    return rules;
}

std::string with_values(const std::string& condition, const TileConfig& c) {
    std::map<std::string, int> sizes;
    for_each_member(c, [&](const char* name, int size) { sizes[name] = size; });
    static const std::regex name("kTile\\.([a-z_]+(\\.[mnk])?)");
    std::string text;
    auto rest = condition.cbegin();
    for (std::sregex_iterator i(condition.begin(), condition.end(), name), end; i != end; ++i) {
        const auto size = sizes.find((*i)[1]);
        text.append(rest, (*i)[0].first);
        text += size == sizes.end() ? i->str() : std::to_string(size->second);
        rest = (*i)[0].second;
    }
    return text.append(rest, condition.cend());
}

}  // namespace tilewright::lab
