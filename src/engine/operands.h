// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the engine's kernels share on the device: a problem in any layout, and its result.
#pragma once

#include "device/kernel.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// Element (x, k) of matrix b of the batch lies at data[b * stride + x * ld + k] where memory runs
/// along k, and at data[b * stride + k * ld + x] where it runs along X, which is m for A and n for B.
struct Operand {
    GlobalPtr<const float> data;
    int64_t ld, stride;
    bool along_k;
    bool vectors;  ///< All rows of memory begin on 16-byte boundaries.

    __device__ GlobalPtr<const float> at(int64_t batch, int64_t x, int64_t k) const {
        return data + batch * stride + (along_k ? x * ld + k : k * ld + x);
    }
    /// What the TMA can copy to rows of k.
    HOST_DEVICE bool rows_of_k() const { return !along_k && vectors; }
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

__device__ __forceinline__ void add4(float4& sum, const float4& more) {
    sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
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
        return {.data = global_ptr(x.data, bounds),
                .ld = x.ld,
                .stride = p.batch == 1 ? 0 : x.stride,
                .along_k = along_k,
                .vectors = on_vectors(x.data, x.ld, x.stride, p.batch)};
    }
};
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
