// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the engine's kernels share on the device: a problem in any layout, and how a tile of an
// operand gets into shared memory.
//
// All tiles lie there alike, whatever the layout: by rows of k, so that a fragment of neighbours
// along m or n is one vector load, and one inner loop serves all four transposes. An operand whose
// memory runs along k is transposed on the way, by asynchronous copies of single words.
#pragma once

#include "device/kernel.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// How the elements of an operand follow each other in memory. X is m for A and n for B.
enum class Run {
    x_vectors,  ///< Along X, rows of k on 16-byte boundaries.
    x,  ///< Along X.
    k,  ///< Along k.
};

/// Element (x, k) of matrix b of the batch lies at data[b * stride + x * ld + k] where elements run
/// along k, and at data[b * stride + k * ld + x] where they run along X.
struct Operand {
    GlobalPtr<const float> data;
    int64_t ld, stride;
    Run run;

    __device__ GlobalPtr<const float> at(int64_t batch, int64_t x, int64_t k) const {
        return data + batch * stride + (run == Run::k ? x * ld + k : k * ld + x);
    }
};

/// A Problem as the engine's kernels see it. k is 0 where the host knows that A and B must not be
/// read.
struct Gemm {
    int64_t m, n, k;
    Operand A, B;
    GlobalPtr<float> C;
    int64_t ldc, stride_c;
    float alpha, beta;
    bool scalars_on_device;
    GlobalPtr<const float> alpha_at, beta_at;
};

struct Scalars {
    float alpha, beta;
};

/// Where alpha is 0 the products must not be computed: 0 * NaN is none of the result. Where k is 0
/// there are none, and alpha, which may be NaN, is taken for 0.
__device__ __forceinline__ Scalars scalars_of(const Gemm& p) {
    if (!p.scalars_on_device) return {p.alpha, p.beta};
    return {p.k == 0 ? 0.0f : p.alpha_at[0], p.beta_at[0]};
}

/// Copies a tile of kX by kDepth elements whose first lies at X, of which `width` by `depth` exist,
/// to rows of k that are kPitch apart; zeros for the rest. All kThreads take part. kInterior: all of
/// it exists. kUnroll: steps that are unrolled, fewer where registers are short.
template <int kX, int kDepth, int kPitch, int kThreads, int kUnroll, Run kRun, bool kInterior>
__device__ void copy_tile(GlobalPtr<const float> X, int64_t ld, int width, int depth,
                          SharedPtr<float> to, int thread) {
    if constexpr (kRun == Run::k) {
        // Eight words of k are a sector, and four rows of them a warp's copy: with a pitch of 4
        // modulo 32 the words then go to 32 different banks.
        constexpr int ROWS = kThreads / 8 < kX ? kThreads / 8 : kX;  // of X, in one step
        constexpr int STEP_K = kThreads / ROWS;
        static_assert(kThreads % (8 * ROWS) == 0 && kX % ROWS == 0);
        const int row = thread / 8 % ROWS, col = thread % 8 + thread / 8 / ROWS * 8;
        if (STEP_K > kDepth && col >= kDepth) return;
        X += row * ld + col;
        to += col * kPitch + row;
        UNROLL_BY(kUnroll)
        for (int x = 0; x < kX; x += ROWS) {
            UNROLL
            for (int k = 0; k < kDepth; k += STEP_K) {
                const bool exists = kInterior || (row + x < width && col + k < depth);
                cp_async<4>(to + k * kPitch + x, X + k, exists ? 4 : 0);
            }
            X += ROWS * ld;
        }
    } else {
        constexpr int WORDS = kRun == Run::x_vectors ? 4 : 1;
        constexpr int COLS = kX / WORDS < kThreads ? kX / WORDS : kThreads;  // of X, in one step
        constexpr int ROWS = kThreads / COLS;  // of k, likewise
        static_assert(kThreads % COLS == 0 && kX % (COLS * WORDS) == 0);
        const int row = thread / COLS, col = thread % COLS * WORDS;
        if (ROWS > kDepth && row >= kDepth) return;
        X += row * ld + col;
        to += row * kPitch + col;
        UNROLL_BY(4 * kUnroll)
        for (int k = 0; k < kDepth; k += ROWS) {
            UNROLL
            for (int x = 0; x < kX; x += COLS * WORDS) {
                const int left = row + k < depth ? width - col - x : 0;
                const int words = left < 0 ? 0 : left < WORDS ? left : WORDS;
                cp_async<4 * WORDS>(to + k * kPitch + x, X + x, 4 * (kInterior ? WORDS : words));
            }
            X += ROWS * ld;
        }
    }
}

/// The same, with what is known when the kernel runs.
template <int kX, int kDepth, int kPitch, int kThreads, int kUnroll>
__device__ void copy_tile(const Operand& operand, GlobalPtr<const float> X, int width, int depth,
                          SharedPtr<float> to, int thread) {
    const auto copy = [&]<Run kRun>() {
        if (width == kX && depth == kDepth)
            copy_tile<kX, kDepth, kPitch, kThreads, kUnroll, kRun, true>(X, operand.ld, width,
                                                                         depth, to, thread);
        else
            copy_tile<kX, kDepth, kPitch, kThreads, kUnroll, kRun, false>(X, operand.ld, width,
                                                                          depth, to, thread);
    };
    switch (operand.run) {
        case Run::x_vectors:
            return copy.template operator()<Run::x_vectors>();
        case Run::x:
            return copy.template operator()<Run::x>();
        case Run::k:
            return copy.template operator()<Run::k>();
    }
}

