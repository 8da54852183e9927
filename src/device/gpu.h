// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words as nvcc sees them: almost nothing, so that a kernel compiles to what it says.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <cuda_runtime.h>

#include "core/kernel.h"
#endif

// nvcc 13.0 writes the host stub of a kernel whose template argument is a struct with the struct's
// mangled name, which does not compile outside the global namespace unless that name means the
// type.
using _ZN10tilewright10TileConfigE = tilewright::TileConfig;

#define UNROLL _Pragma("unroll")
#define UNROLL_BY(count) UNROLL_PRAGMA(unroll count)
#define UNROLL_PRAGMA(text) _Pragma(#text)
/// An array in shared memory: SHARED(float, As, rows, columns). On 16 bytes, as float4 needs it.
#define SHARED(type, name, ...) \
    __shared__ __align__(16) type name[::tilewright::product(__VA_ARGS__)]
/// Likewise, `offset` bytes (a multiple of 16) into the shared memory whose size the launch says:
/// for more than the 48 KiB that arrays of static size may have together.
#define DYNAMIC_SHARED(type, name, offset, ...)            \
    static_assert(::tilewright::product(__VA_ARGS__) > 0); \
    type* const name = reinterpret_cast<type*>(::tilewright::dynamic_shared + (offset))

namespace tilewright::inline TILEWRIGHT_TARGET {

/// On 1024 bytes, as a swizzled tile of the TMA needs it.
extern __shared__ __align__(1024) unsigned char dynamic_shared[];

template <class T>
using GlobalPtr = T*;
template <class T>
using SharedPtr = T*;

/// A vector access: one instruction of sizeof(V) bytes; the address must be a multiple of that.
template <class V, class T>
__device__ __forceinline__ V ld(const T* p) {
    return *reinterpret_cast<const V*>(p);
}
template <class V, class T>
__device__ __forceinline__ void st(T* p, V value) {
    *reinterpret_cast<V*>(p) = value;
}

/// A vector that is not soon read again: the first to leave the L2 cache.
template <class V, class T>
__device__ __forceinline__ void st_streaming(T* p, V value) {
    __stcs(reinterpret_cast<V*>(p), value);
}

/// A scalar or vector access that the compiler must neither merge nor leave out: what a counter is
/// to show on the GPU, or a word that other blocks write.
template <class V, class T>
__device__ __forceinline__ V ld_volatile(const T* p) {
    if constexpr (sizeof(V) == 16) {
        V v;
        asm volatile("ld.volatile.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(p)
                     : "memory");
        return v;
    } else {
        return *reinterpret_cast<const volatile V*>(p);
    }
}
template <class V, class T>
__device__ __forceinline__ void st_volatile(T* p, V value) {
    if constexpr (sizeof(V) == 16)
        asm volatile("st.volatile.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(value.x),
                     "f"(value.y), "f"(value.z), "f"(value.w)
                     : "memory");
    else
        *reinterpret_cast<volatile V*>(p) = value;
}

/// Four neighbours into four registers, as one 16-byte access.
template <class T>
__device__ __forceinline__ void ld4(float* to, const T* from) {
    const float4 v = ld<float4>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

__device__ __forceinline__ unsigned bits_of(float value) {
    return __float_as_uint(value);
}
__device__ __forceinline__ float float_of(unsigned bits) {
    return __uint_as_float(bits);
}

/// a * b + c, rounded once.
__device__ __forceinline__ float fma_(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}

/// True when every row of a matrix starts on a 16-byte boundary.
__device__ __forceinline__ bool rows_aligned(const float* p, int64_t ld) {
    return reinterpret_cast<unsigned long long>(p) % 16 == 0 && ld % 4 == 0;
}

#if !defined(__CUDACC_RTC__)
using Grid = dim3;

/// CPU mode keeps a matrix's extent beside its pointer; the GPU has nothing to keep.
struct Bounds {
    Bounds(const void*, int64_t, int64_t, int64_t, const char*) {}
};
template <class T>
GlobalPtr<T> global_ptr(T* p, const Bounds&) {
    return p;
}

/// Launches, and reports a refused launch; a fault while running surfaces at the next synchronise.
/// `cluster` blocks, neighbours along x, are a cluster; more than one need compute capability 9.0.
/// `dynamic_bytes` of shared memory for DYNAMIC_SHARED arrays.
template <class... Parameters, class... Arguments>
Status launch_clusters(unsigned cluster, void (*kernel)(Parameters...), Grid grid, Grid block,
                       int dynamic_bytes, const Execution& execution, Arguments... arguments) {
    // An error that an earlier, unrelated call left behind is the caller's: it must not be taken
    // for ours, so the launch itself returns the status.
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = static_cast<size_t>(dynamic_bytes);
    config.stream = static_cast<cudaStream_t>(execution.stream);
    cudaLaunchAttribute attributes[2]{};
    config.attrs = attributes;
    if (execution.overlaps) {
        cudaLaunchAttribute& overlaps = attributes[config.numAttrs++];
        overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlaps.val.programmaticStreamSerializationAllowed = 1;
    }
    if (cluster > 1) {
        cudaLaunchAttribute& together = attributes[config.numAttrs++];
        together.id = cudaLaunchAttributeClusterDimension;
        together.val.clusterDim = {cluster, 1, 1};
    }
    cudaError_t error = cudaSuccess;
    const char* call = "cudaFuncSetAttribute";
    // More than 48 KiB, a kernel's own arrays among them, must be asked for; a call too many takes as
    // long as a launch.
    constexpr int kAlwaysThere = 40 * 1024;
    if (dynamic_bytes > kAlwaysThere)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     dynamic_bytes);
    if (error == cudaSuccess) {
        call = "cudaLaunchKernelEx";
        error = cudaLaunchKernelEx(&config, kernel, arguments...);
    }
    if (error == cudaSuccess) return {};
    const std::string cause =
        error == cudaErrorNoKernelImageForDevice
            ? "; this program was built for other architectures than this GPU's"
        : error == cudaErrorInvalidConfiguration
            ? "; the grid or block is larger than this GPU allows"
        : error == cudaErrorInvalidValue && dynamic_bytes > 0
            ? "; it asks for " + std::to_string(dynamic_bytes) + " bytes of dynamic shared memory"
            : "";
    return {error == cudaErrorNoKernelImageForDevice ? StatusCode::architecture_mismatch
                                                     : StatusCode::execution_failed,
            std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                ")" + cause};
}

/// Each block by itself.
template <class... Parameters, class... Arguments>
Status launch_kernel(void (*kernel)(Parameters...), Grid grid, Grid block, int dynamic_bytes,
                     const Execution& execution, Arguments... arguments) {
    return launch_clusters(1, kernel, grid, block, dynamic_bytes, execution, arguments...);
}

/// Bytes that are zero when the next launch runs.
inline Status set_to_zero(void* p, int64_t bytes, const Execution& execution) {
    const cudaError_t error = cudaMemsetAsync(p, 0, static_cast<size_t>(bytes),
                                              static_cast<cudaStream_t>(execution.stream));
    if (error == cudaSuccess) return {};
    return {StatusCode::execution_failed, std::string("cudaMemsetAsync: ") +
                                              cudaGetErrorName(error) + " (" +
                                              cudaGetErrorString(error) + ")"};
}

/// One block for each tile of a matrix, numbered along m; `result` is to be written by them.
template <class... Parameters, class... Arguments>
Status launch_tiles(void (*kernel)(Parameters...), int64_t tiles_m, int64_t tiles_n, Grid block,
                    int dynamic_bytes, const Execution& execution, const Bounds*,
                    Arguments... arguments) {
    return launch_kernel(kernel, Grid(static_cast<unsigned>(tiles_m * tiles_n)), block,
                         dynamic_bytes, execution, arguments...);
}
#endif

}  // namespace tilewright::inline TILEWRIGHT_TARGET
