// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Factors that tell how accurate a product is: from those on which errors cancel to those on which a
// scheme of pieces and scales may fail where FP32 does not.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace tilewright::reference {

/// op(A), m x k, and op(B), k x n, both row-major.
struct Factors {
    int64_t m, n, k;
    std::vector<float> a, b;

    float& at_a(int64_t i, int64_t k0) { return a[i * k + k0]; }
    float& at_b(int64_t k0, int64_t j) { return b[k0 * n + j]; }
    float at_a(int64_t i, int64_t k0) const { return a[i * k + k0]; }
    float at_b(int64_t k0, int64_t j) const { return b[k0 * n + j]; }
};

using Random = std::mt19937_64;

struct HardData {
    const char* name;
    void (*shape)(Factors& factors, Random& random);  ///< Makes it of normally distributed ones.
};

/// Where only one operand is special it is A; for B see exchanged().
std::span<const HardData> hard_data();

/// The same arguments give the same factors.
Factors make_factors(const HardData& data, int64_t m, int64_t n, int64_t k, uint64_t seed);

/// B^T A^T = (A B)^T, n x m.
Factors exchanged(const Factors& factors);

}  // namespace tilewright::reference
