// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A product as the C interface takes it, with the data and the places of its operands, and whether
// the library does what it says for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.h"
#include "engine/dispatch.h"
#include "engine/memory.h"

namespace tilewright::test {

enum class Data {
    integers,  ///< Small: with such alpha and beta too, results are exact.
    uniform,  ///< In [-1, 1).
    special,  ///< Infinities, NaNs, zeros of both signs and denormals among small integers.
};

/// From one matrix of a batch to the next.
enum class Stride {
    tight,
    odd,
    padded,  ///< By 4 elements: not whole lines, and on 16 bytes where lines are.
    zero,
    overlapping,  ///< By all but 4 elements where lines are on 16 bytes, else all but one.
    negative,
};

struct Place {
    int64_t slack = 0;  ///< The leading dimension beyond the least.
    Stride stride = Stride::tight;
    Edge edge = Edge::back;
    int64_t offset = 0;
};

struct Product {
    bool columns = false;
    tilewright_operation_t ta = TILEWRIGHT_OP_N, tb = TILEWRIGHT_OP_N;
    int64_t m = 1, n = 1, k = 1, batch = 1;
    float alpha = 1, beta = 0;
    Place a = {}, b = {}, c = {};
    Data data = Data::integers;
    bool device_scalars = false;
    bool single = false;  ///< tilewright_sgemm; else the batched one, though the batch be 1.
    uint32_t seed = 1;
    std::string kernel = {};  ///< "": the library chooses.
};

/// For a person who wants to see it again.
std::string describe(const Product& product);

/// A matrix as it is stored.
struct Layout {
    int64_t lines, length, ld, stride;
    bool flipped;  ///< Element (i, j) lies on line j.

    int64_t at(int64_t slot, int64_t i, int64_t j) const {
        return slot * stride + (flipped ? j * ld + i : i * ld + j);
    }
};

/// Its operands, filled. Those that must not be read hold NaNs alone.
class Prepared {
  public:
    explicit Prepared(const Product& product);

    tilewright_status_t run(tilewright_handle_t handle);
    /// What is wrong with C after run(), against sums in FP64, or with anything around it; "" where
    /// all is well.
    std::string fault() const;
    /// C's bits, matrix by matrix.
    std::vector<uint32_t> bits() const;
    void restore() { c_.restore(); }
    /// True where nothing at all was written.
    bool is_untouched() const;

    /// As dispatch sees it.
    Problem problem();

    const Layout& layout_c() const { return at_c_; }
    float* A() { return data_of(a_, at_a_); }
    float* B() { return data_of(b_, at_b_); }
    float* C() { return data_of(c_, at_c_); }

  private:
    float* data_of(Memory& memory, const Layout& at) const {
        return memory.data() + (at.stride < 0 ? (1 - p_.batch) * at.stride : 0);
    }
    const float* data_of(const Memory& memory, const Layout& at) const {
        return memory.data() + (at.stride < 0 ? (1 - p_.batch) * at.stride : 0);
    }
    void fill(Memory& memory, const Layout& at, int64_t rows, int64_t cols, uint32_t seed);

    Product p_;
    Layout at_a_, at_b_, at_c_;
    Memory a_, b_, c_, scalars_;
};

/// Runs it, with its kernel if it names one, and judges the result; "" where all is well. A kernel
/// that cannot run it must say so and leave all as it was: then *refused is true.
std::string fault_of(tilewright_handle_t handle, const Product& product, bool* refused = nullptr);

/// The same, and whether a second run gives the same bits.
std::string fault_of_two_runs(tilewright_handle_t handle, const Product& product,
                              bool* refused = nullptr);

/// "tile/64x64", ...: of all kernels of this program.
std::vector<std::string> variant_names();
/// What the kernel of such a name computes in, parts or none; FP32 for "".
Arithmetic arithmetic_of(const std::string& kernel);
/// Takes the kernel, and its compute mode; for "" the library's choice in FP32.
tilewright_status_t take_kernel(tilewright_handle_t handle, const std::string& kernel);
engine::DeviceTraits traits();

}  // namespace tilewright::test
