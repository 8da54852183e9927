// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/gemm.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <thread>

namespace tilewright::reference {

namespace {

// One thread's part of A and B, as doubles: 64 KiB of B stay in the L2 cache for all rows.
constexpr int kBlockRows = 64, kBlockColumns = 256, kBlockDepth = 32;
constexpr int kUnroll = 4;  // products added at once: fewer passes over the sums

/// sum += a * b, size += |a| * |b| for `columns` sums. b: kBlockDepth x kBlockColumns.
void add_products(double* __restrict sum, double* __restrict size, const double* __restrict a,
                  const double* __restrict b, int depth, int columns) {
    for (int k = 0; k < depth; k += kUnroll, b += kUnroll * kBlockColumns) {
        const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        for (int j = 0; j < columns; ++j) {
            const double p0 = a0 * b[j], p1 = a1 * b[j + kBlockColumns],
                         p2 = a2 * b[j + 2 * kBlockColumns], p3 = a3 * b[j + 3 * kBlockColumns];
            sum[j] += (p0 + p1) + (p2 + p3);
            size[j] += (std::fabs(p0) + std::fabs(p1)) + (std::fabs(p2) + std::fabs(p3));
        }
    }
}

/// One block of the result: rows [first, last) of the list, all of one product of the batch, and
/// columns [col, col + columns).
struct Block {
    int64_t first, last, col;
    int columns;
};

float a_of(const Problem& p, int64_t row, int64_t k) {
    const float* A = p.A + row / p.m * p.stride_a;
    return p.transpose_a ? A[k * p.lda + row % p.m] : A[row % p.m * p.lda + k];
}

float b_of(const Problem& p, int64_t product, int64_t k, int64_t col) {
    const float* B = p.B + product * p.stride_b;
    return p.transpose_b ? B[col * p.ldb + k] : B[k * p.ldb + col];
}

void multiply(const Problem& p, const Block& block, Rows& result) {
    std::vector<double> a(kBlockRows * kBlockDepth), b(kBlockDepth * kBlockColumns);
    const int64_t product = result.index[block.first] / p.m;
    for (int64_t k0 = 0; k0 < p.k; k0 += kBlockDepth) {
        const int depth = static_cast<int>(std::min<int64_t>(kBlockDepth, p.k - k0));
        const int padded = (depth + kUnroll - 1) / kUnroll * kUnroll;
        for (int k = 0; k < padded; ++k)
            for (int j = 0; j < block.columns; ++j)
                b[k * kBlockColumns + j] =
                    k < depth ? double{b_of(p, product, k0 + k, block.col + j)} : 0.0;
        for (int64_t r = block.first; r < block.last; ++r) {
            double* row = &a[(r - block.first) * kBlockDepth];
            for (int k = 0; k < padded; ++k)
                row[k] = k < depth ? double{a_of(p, result.index[r], k0 + k)} : 0.0;
            const size_t at = r * result.columns + block.col;
            add_products(&result.want[at], &result.magnitude[at], row, b.data(), padded,
                         block.columns);
        }
    }
}

/// sum, size -> want, magnitude
void finish(const Problem& p, const Block& block, Rows& result) {
    const bool product = p.alpha != 0 && p.k > 0;
    const double alpha = p.alpha, beta = p.beta;
    for (int64_t r = block.first; r < block.last; ++r) {
        const int64_t row = result.index[r];
        const float* C = p.C + row / p.m * p.stride_c + row % p.m * p.ldc;
        for (int64_t j = block.col; j < block.col + block.columns; ++j) {
            double &want = result.want[r * result.columns + j],
                   &magnitude = result.magnitude[r * result.columns + j];
            want = product ? alpha * want : 0;
            magnitude = product ? std::fabs(alpha) * magnitude : 0;
            if (beta == 0) continue;
            const double c = C[j];
            want += beta * c;
            magnitude += std::fabs(beta * c);
        }
    }
}

}  // namespace

Rows gemm(const Problem& problem, std::vector<int64_t> rows, unsigned threads) {
    Rows result{.index = std::move(rows), .columns = problem.n, .want = {}, .magnitude = {}};
    const int64_t count = std::ssize(result.index);
    result.want.resize(count * problem.n);
    result.magnitude.resize(count * problem.n);
    std::vector<int64_t> first_rows;  // of the blocks, in the list
    for (int64_t r = 0; r < count; ++r)
        if (first_rows.empty() || r - first_rows.back() == kBlockRows ||
            result.index[r] / problem.m != result.index[r - 1] / problem.m)
            first_rows.push_back(r);
    const int64_t row_blocks = std::ssize(first_rows);
    first_rows.push_back(count);
    const int64_t column_blocks = (problem.n + kBlockColumns - 1) / kBlockColumns;
    std::atomic<int64_t> next = 0;
    const auto work = [&] {
        for (int64_t i; (i = next++) < row_blocks * column_blocks;) {
            const int64_t first = first_rows[i / column_blocks];
            const int64_t col = i % column_blocks * kBlockColumns;
            const Block block{first, first_rows[i / column_blocks + 1], col,
                              static_cast<int>(std::min<int64_t>(kBlockColumns, problem.n - col))};
            if (problem.alpha != 0) multiply(problem, block, result);
            finish(problem, block, result);
        }
    };
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    const int64_t useful = std::min<int64_t>(threads, row_blocks * column_blocks);
    std::vector<std::jthread> helpers;
    for (int64_t i = 1; i < useful; ++i) helpers.emplace_back(work);
    work();
    helpers.clear();  // joins
    return result;
}

std::vector<int64_t> pick_rows(int64_t m, int64_t n, int64_t k, uint64_t seed) {
    if (n == 0) return {};
    constexpr double kWork = 0x1p31;
    // Storing and comparing an element, in multiply-adds.
    constexpr double kElementCost = kWork / double{kMostElements};
    const double row =
        std::max(1.0, static_cast<double>(n) * (static_cast<double>(k) + kElementCost));
    const auto affordable = static_cast<int64_t>(std::max(4.0, kWork / row));
    if (m <= affordable) {
        std::vector<int64_t> all(m);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    // Both sides of the first and the last full tile boundary, for the usual tile heights.
    std::set<int64_t> rows;
    const auto add = [&](int64_t r) {
        if (r >= 0 && r < m && std::ssize(rows) < affordable) rows.insert(r);
    };
    add(0), add(m - 1);
    for (const int64_t tile : {128, 64, 256, 32}) {
        add(tile - 1), add(tile);
        const int64_t last = (m - 1) / tile * tile;
        add(last - 1), add(last);
    }
    std::mt19937_64 random(seed);
    while (std::ssize(rows) < affordable) add(static_cast<int64_t>(random() % m));
    return {rows.begin(), rows.end()};
}

}  // namespace tilewright::reference
