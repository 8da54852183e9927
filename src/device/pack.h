// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A pre-pass: a matrix, or its transpose, with rows that can be copied 16 bytes at a time. Its time is
// part of the call's.
#pragma once

#include "device/kernel.h"

namespace tilewright::inline TILEWRIGHT_TARGET {

/// 64 x 64 elements a block of 256 threads.
template <bool kTranspose>
__global__ void __launch_bounds__(256) pack(GlobalPtr<const float> X, int64_t rows, int64_t cols,
                                            int64_t ldx, GlobalPtr<float> to, int64_t ld) {
    constexpr int T = 64, STEP = 256 / T;
    SHARED(float, tile, T, T + 1);  // the padding keeps its columns free of bank conflicts
    const int x = threadIdx.x % T, y = threadIdx.x / T;
    const auto tiles = static_cast<unsigned>(ceil_div(cols, T));
    const int64_t row = int64_t{blockIdx.x / tiles} * T, col = int64_t{blockIdx.x % tiles} * T;
    const int height = inside(rows, row, T), width = inside(cols, col, T);
    X += (row + y) * ldx + col + x;
    float value[T / STEP];  // all loads are on their way before the first is waited for
    UNROLL
    for (int i = 0; i < T; i += STEP) {
        value[i / STEP] = y + i < height && x < width ? X[0] : 0.0f;
        X += STEP * ldx;
    }
    UNROLL
    for (int i = 0; i < T; i += STEP) tile[(y + i) * (T + 1) + x] = value[i / STEP];
    __syncthreads();
    to += kTranspose ? (col + y) * ld + row + x : (row + y) * ld + col + x;
    UNROLL
    for (int i = 0; i < T; i += STEP) {
        if (y + i < (kTranspose ? width : height) && x < (kTranspose ? height : width))
            to[0] = kTranspose ? tile[x * (T + 1) + y + i] : tile[(y + i) * (T + 1) + x];
        to += STEP * ld;
    }
}

#if !defined(__CUDACC_RTC__)
/// A problem's operands as kernels want them that copy both by rows of k: A transposed (k x m), and B
/// packed where its rows lie off 16-byte boundaries. They lie in a workspace.
class PackedOperands {
  public:
    PackedOperands(const Problem& problem, Workspace& workspace)
        : packs_b_(reinterpret_cast<uintptr_t>(problem.B) % 16 != 0 || problem.ldb % 4 != 0),
          operands(problem),
          gemm(operands.gemm),
          lda_(ceil_div(problem.m, 4) * 4),
          ldb_(ceil_div(problem.n, 4) * 4),
          At_(workspace.take<float>(gemm.k * lda_)),
          Bp_(workspace.take<float>(packs_b_ ? gemm.k * ldb_ : 0)),
          a_(At_, gemm.k, problem.m, lda_, "At"),
          b_(Bp_, packs_b_ ? gemm.k : 0, problem.n, ldb_, "Bp") {}

    /// Launches the pre-pass; from then on `gemm` has its results for A and B.
    Status pack(const Execution& execution) {
        const GlobalPtr<float> At = global_ptr(At_, a_), Bp = global_ptr(Bp_, b_);
        Status status = launch<true>(gemm.A, gemm.m, gemm.k, gemm.lda, At, lda_, execution);
        gemm.A = At, gemm.lda = lda_;
        if (!packs_b_ || !status.ok()) return status;
        status = launch<false>(gemm.B, gemm.k, gemm.n, gemm.ldb, Bp, ldb_, execution);
        gemm.B = Bp, gemm.ldb = ldb_;
        return status;
    }

  private:
    template <bool kTranspose>
    static Status launch(GlobalPtr<const float> X, int64_t rows, int64_t cols, int64_t ldx,
                         GlobalPtr<float> to, int64_t ld, const Execution& execution) {
        const int64_t blocks = ceil_div(rows, 64) * ceil_div(cols, 64);
        if (blocks == 0) return {};
        return launch_kernel(tilewright::TILEWRIGHT_TARGET::pack<kTranspose>,
                             Grid(static_cast<unsigned>(blocks)), 256, 0, execution, X, rows, cols,
                             ldx, to, ld);
    }

    bool packs_b_;

  public:
    Operands operands;
    Gemm gemm;

  private:
    int64_t lda_, ldb_;
    float *At_, *Bp_;
    Bounds a_, b_;
};
#endif

}  // namespace tilewright::inline TILEWRIGHT_TARGET
