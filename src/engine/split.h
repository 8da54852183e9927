// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Split-K: blocks that share a tile of C leave their sums in a workspace. Of a few, who is last there
// adds them up; of many, a kernel that has the whole GPU for it. Either way in a fixed order, so that
// the bits do not depend on who was last, and nobody waits.
#pragma once

#include "engine/operands.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// So many parts are added up by the block that is last; more take it longer than another launch.
inline constexpr int kMostThatMeet = 8;

/// Which part of k is whose. Parts differ by one k-tile at most.
struct Split {
    int parts, share, rest;  ///< Each has `share` k-tiles, the first `rest` one more.

    HOST_DEVICE int begin(int part) const { return part * share + (part < rest ? part : rest); }
};

struct Parts {
    GlobalPtr<float> sums;  ///< (tiles, parts, elements of a tile)
    GlobalPtr<unsigned> arrived;  ///< (tiles): zero before and after.
};

/// True for all threads of the block that is the last of `parts` to arrive; what the others have
/// written before is then seen. They meet by `meet`.
template <class Meet>
__device__ __forceinline__ bool is_last(GlobalPtr<unsigned> arrived, int parts,
                                        SharedPtr<unsigned> vote, const Meet& meet) {
    __threadfence();
    meet();
    if (threadIdx.x == 0) {
        const unsigned before = atomic_add_acq_rel(arrived, 1u);
        vote[0] = before;
        if (before + 1 == static_cast<unsigned>(parts)) st_release(arrived, 0u);
    }
    meet();
    __threadfence();
    return vote[0] + 1 == static_cast<unsigned>(parts);
}
__device__ __forceinline__ bool is_last(GlobalPtr<unsigned> arrived, int parts,
                                        SharedPtr<unsigned> vote) {
    return is_last(arrived, parts, vote, [] { __syncthreads(); });
}

/// Where the tiles of a batch lie in C: tile t is row tile t % tiles_m of matrix
/// t / (tiles_m * tiles_n), and element (i, j) of C lies at C[i * row_step + j * col_step].
struct Tiling {
    int rows, cols;  ///< Of a tile.
    int64_t m, n, row_step, col_step;
    unsigned tiles_m, tiles_n;
};

/// An element of a tile whose parts lie row by row.
struct RowMajor {
    __device__ static int row(const Tiling& tiling, int e) { return e / tiling.cols; }
    __device__ static int col(const Tiling& tiling, int e) { return e % tiling.cols; }
};

/// C := alpha * (the sum of a tile's parts) + beta * C. Threads have four neighbouring elements each
/// of every kSlices-th part: the more parts, the more threads share an element.
template <int kThreads, int kSlices, class Layout>
__global__ void __launch_bounds__(kThreads)
    add_parts(Gemm p, Tiling tiling, GlobalPtr<const float> sums, int parts) {
    constexpr int LANES = kThreads / kSlices, ELEMENTS = 4 * LANES;
    SHARED(float, slices, kSlices, ELEMENTS);
    wait_for_stream();
    const Scalars scalars = scalars_of(p);
    const unsigned chunks = tiling.rows * tiling.cols / ELEMENTS;
    const unsigned tile = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
    const int lane = threadIdx.x % LANES * 4, slice = threadIdx.x / LANES;
    const int64_t elements = int64_t{tiling.rows} * tiling.cols;
    const GlobalPtr<const float> from = sums + tile * parts * elements + chunk * ELEMENTS + lane;
    float4 sum{};
    UNROLL_BY(8)
    for (int part = slice; part < parts; part += kSlices)
        add4(sum, ld<float4>(from + part * elements));
    st(slices + slice * ELEMENTS + lane, sum);
    __syncthreads();
    for (int i = threadIdx.x; i < ELEMENTS; i += kThreads) {
        const int e = chunk * ELEMENTS + i;
        const unsigned tile_row = tile % tiling.tiles_m, rest = tile / tiling.tiles_m;
        const int64_t row = int64_t{tile_row} * tiling.rows + Layout::row(tiling, e);
        const int64_t col = int64_t{rest % tiling.tiles_n} * tiling.cols + Layout::col(tiling, e);
        if (row >= tiling.m || col >= tiling.n) continue;
        float total = 0.0f;
        UNROLL
        for (int s = 0; s < kSlices; ++s) total += slices[s * ELEMENTS + i];
        const int64_t at =
            rest / tiling.tiles_n * p.stride_c + row * tiling.row_step + col * tiling.col_step;
        const float c = scalars.beta == 0.0f ? 0.0f : p.C[at];
        p.C[at] = scalars.alpha * total + scalars.beta * c;
    }
}

