// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// A product from C++, in CPU mode, so that it runs anywhere and memory is the host's. On a GPU the
// calls are the same, with cudaMalloc's: examples/cuda.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

#include "tilewright/tilewright.hpp"

using tilewright::Layout;
using tilewright::Operation;

namespace {

constexpr int m = 70, n = 50, k = 30;

// Small whole numbers, whose products and sums are exact in FP32.
std::vector<float> numbers(int count, int period) {
    std::vector<float> made(count);
    for (int i = 0; i < count; ++i) made[i] = static_cast<float>(i % period - period / 2);
    return made;
}

int run() {
    tilewright::Handle handle;
    handle.set_log([](const char* line) { std::cout << "log: " << line << '\n'; });

    // C := 2 * A * transposed B, stored row by row: B is n x k.
    const std::vector<float> A = numbers(m * k, 7), B = numbers(n * k, 5);
    std::vector<float> C(m * n);
    handle.sgemm(Layout::row_major, m, n, k, 2, {A.data(), k}, {B.data(), k, Operation::transpose},
                 0, {C.data(), n});
    std::cout << "tilewright " << tilewright::version() << " ran " << handle.last_kernel() << '\n';

    int wrong = 0;
    for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[column * k + i];
            wrong += C[row * n + column] != 2 * sum;
        }
    std::cout << wrong << " of " << m * n << " elements are wrong\n";

    // What goes wrong is told by an exception: rows of C have n elements, not n - 1.
    try {
        handle.sgemm(Layout::row_major, m, n, k, 2, {A.data(), k},
                     {B.data(), k, Operation::transpose}, 0, {C.data(), n - 1});
        ++wrong;
    } catch (const tilewright::Error& error) {
        std::cout << "on purpose: " << error.what() << '\n';
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main() {
    setenv("TILEWRIGHT_DEVICE", "cpu", 1);
    try {
        return run();
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
