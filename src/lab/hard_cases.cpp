// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/hard_cases.h"

#include <algorithm>
#include <random>

namespace tilewright::lab {

namespace {

constexpr size_t kMoreCases = 20;  // of any problem: half of them are necessary ones
constexpr float kFactors[] = {1, 0, -0.0f, -1, 0.5f, 3};
constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};

struct Tile {
    explicit Tile(const TileConfig& tile)
        : m(tile.block.m ? tile.block.m : kDefault),
          n(tile.block.n ? tile.block.n : kDefault),
          k(tile.block.k ? tile.block.k : kDefault) {}
    static constexpr int kDefault = 32;
    int64_t m, n, k;
};

int64_t whole_tiles(int64_t size, int64_t tile) {
    return (size + tile - 1) / tile * tile;
}

/// Rows on 16-byte boundaries.
void align(Case& test) {
    const auto slack = [&](Operand operand) {
        return (4 - std::max<int64_t>(1, test.layout(operand).cols) % 4) % 4;
    };
    test.slack_a = slack(Operand::A);
    test.slack_b = slack(Operand::B);
    test.slack_c = slack(Operand::C);
}

constexpr int kLayouts = 9;
void lay_out(Case& test, int level) {
    if (level == 0) return;
    align(test);
    switch (level) {
        case 1:
            test.slack_a += 4, test.slack_c += 4;
            break;
        case 2:
            test.offset_a = 1;
            break;
        case 3:
            test.offset_b = 2;
            break;
        case 4:
            test.offset_c = 3;
            break;
        case 5:
            test.slack_a += 1;
            break;
        case 6:
            test.slack_b += 3;
            break;
        case 7:
            test.slack_c += 1;
            break;
        default:
            test.offset_a = 3, test.offset_b = 1, test.offset_c = 2;
            test.slack_a += 3, test.slack_b += 1, test.slack_c += 3;
    }
}

constexpr int kBatches = 6;
/// Behind lay_out(): strides follow from it.
void set_batch(Case& test, int level) {
    if (level == 0) return;
    test.batch = level == 1 || level >= 4 ? 3 : 2;
    switch (level) {
        case 2:
            test.gap_a = 4, test.gap_b = 8, test.gap_c = 12;
            break;
        case 3:
            test.gap_a = 1, test.gap_b = 2, test.gap_c = 3;
            break;
        case 4:
            test.gap_a = -test.layout(Operand::A).stride;
            break;
        case 5:
            test.gap_b = -test.layout(Operand::B).stride;
            break;
        default:
            break;
    }
}

constexpr int kParts[] = {1, 2, 3, 7};

using Sizes = std::vector<int64_t>;

Sizes edge_sizes(int64_t tile, int64_t prime) {
    return {1, prime, tile - 1, tile, tile + 1, 2 * tile + 1};
}

/// The factors and their levels. A choice holds one level of each factor.
class Levels {
  public:
    static constexpr size_t kFactorCount = 11;
    using Choice = std::array<int, kFactorCount>;

    Levels(const Tile& tile, bool any_problem, std::mt19937_64& random)
        : m_(edge_sizes(tile.m, prime(random))),
          n_(edge_sizes(tile.n, prime(random))),
          k_({0, 1, prime(random), std::max<int64_t>(1, tile.k - 1), tile.k, tile.k + 1,
              3 * tile.k + 3}),
          counts_{count(m_),
                  count(n_),
                  count(k_),
                  kLayouts,
                  count(kFactors),
                  count(kFactors),
                  count(kDistributions),
                  any_problem ? 4 : 1,
                  any_problem ? kBatches : 1,
                  any_problem ? count(kParts) : 1,
                  any_problem ? 2 : 1} {}

    const Choice& counts() const { return counts_; }

