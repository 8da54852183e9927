// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/hard_data.h"

#include <algorithm>
#include <cmath>

namespace tilewright::reference {

namespace {

int between(int least, int most, Random& random) {
    return std::uniform_int_distribution(least, most)(random);
}

void normal(Factors&, Random&) {}

void positive(Factors& f, Random& random) {
    std::uniform_real_distribution<float> uniform;
    for (auto* matrix : {&f.a, &f.b})
        for (float& x : *matrix) x = uniform(random);
}

void wide(Factors& f, Random& random) {
    for (auto* matrix : {&f.a, &f.b})
        for (float& x : *matrix) x = std::ldexp(x, between(-16, 15, random));
}

void scaled(Factors& f, Random& random) {
    for (int64_t i = 0; i < f.m; ++i) {
        const int exponent = between(-40, 40, random);
        for (int64_t k = 0; k < f.k; ++k) f.at_a(i, k) = std::ldexp(f.at_a(i, k), exponent);
    }
    for (int64_t j = 0; j < f.n; ++j) {
        const int exponent = between(-40, 40, random);
        for (int64_t k = 0; k < f.k; ++k) f.at_b(k, j) = std::ldexp(f.at_b(k, j), exponent);
    }
}

/// The second half of a sum takes back the first but for some 2^-18 of it.
void cancelling(Factors& f, Random& random) {
    std::normal_distribution<float> noise(1, 0x1p-18f);
    const int64_t half = f.k / 2;
    for (int64_t k = 0; k < half; ++k) {
        for (int64_t i = 0; i < f.m; ++i) f.at_a(i, half + k) = -f.at_a(i, k) * noise(random);
        for (int64_t j = 0; j < f.n; ++j) f.at_b(half + k, j) = f.at_b(k, j);
    }
}

/// Rows of A with 5% of their elements, and one more of size 2^exponent among four of k; `met`: where B
/// is not 0.
template <int kExponent, bool kMet>
void sparse(Factors& f, Random& random) {
    const int64_t places = std::min<int64_t>(4, f.k);
    for (int64_t i = 0; i < f.m; ++i) {
        for (int64_t k = 0; k < f.k; ++k)
            if (between(1, 20, random) != 1) f.at_a(i, k) = 0;
        f.at_a(i, i % places * (f.k / places)) = std::ldexp(1.0f, kExponent);
    }
    for (int64_t k = 0; k < places && !kMet; ++k)
        for (int64_t j = 0; j < f.n; ++j) f.at_b(k * (f.k / places), j) = 0;
}

void single(Factors& f, Random& random) {
    for (int64_t i = 0; i < f.m; ++i) {
        const int64_t kept = between(0, static_cast<int>(f.k) - 1, random);
        for (int64_t k = 0; k < f.k; ++k)
            if (k != kept) f.at_a(i, k) = 0;
    }
}

void peak(Factors& f, Random& random) {
    for (int64_t i = 0; i < f.m; ++i) {
        float& x = f.at_a(i, between(0, static_cast<int>(f.k) - 1, random));
        x = std::ldexp(x, 20);
    }
}

void constant(Factors& f, Random&) {
    std::fill(f.a.begin(), f.a.end(), 0.1f);
    std::fill(f.b.begin(), f.b.end(), 1.0f / 3);
}

/// D and its inverse between A and B, of powers of two: what is small of A meets what is large of B.
void graded(Factors& f, Random& random) {
    for (int64_t k = 0; k < f.k; ++k) {
        const int exponent = between(-16, 16, random);
        for (int64_t i = 0; i < f.m; ++i) f.at_a(i, k) = std::ldexp(f.at_a(i, k), exponent);
        for (int64_t j = 0; j < f.n; ++j) f.at_b(k, j) = std::ldexp(f.at_b(k, j), -exponent);
    }
}

/// Some of A's columns are large and meet nothing.
void meet_nothing(Factors& f, int64_t count) {
    for (int64_t large = 0; large < count; ++large) {
        const int64_t k = large * f.k / count;
        for (int64_t i = 0; i < f.m; ++i) f.at_a(i, k) = std::ldexp(f.at_a(i, k), 24);
        for (int64_t j = 0; j < f.n; ++j) f.at_b(k, j) = 0;
    }
}
void twelve_unmet(Factors& f, Random&) {
    meet_nothing(f, std::min<int64_t>(12, f.k));
}
void quarter_unmet(Factors& f, Random&) {
    meet_nothing(f, f.k / 4);
}

/// Sums far below a row's largest elements, which meet zeros.
void far_unmet(Factors& f, Random&) {
    for (int64_t k = 0; k < f.k; ++k) {
        for (int64_t i = 0; i < f.m; ++i) f.at_a(i, k) = std::ldexp(f.at_a(i, k), k % 2 ? -40 : 40);
        for (int64_t j = 0; j < f.n; ++j)
            f.at_b(k, j) = k % 2 ? std::ldexp(f.at_b(k, j), -60) : 0.0f;
    }
}

/// Rows and columns of many elements, of which a single pair meets.
void one_in_common(Factors& f, Random&) {
    for (int64_t k = 1; k < f.k; ++k) {
        for (int64_t i = 0; i < f.m && k % 2; ++i) f.at_a(i, k) = 0;
        for (int64_t j = 0; j < f.n && k % 2 == 0; ++j) f.at_b(k, j) = 0;
    }
}

/// Places of what is large in A and in B that have nothing to do with each other: of few in a quarter of
/// all, most of a short sum's meet what is zero or short of bits.
void keep(std::vector<float>& matrix, int one_of, int exponent, Random& random) {
    for (float& x : matrix)
        if (between(1, one_of, random) != 1) x = exponent == 0 ? 0 : std::ldexp(x, exponent);
}
void quarters(Factors& f, Random& random) {
    keep(f.a, 4, 0, random);
    keep(f.b, 4, -24, random);
}
void tenths(Factors& f, Random& random) {
    keep(f.a, 10, 0, random);
    keep(f.b, 10, 0, random);
}
void widest(Factors& f, Random& random) {
    for (auto* matrix : {&f.a, &f.b})
        for (float& x : *matrix) x = std::ldexp(x, between(-24, 23, random));
}

/// Rows of A with three to five elements of one size.
void few(Factors& f, Random& random) {
    std::uniform_real_distribution<float> size(1, 2);
    for (int64_t i = 0; i < f.m; ++i) {
        for (int64_t k = 0; k < f.k; ++k) f.at_a(i, k) = 0;
        for (int n = 3 + static_cast<int>(i % 3); n > 0; --n)
            f.at_a(i, between(0, static_cast<int>(f.k) - 1, random)) =
                n % 2 ? size(random) : -size(random);
    }
}

constexpr HardData kHardData[] = {
    {"normal", normal},
    {"positive", positive},
    {"wide", wide},
    {"scaled", scaled},
    {"cancelling", cancelling},
    {"sparse20_met", sparse<20, true>},
    {"sparse20_unmet", sparse<20, false>},
    {"sparse30_met", sparse<30, true>},
    {"sparse30_unmet", sparse<30, false>},
    {"single", single},
    {"peak", peak},
    {"constant", constant},
    {"twelve_unmet", twelve_unmet},
    {"graded", graded},
    {"quarter_unmet", quarter_unmet},
    {"far_unmet", far_unmet},
    {"one_in_common", one_in_common},
    {"quarters", quarters},
    {"tenths", tenths},
    {"widest", widest},
    {"few", few},
};

}  // namespace

std::span<const HardData> hard_data() {
    return kHardData;
}

Factors make_factors(const HardData& data, int64_t m, int64_t n, int64_t k, uint64_t seed) {
    Factors factors{m, n, k, std::vector<float>(m * k), std::vector<float>(k * n)};
    Random random(seed);
    std::normal_distribution<float> normal;
    for (auto* matrix : {&factors.a, &factors.b})
        for (float& x : *matrix) x = normal(random);
    if (k > 0) data.shape(factors, random);
    return factors;
}

Factors exchanged(const Factors& f) {
    Factors result{f.n, f.m, f.k, std::vector<float>(f.b.size()), std::vector<float>(f.a.size())};
    for (int64_t k = 0; k < f.k; ++k) {
        for (int64_t j = 0; j < f.n; ++j) result.at_a(j, k) = f.at_b(k, j);
        for (int64_t i = 0; i < f.m; ++i) result.at_b(k, i) = f.at_a(i, k);
    }
    return result;
}

}  // namespace tilewright::reference
