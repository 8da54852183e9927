// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words in CPU mode: the same names as in gpu.h, run by the CPU machine.
//
// cpu_counted sends each access through simt::trace, which checks and records it; an access that
// fails the check is not made, and a load then yields NaN. cpu_fast is plain pointers.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/kernel.h"
#include "simt/block.h"

#define UNROLL
#define UNROLL_BY(count)
/// The static object tells arrays apart, also those of a template's instances.
#define SHARED(type, name, ...)                   \
    static constinit const char name##_place = 0; \
    const auto name = shared<type>(::tilewright::product(__VA_ARGS__), #name, &name##_place)
#define DYNAMIC_SHARED(type, name, offset, ...)   \
    static constinit const char name##_place = 0; \
    const auto name =                             \
        dynamic_shared<type>(offset, ::tilewright::product(__VA_ARGS__), #name, &name##_place)

// CUDA's own words, so that a kernel's head reads the same everywhere.
#define __global__
#define __device__ inline
#define __forceinline__
#define __launch_bounds__(...)

// Macros, as the names must mean the running thread wherever a kernel says them.
#define threadIdx (::tilewright::simt::thread_index)
#define blockIdx (::tilewright::simt::block_index)
#define blockDim (::tilewright::simt::block_extent)
#define gridDim (::tilewright::simt::grid_extent)
#define __syncthreads ::tilewright::simt::syncthreads
#define __syncwarp ::tilewright::simt::syncwarp
#define __threadfence ::tilewright::simt::threadfence

namespace tilewright::inline TILEWRIGHT_TARGET {

using simt::Operation;
using simt::Place;
using simt::Site;
using Grid = simt::Dim3;

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};

/// An mbarrier's place in shared memory; what it counts is the machine's.
struct Barrier {
    uint64_t state;
};

/// The elements of a matrix, or any array of 4-byte elements, that a kernel may touch. Lives as long
/// as the launch. One that is not const is watched for races between blocks.
class Bounds : public simt::Extent {
  public:
    template <class T>
    Bounds(T* p, int64_t rows, int64_t cols, int64_t ld, const char* name)
        : Extent{.name = name,
                 .begin = reinterpret_cast<uintptr_t>(p),
                 .end = reinterpret_cast<uintptr_t>(p) +
                        static_cast<uintptr_t>(span_of(rows, cols, ld)) * sizeof(T),
                 .rows = rows,
                 .cols = cols,
                 .ld = ld} {
        static_assert(sizeof(T) == 4);
        if (std::is_const_v<T> || !TILEWRIGHT_COUNTED) return;
        shadow_ = std::make_unique<simt::GlobalShadow>(span_of(rows, cols, ld));
        shadow = shadow_.get();
    }

  private:
    std::unique_ptr<simt::GlobalShadow> shadow_;
};

}  // namespace tilewright::inline TILEWRIGHT_TARGET

#if TILEWRIGHT_COUNTED
#include "device/cpu_counted.h"
#else
#include "device/cpu_fast.h"
#endif

namespace tilewright::inline TILEWRIGHT_TARGET {

/// Four neighbours into four registers, as one 16-byte access.
template <class Pointer>
void ld4(float* to, const Pointer& from, Site site = Site::here()) {
    const float4 v = ld<float4>(from, site);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

inline unsigned bits_of(float value) {
    return std::bit_cast<unsigned>(value);
}
inline float float_of(unsigned bits) {
    return std::bit_cast<float>(bits);
}

/// CUDA's own, for values of 4 bytes.
template <class T>
T __shfl_xor_sync(uint32_t mask, T value, int lane_mask, Site site = Site::here()) {
    return std::bit_cast<T>(
        simt::shuffle_xor(mask, std::bit_cast<uint32_t>(value), lane_mask, site));
}

/// a * b + c, rounded once: the same bits as the GPU's FFMA.
inline float fma_(float a, float b, float c, [[maybe_unused]] Site site = Site::here()) {
    if (TILEWRIGHT_COUNTED) {
        simt::trace_ffma(site);
        for (const float operand : {a, b, c}) check_register(operand, site);
    }
    return std::fma(a, b, c);
}

/// True when every row of a matrix starts on a 16-byte boundary.
inline bool rows_aligned(GlobalPtr<const float> p, int64_t ld) {
    return reinterpret_cast<uintptr_t>(address_of(p)) % 16 == 0 && ld % 4 == 0;
}

/// Bytes that are zero when the next launch runs.
inline Status set_to_zero(void* p, int64_t bytes, const Execution&) {
    std::memset(p, 0, static_cast<size_t>(bytes));
    return {};
}

/// One block for each tile of a matrix, numbered along m; `result` is to be written by them.
template <class... Parameters, class... Arguments>
Status launch_tiles(void (*kernel)(Parameters...), int64_t tiles_m, int64_t tiles_n, Grid block,
                    int dynamic_bytes, const Execution& execution, const Bounds* result,
                    const Arguments&... arguments) {
    return static_cast<simt::Machine*>(execution.stream)
        ->launch({.grid = Grid(static_cast<unsigned>(tiles_m * tiles_n)),
                  .block = block,
                  .counted = TILEWRIGHT_COUNTED,
                  .tile_rows = static_cast<uint64_t>(tiles_m),
                  .result = result,
                  .dynamic_bytes = static_cast<size_t>(dynamic_bytes),
                  .thread = [&] { kernel(arguments...); }});
}

/// `cluster` blocks, neighbours along x, are a cluster. `dynamic_bytes` of shared memory for
/// DYNAMIC_SHARED arrays.
template <class... Parameters, class... Arguments>
Status launch_clusters(unsigned cluster, void (*kernel)(Parameters...), Grid grid, Grid block,
                       int dynamic_bytes, const Execution& execution,
                       const Arguments&... arguments) {
    return static_cast<simt::Machine*>(execution.stream)
        ->launch({.grid = grid,
                  .block = block,
                  .counted = TILEWRIGHT_COUNTED,
                  .cluster = cluster,
                  .dynamic_bytes = static_cast<size_t>(dynamic_bytes),
                  .thread = [&] { kernel(arguments...); }});
}
template <class... Parameters, class... Arguments>
Status launch_kernel(void (*kernel)(Parameters...), Grid grid, Grid block, int dynamic_bytes,
                     const Execution& execution, const Arguments&... arguments) {
    return launch_clusters(1, kernel, grid, block, dynamic_bytes, execution, arguments...);
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