    Case make(const Choice& choice) const {
        Case test{.m = m_[choice[0]],
                  .n = n_[choice[1]],
                  .k = k_[choice[2]],
                  .alpha = kFactors[choice[4]],
                  .beta = kFactors[choice[5]],
                  .distribution = kDistributions[choice[6]],
                  .transpose_a = choice[7] % 2 == 1,
                  .transpose_b = choice[7] / 2 == 1,
                  .device_scalars = choice[10] == 1,
                  .parts = kParts[choice[9]]};
        lay_out(test, choice[3]);
        set_batch(test, choice[8]);
        return test;
    }

  private:
    static int64_t prime(std::mt19937_64& random) { return kPrimes[random() % std::size(kPrimes)]; }
    static int count(const auto& levels) { return static_cast<int>(std::size(levels)); }

    Sizes m_, n_, k_;
    Choice counts_;
};

/// Which pairs of levels have been seen together, of factors that have several.
class Pairs {
  public:
    using Choice = Levels::Choice;
    struct Pair {
        size_t f, g;
        int at_f, at_g;
    };

    explicit Pairs(const Choice& counts) {
        for (size_t f = 0; f < counts.size(); ++f)
            for (size_t g = f + 1; g < counts.size() && counts[f] > 1; ++g)
                for (int i = 0; i < counts[f]; ++i)
                    for (int j = 0; j < counts[g] && counts[g] > 1; ++j)
                        unseen_.push_back({f, g, i, j});
    }

    /// Of those not yet seen together; null when there is none.
    const Pair* any(std::mt19937_64& random) const {
        return unseen_.empty() ? nullptr : &unseen_[random() % unseen_.size()];
    }
    int gain(const Choice& choice) const {
        return static_cast<int>(std::count_if(unseen_.begin(), unseen_.end(),
                                              [&](const Pair& p) { return has(choice, p); }));
    }
    void see(const Choice& choice) {
        std::erase_if(unseen_, [&](const Pair& p) { return has(choice, p); });
    }
    void give_up(const Pair& pair) { unseen_.erase(unseen_.begin() + (&pair - unseen_.data())); }

