// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// C = alpha * A * B + beta * C in FP64: what kernels are judged by. Plain loops and no vendor's
// BLAS, which have been wrong too.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.h"

namespace tilewright::reference {

/// Some rows of C. `want` and `magnitude` hold index.size() x columns elements, row-major.
struct Rows {
    std::vector<int64_t> index;  ///< Which rows of C.
    int64_t columns = 0;
    std::vector<double> want;  ///< alpha * A * B + beta * C
    std::vector<double> magnitude;  ///< |alpha| |A||B| + |beta| |C|, the scale of rounding errors.
};

/// The given rows, 0 <= row < m * batch, counted over all products, of host matrices; C is read as it is before the
/// product. BLAS semantics: beta = 0 (also -0) does not read C; alpha = 0 or k = 0 reads neither A
/// nor B. The result does not depend on `threads`; 0 takes one for each core. Alpha and beta are the
/// host's.
Rows gemm(const Problem& problem, std::vector<int64_t> rows, unsigned threads = 0);

/// Rows worth checking, ascending: all of them up to 2^31 multiply-adds (1024^3 is half of that),
/// else as many as fit and at least four: the ends, both sides of tile boundaries, and others drawn
/// from the seed.
std::vector<int64_t> pick_rows(int64_t m, int64_t n, int64_t k, uint64_t seed);

/// As many elements as the picked rows hold, unless four rows hold more.
inline constexpr int64_t kMostElements = int64_t{1} << 25;

}  // namespace tilewright::reference
