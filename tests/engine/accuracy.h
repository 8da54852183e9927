// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How accurate a product is, in each compute mode that claims FP32's accuracy and by its own kernels as
// well as by the library's choice, compared with FFMA on the same numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/memory.h"
#include "reference/bound.h"
#include "reference/gemm.h"
#include "reference/hard_data.h"

namespace tilewright::test {

struct Call {
    bool ta = false, tb = false;  ///< Whether the factors lie as their transposes.
    float alpha = 1, beta = 0;
};

/// A product and what it should be. C is NaN where it is not to be read, else 1.
class Trial {
  public:
    explicit Trial(const reference::Factors& factors, const Call& call = {});

    /// C; nothing where the kernel does not run this problem.
    std::optional<std::vector<float>> run(tilewright_handle_t handle, const std::string& kernel);

    /// The largest error of an element, as part of |alpha| |A||B| + |beta| |C|; infinite where one is
    /// Inf or NaN and should not, or the other way round.
    double error_of(const std::vector<float>& got) const;
    /// Twice the error of FFMA, one product after the other, and 5 * 2^-24 where that is less: a sum of
    /// few products may be exact by chance.
    double limit() const { return limit_; }

  private:
    std::vector<float> multiply_by_ffma(const reference::Factors& factors) const;

    int64_t m_, n_, k_;
    Call call_;
    Memory a_, b_, c_;
    reference::Tolerance smallest_;  ///< Of denormals, whose roundings are not relative.
    reference::Rows exact_;
    double limit_;
};

/// Which ways to compute a product are tried, in each mode that claims FP32's accuracy: the library's own
/// choice, and on a GPU all kernels of the mode, each with parts of k too. In CPU mode the next in turn
/// that runs the problem, as tensor cores are slow there.
struct Ways {
    int64_t most_k = 1024;  ///< For tensor cores of CPU mode.
    bool fp16x3 = true;  ///< False for data of which docs/accuracy.md says that FP16X3 is no FP32.
};

/// run(handle, kernel) is told which kernel to take, "" for the library's choice, and says whether it
/// runs the problem.
void for_each_way(int64_t k, const Ways& ways,
                  const std::function<bool(tilewright_handle_t, const std::string&)>& run);

/// The error of each way is within the limit.
void expect_accurate(const reference::Factors& factors, const Call& call = {},
                     const Ways& ways = {});

}  // namespace tilewright::test