  private:
    static bool has(const Choice& choice, const Pair& pair) {
        return choice[pair.f] == pair.at_f && choice[pair.g] == pair.at_g;
    }
    std::vector<Pair> unseen_;
};

void add_transposes_and_parts(std::vector<Case>& cases, const Case& interior, const Tile& t) {
    for (const auto& [transpose_a, transpose_b] :
         {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
        Case aligned = interior;
        aligned.transpose_a = transpose_a, aligned.transpose_b = transpose_b;
        aligned.parts = 2;
        align(aligned);
        cases.push_back(aligned);
        cases.push_back({.m = t.m + 3,
                         .n = t.n + 1,
                         .k = 2 * t.k + 3,
                         .beta = 0.5f,
                         .transpose_a = transpose_a,
                         .transpose_b = transpose_b,
                         .batch = 2,
                         .parts = 3});
    }
    // Fewer k-tiles than parts, no k-tile at all, and an alpha of 0 that only the device knows.
    cases.push_back({.m = t.m + 1, .n = 5, .k = t.k + 1, .beta = -1, .batch = 3, .parts = 5});
    cases.push_back({.m = 5, .n = t.n, .k = 0, .beta = 3, .batch = 2, .parts = 4});
    for (const int parts : {1, 3})
        cases.push_back({.m = t.m,
                         .n = t.n + 2,
                         .k = 4 * t.k,
                         .alpha = 0,
                         .beta = 3,
                         .device_scalars = true,
                         .parts = parts});
    cases.push_back({.m = 3, .n = 5, .k = 7, .beta = 1, .batch = 0});
}

std::vector<Case> necessary_cases(const Tile& t, const Effort& effort) {
    using enum Distribution;
    Case interior{.m = 2 * t.m, .n = 2 * t.n, .k = 4 * t.k, .alpha = 0.5f, .beta = 3};
    align(interior);
    // One matrix of whole tiles whose rows are off the 16-byte boundary: each must be asked for.
    Case off_a{.m = t.m, .n = t.n, .k = 2 * t.k, .distribution = integers};
    align(off_a);
    Case off_b = off_a, off_c = off_a;
    off_a.offset_a = 1;
    off_b.slack_b += 1;
    off_c.offset_c = 2, off_c.beta = 0.5f;
    std::vector<Case> cases = {
        {.m = 2,
         .n = 3,
         .k = 5,
         .slack_a = 2,
         .slack_b = 8,
         .slack_c = 10,
         .beta = 1,
         .distribution = integers},
        interior,
        off_a,
        off_b,
        off_c,
        {.m = t.m + 1, .n = t.n - 1, .k = 2 * t.k + 1, .distribution = specials},
        {.m = 3, .n = 3, .k = 0, .slack_a = 3, .beta = 3},
        {.m = t.m, .n = t.n + 1, .k = 0, .beta = -0.0f},
        {.m = 3, .n = t.n, .k = t.k, .alpha = 0, .beta = -1},
        {.m = 1, .n = 16 * t.n + 1, .k = 3, .beta = 0.5f, .distribution = integers},
        {.m = 16 * t.m + 1, .n = 1, .k = 3, .distribution = integers},
        {.m = 0, .n = 5, .k = 7, .beta = 1},
        {.m = 5, .n = 0, .k = 7, .beta = 1},
    };
    if (effort.cases > kQuick.cases) {
        cases.push_back({.m = 3, .n = 5, .k = 64 * t.k + 3, .distribution = positive});
        // Enough k-tiles for parts of several, of more than one tile.
        cases.push_back(
            {.m = t.m + 1, .n = t.n, .k = 16 * t.k + 4, .slack_c = 3, .alpha = 0.5f, .beta = 3});
    }
    if (effort.any_problem) add_transposes_and_parts(cases, interior, t);
    if (effort.many_tiles) {
        cases.push_back({.m = 65536 * t.m + 1, .n = 1, .k = 1, .distribution = integers});
        cases.push_back({.m = 1, .n = 65536 * t.n + 1, .k = 1, .distribution = integers});
    }
    return cases;
}

}  // namespace

double padded_work(const Case& test, const TileConfig& tile) {
    const Tile t(tile);
    return static_cast<double>(whole_tiles(test.m, t.m)) *
           static_cast<double>(whole_tiles(test.n, t.n)) * static_cast<double>(test.batch) *
           static_cast<double>(std::max(t.k, whole_tiles(test.k, t.k)));
}

std::vector<Case> hard_cases(const TileConfig& tile, const Effort& effort, uint64_t seed) {
    std::mt19937_64 random(seed);
    const Tile t(tile);
    std::vector<Case> cases = necessary_cases(t, effort);
    const Levels levels(t, effort.any_problem, random);
    Pairs pairs(levels.counts());
    const auto affordable = [&](const Levels::Choice& choice) {
        return padded_work(levels.make(choice), tile) <= static_cast<double>(effort.work);
    };
    constexpr int kCandidates = 40;
    const size_t wanted = effort.cases + (effort.any_problem ? kMoreCases : 0);
    for (int refused = 0; cases.size() < wanted && refused < 100;) {
        Levels::Choice best{};
        int best_gain = -1;
        const Pairs::Pair* pair = pairs.any(random);
        for (int i = 0; i < kCandidates; ++i) {
            Levels::Choice choice;
            for (size_t f = 0; f < choice.size(); ++f)
                choice[f] =
                    levels.counts()[f] == 1 ? 0 : static_cast<int>(random() % levels.counts()[f]);
            if (pair) choice[pair->f] = pair->at_f, choice[pair->g] = pair->at_g;
            const int gain = affordable(choice) ? pairs.gain(choice) : -1;
            if (gain > best_gain) best = choice, best_gain = gain;
        }
        if (best_gain >= 0) {
            pairs.see(best);
            cases.push_back(levels.make(best));
        } else if (pair) {
            pairs.give_up(*pair);
        } else {
            ++refused;
        }
    }
    for (Case& test : cases) test.seed = ++seed;
    return cases;
}

}  // namespace tilewright::lab
