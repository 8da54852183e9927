// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/accuracy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/product.h"

namespace tilewright::test {

namespace {

constexpr double kLeastLimit = 3e-7;

/// rows x cols as it is, or as its transpose.
void store(Memory& memory, const std::vector<float>& from, int64_t rows, int64_t cols,
           bool transposed) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            memory.data()[transposed ? j * rows + i : i * cols + j] = from[i * cols + j];
    memory.make_read_only();
}

tilewright_operation_t operation(bool transposed) {
    return transposed ? TILEWRIGHT_OP_T : TILEWRIGHT_OP_N;
}

bool claims_accuracy(Arithmetic mode) {
    return mode != Arithmetic::tf32;
}

/// Kernels of the mode, each with and without parts of k.
std::vector<std::string> kernels_of(Arithmetic mode) {
    std::vector<std::string> names;
    for (const std::string& name : variant_names())
        if (arithmetic_of(name) == mode) names.insert(names.end(), {name, name + " parts=3"});
    return names;
}

}  // namespace

Trial::Trial(const reference::Factors& f, const Call& call)
    : m_(f.m),
      n_(f.n),
      k_(f.k),
      call_(call),
      a_(f.m * f.k),
      b_(f.k * f.n),
      c_(f.m * f.n),
      smallest_(reference::tolerance(reference::Assumption::worst_case, f.k, call.alpha)) {
    store(a_, f.a, m_, k_, call.ta);
    store(b_, f.b, k_, n_, call.tb);
    if (call.beta != 0) std::fill_n(c_.data(), m_ * n_, 1.0f);
    c_.remember();
    std::vector<int64_t> rows(m_);
    std::iota(rows.begin(), rows.end(), 0);
    exact_ = reference::gemm({.m = m_,
                              .n = n_,
                              .k = k_,
                              .alpha = call.alpha,
                              .A = f.a.data(),
                              .lda = std::max<int64_t>(1, k_),
                              .B = f.b.data(),
                              .ldb = n_,
                              .beta = call.beta,
                              .C = c_.data(),
                              .ldc = n_},
                             std::move(rows));
    limit_ = kLeastLimit;
    limit_ = std::max(limit_, 2 * error_of(multiply_by_ffma(f)));
}

std::vector<float> Trial::multiply_by_ffma(const reference::Factors& f) const {
    std::vector<float> result(m_ * n_);
    for (int64_t i = 0; i < m_; ++i) {
        float* sums = &result[i * n_];
        for (int64_t k = 0; k < (call_.alpha == 0 ? 0 : k_); ++k)
            for (int64_t j = 0; j < n_; ++j)
                sums[j] = std::fma(f.at_a(i, k), f.at_b(k, j), sums[j]);
        for (int64_t j = 0; j < n_; ++j) {
            const float product = call_.alpha == 0 || k_ == 0 ? 0.0f : call_.alpha * sums[j];
            sums[j] =
                call_.beta == 0 ? product : std::fma(call_.beta, c_.data()[i * n_ + j], product);
        }
    }
    return result;
}

double Trial::error_of(const std::vector<float>& got) const {
    double most = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const double want = exact_.want[i], size = exact_.magnitude[i];
        // An overflow on the way to a finite sum is FP32's right, whatever the limit.
        if (std::isfinite(want) && std::isfinite(got[i])) {
            const double error = std::fabs(got[i] - want) - smallest_.absolute;
            if (error > 0) most = std::max(most, error / size);
        } else if (!reference::accepts(got[i], want, size, {kLeastLimit, smallest_.absolute})) {
            return std::numeric_limits<double>::infinity();
        }
    }
    return most;
}

std::optional<std::vector<float>> Trial::run(tilewright_handle_t handle,
                                             const std::string& kernel) {
    c_.restore();
    EXPECT_EQ(tilewright_set_kernel(handle, kernel.c_str()), TILEWRIGHT_STATUS_SUCCESS) << kernel;
    const int64_t lda = std::max<int64_t>(1, call_.ta ? m_ : k_),
                  ldb = std::max<int64_t>(1, call_.tb ? k_ : n_);
    const tilewright_status_t status = tilewright_sgemm(
        handle, TILEWRIGHT_ROW_MAJOR, operation(call_.ta), operation(call_.tb), m_, n_, k_,
        &call_.alpha, a_.data(), lda, b_.data(), ldb, &call_.beta, c_.data(), n_);
    wait();
    if (status == TILEWRIGHT_STATUS_NOT_SUPPORTED && !kernel.empty()) return {};
    EXPECT_EQ(status, TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
    return std::vector<float>(c_.data(), c_.data() + m_ * n_);
}

void for_each_way(int64_t k, const Ways& ways,
                  const std::function<bool(tilewright_handle_t, const std::string&)>& run) {
    static size_t turn = 0;
    const Handle handle;
    for (const Arithmetic mode : kArithmetics) {
        if (!claims_accuracy(mode) || (mode == Arithmetic::fp16x3 && !ways.fp16x3)) continue;
        if (tilewright_set_compute(handle, static_cast<tilewright_compute_t>(mode)) !=
            TILEWRIGHT_STATUS_SUCCESS)
            continue;
        run(handle, "");
        if (!on_gpu() && mode != Arithmetic::fp32 && k > ways.most_k) continue;
        const std::vector<std::string> kernels = kernels_of(mode);
        bool is_done = false;
        for (size_t i = 0; i < kernels.size() && !is_done; ++i)
            is_done = run(handle, kernels[(turn + i) % kernels.size()]) && !on_gpu();
    }
    ++turn;
}

void expect_accurate(const reference::Factors& factors, const Call& call, const Ways& ways) {
    Trial trial(factors, call);
    for_each_way(factors.k, ways, [&](tilewright_handle_t handle, const std::string& kernel) {
        const auto got = trial.run(handle, kernel);
        if (!got) return false;
        EXPECT_LE(trial.error_of(*got), trial.limit())
            << tilewright_last_kernel(handle) << (kernel.empty() ? ", chosen: " : ": ") << factors.m
            << 'x' << factors.n << 'x' << factors.k << ' ' << "NT"[call.ta] << "NT"[call.tb]
            << " alpha " << call.alpha << " beta " << call.beta;
        return true;
    });
}

}  // namespace tilewright::test