/// kCount neighbours into registers, as one access.
template <int kCount, class Pointer>
__device__ void load_fragment(float* to, const Pointer& from) {
    static_assert(kCount == 4 || kCount == 2 || kCount == 1);
    if constexpr (kCount == 4) {
        ld4(to, from);
    } else if constexpr (kCount == 2) {
        const float2 v = ld<float2>(from);
        to[0] = v.x, to[1] = v.y;
    } else {
        to[0] = from[0];
    }
}

/// Four sums in registers of their own. Stored as a vector, accumulators would have to lie in four
/// neighbouring registers from the main loop on, and then meet the fragments in the same bank of the
/// register file: up to half of the loop's FFMAs would take a clock more. Adding 0 is a move that no
/// compiler takes out, as it changes -0.
__device__ __forceinline__ float4 moved4(const float* sums) {
    return {sums[0] + 0.0f, sums[1] + 0.0f, sums[2] + 0.0f, sums[3] + 0.0f};
}

/// C := alpha * sum + beta * C for the next four elements of a row, of which `exist` lie inside the
/// matrix. vectors: rows of C lie on 16-byte boundaries.
__device__ __forceinline__ void store4(const Scalars& scalars, GlobalPtr<float> C, int exist,
                                       bool vectors, const float4& sum) {
    if (vectors && exist >= 4) {
        const float4 c = scalars.beta == 0.0f ? float4{} : ld<float4>(C);
        st(C, float4{scalars.alpha * sum.x + scalars.beta * c.x,
                     scalars.alpha * sum.y + scalars.beta * c.y,
                     scalars.alpha * sum.z + scalars.beta * c.z,
                     scalars.alpha * sum.w + scalars.beta * c.w});
        return;
    }
    const float sums[] = {sum.x, sum.y, sum.z, sum.w};
    UNROLL
    for (int j = 0; j < 4; ++j) {
        if (j >= exist) continue;
        const float c = scalars.beta == 0.0f ? 0.0f : C[j];
        C[j] = scalars.alpha * sums[j] + scalars.beta * c;
    }
}

#if !defined(__CUDACC_RTC__)
/// A matrix of a Problem as it lies in memory.
struct Stored {
    const float* data;
    int64_t rows, cols, ld, stride;
    bool transposed;
};
inline Stored stored_a(const Problem& p) {
    return {p.A,          p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k, p.lda, p.stride_a,
            p.transpose_a};
}
inline Stored stored_b(const Problem& p) {
    return {p.B,          p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n, p.ldb, p.stride_b,
            p.transpose_b};
}

inline bool on_vectors(const float* p, int64_t ld, int64_t stride, int64_t batch) {
    return reinterpret_cast<uintptr_t>(p) % 16 == 0 && ld % 4 == 0 &&
           (batch == 1 || stride % 4 == 0);
}

/// K, or 0 where A and B must not be read for all that the host knows.
constexpr int64_t reads(const Problem& p) {
    return p.device_alpha || p.alpha != 0.0f ? p.k : 0;
}

/// A Problem's matrices as a kernel sees them, and in CPU mode their extents. Outlives the launch.
struct Operands {
    explicit Operands(const Problem& p)
        : reads(engine::reads(p)),
          a(bounds(stored_a(p), p, "A")),
          b(bounds(stored_b(p), p, "B")),
          c(bounds(p.C, p.m, p.n, p.ldc, p.batch, p.stride_c, "C")),
          alpha(p.device_alpha, 1, p.device_alpha ? 1 : 0, 1, "alpha"),
          beta(p.device_beta, 1, p.device_beta ? 1 : 0, 1, "beta"),
          gemm{.m = p.m,
               .n = p.n,
               .k = reads,
               .A = operand(stored_a(p), a, p, !p.transpose_a),
               .B = operand(stored_b(p), b, p, p.transpose_b),
               .C = global_ptr(p.C, c),
               .ldc = p.ldc,
               .stride_c = p.batch == 1 ? 0 : p.stride_c,
               .alpha = reads > 0 ? p.alpha : 0.0f,
               .beta = p.beta,
               .scalars_on_device = p.device_alpha != nullptr,
               .alpha_at = global_ptr(p.device_alpha, alpha),
               .beta_at = global_ptr(p.device_beta, beta)} {}

    int64_t reads;
    Bounds a, b, c, alpha, beta;
    Gemm gemm;

  private:
    /// A batch is bounded by its lowest and highest element alone: its matrices may overlap.
    template <class T>
    static Bounds bounds(T* data, int64_t rows, int64_t cols, int64_t ld, int64_t batch,
                         int64_t stride, const char* name) {
        if (batch == 1) return {data, rows, cols, ld, name};
        const int64_t last = (batch - 1) * stride, span = span_of(rows, cols, ld);
        if (last < 0) return {data + last, 1, span - last, 0, name};
        return {data, 1, last + span, 0, name};
    }
    Bounds bounds(const Stored& x, const Problem& p, const char* name) const {
        if (reads == 0) return {x.data, 0, 0, 1, name};
        return bounds(x.data, x.rows, x.cols, x.ld, p.batch, x.stride, name);
    }
    static Operand operand(const Stored& x, const Bounds& bounds, const Problem& p, bool along_k) {
        const bool vectors = on_vectors(x.data, x.ld, x.stride, p.batch);
        return {.data = global_ptr(x.data, bounds),
                .ld = x.ld,
                .stride = p.batch == 1 ? 0 : x.stride,
                .run = along_k   ? Run::k
                       : vectors ? Run::x_vectors
                                 : Run::x};
    }
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