#if !defined(__CUDACC_RTC__)
/// Of tiles of rows by cols, where C has m by n elements, a row's `row_step` apart.
inline Tiling tiling_of(int rows, int cols, int64_t m, int64_t n, int64_t row_step,
                        int64_t col_step) {
    return {rows,
            cols,
            m,
            n,
            row_step,
            col_step,
            static_cast<unsigned>(ceil_div(m, rows)),
            static_cast<unsigned>(ceil_div(n, cols))};
}

template <class Layout = RowMajor>
Status launch_add_parts(const Gemm& p, const Tiling& tiling, int64_t tiles, const Parts& parts,
                        int count, const Execution& execution) {
    constexpr int kThreads = 256;
    const int elements = tiling.rows * tiling.cols;
    const auto add = [&]<int kSlices>() {
        constexpr int kElements = 4 * kThreads / kSlices;
        return launch_kernel(add_parts<kThreads, kSlices, Layout>,
                             Grid(static_cast<unsigned>(tiles * (elements / kElements))),
                             Grid(kThreads), 0, execution, p, tiling, parts.sums, count);
    };
    constexpr int kFew = 4, kMany = 16;
    if (count < kMany && elements % (4 * kThreads / kFew) == 0)
        return add.template operator()<kFew>();
    return add.template operator()<kMany>();
}

/// The place of Parts in a workspace. Outlives the launch.
class PartsStorage {
  public:
    PartsStorage(Workspace& workspace, int64_t tiles, int parts, int64_t elements,
                 unsigned* counters)
        : own_(counters == nullptr && parts > 1),
          tiles_(parts > 1 ? tiles : 0),
          sums_(workspace.take<float>(tiles_ * parts * elements)),
          arrived_(own_ ? workspace.take<unsigned>(tiles_) : counters),
          sum_bounds_(sums_, 1, tiles_ * parts * elements, 0, "sums"),
          arrived_bounds_(arrived_, 1, tiles_, 0, "arrived") {}

    Parts parts() const {
        return {global_ptr(sums_, sum_bounds_), global_ptr(arrived_, arrived_bounds_)};
    }
    Status clear(const Execution& execution) const {
        if (!own_) return {};
        return set_to_zero(arrived_, tiles_ * static_cast<int64_t>(sizeof(unsigned)), execution);
    }

  private:
    bool own_;
    int64_t tiles_;
    float* sums_;
    unsigned* arrived_;
    Bounds sum_bounds_, arrived_bounds_;
};

inline Split split_of(int64_t tiles_k, int parts) {
    const int wanted = parts < 1 ? 1 : parts;
    const int count = tiles_k < wanted ? (tiles_k < 1 ? 1 : static_cast<int>(tiles_k)) : wanted;
    return {count, static_cast<int>(tiles_k / count), static_cast<int>(tiles_k % count)};
}

/// Of tiles of so many elements.
inline Work work_of(const Split& split, int64_t tiles, int elements, int resident) {
    return {.tiles = tiles,
            .blocks = tiles * split.parts,
            .resident = resident,
            .steps = static_cast<double>(split.share + (split.rest > 0)),
            .exchanged = split.parts > 1 ? tiles * split.parts * elements * 4 : 0,
            .parts = split.parts,
            .sharing = split.parts,
            .meet = split.parts <= kMostThatMeet};
}
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
