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
/// packed where its rows lie off 16-byte boundaries. They lie in a workspace. With kTransposeA false A
/// keeps its order, and is packed as B is.
template <bool kTransposeA = true>
struct PackedOperands {
    PackedOperands(const Problem& problem, Workspace& workspace)
        : operands(problem),
          gemm(operands.gemm),
          packs_a(kTransposeA || !on_vectors(problem.A, problem.lda)),
          packs_b(!on_vectors(problem.B, problem.ldb)),
          lda(ceil_div(kTransposeA ? problem.m : gemm.k, 4) * 4),
          ldb(ceil_div(problem.n, 4) * 4),
          Ap(workspace.take<float>(packs_a ? a_rows() * lda : 0)),
          Bp(workspace.take<float>(packs_b ? gemm.k * ldb : 0)),
          a(Ap, packs_a ? a_rows() : 0, kTransposeA ? problem.m : gemm.k, lda,
            kTransposeA ? "At" : "Ap"),
          b(Bp, packs_b ? gemm.k : 0, problem.n, ldb, "Bp") {}

    /// Launches the pre-pass; from then on `gemm` has its results for A and B.
    Status pack(const Execution& execution) {
        if (packs_a) {
            const GlobalPtr<float> to = global_ptr(Ap, a);
            Status status =
                launch<kTransposeA>(gemm.A, gemm.m, gemm.k, gemm.lda, to, lda, execution);
            if (!status.ok()) return status;
            gemm.A = to, gemm.lda = lda;
        }
        if (packs_b) {
            const GlobalPtr<float> to = global_ptr(Bp, b);
            Status status = launch<false>(gemm.B, gemm.k, gemm.n, gemm.ldb, to, ldb, execution);
            if (!status.ok()) return status;
            gemm.B = to, gemm.ldb = ldb;
        }
        return {};
    }

    template <bool kTranspose>
    static Status launch(GlobalPtr<const float> X, int64_t rows, int64_t cols, int64_t ldx,
                         GlobalPtr<float> to, int64_t ld, const Execution& execution) {
        const int64_t blocks = ceil_div(rows, 64) * ceil_div(cols, 64);
        if (blocks == 0) return {};
        if (Status status = check_pass(blocks); !status.ok()) return status;
        return launch_kernel(tilewright::TILEWRIGHT_TARGET::pack<kTranspose>,
                             Grid(static_cast<unsigned>(blocks)), 256, 0, execution, X, rows, cols,
                             ldx, to, ld);
    }

    static bool on_vectors(const float* p, int64_t ld) {
        return reinterpret_cast<uintptr_t>(p) % 16 == 0 && ld % 4 == 0;
    }
    int64_t a_rows() const { return kTransposeA ? gemm.k : gemm.m; }

    Operands operands;
    Gemm gemm;
    bool packs_a, packs_b;
    int64_t lda, ldb;
    float *Ap, *Bp;
    Bounds a, b;
};
#endif

}  // namespace tilewright::inline TILEWRIGHT_TARGET
