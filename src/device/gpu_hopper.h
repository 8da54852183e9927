// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words that Hopper (sm_90) brought: the tensor memory accelerator (TMA), registers that warps
// hand over, overlapping launches, clusters (PTX ISA). They compile for older architectures too, and trap
// there: a rung says what it needs in its definition.
#pragma once

#include "device/gpu_sync.h"

#if !defined(__CUDACC_RTC__)
#include <cuda.h>
#endif

namespace tilewright::inline TILEWRIGHT_TARGET {

/// Rows of that many bytes whose pieces of 16 change places, so that a column of them meets all
/// banks: row r of 64 bytes keeps piece p at place p ^ (r / 2 % 4), one of 128 at p ^ (r % 8). The
/// tile begins on 8 rows, after which the pattern comes again: 512 or 1024 bytes.
enum class Swizzle { none, bytes64 = 64, bytes128 = 128 };

/// A matrix and the box of it that one copy brings, in the engine's own form. A kernel takes it as
/// `const __grid_constant__ TensorMap`.
struct alignas(64) TensorMap {
    unsigned long long words[16];
};

/// One thread's copy of the box that begins at (row, col), zero where it leaves the matrix. All its
/// bytes count for the barrier's phase, zeros too. `to` is on 128 bytes.
__device__ __forceinline__ void cp_async_bulk_tensor(float* to, const TensorMap& map, int row,
                                                     int col, Barrier* barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier))
        : "memory");
#else
    __trap();
#endif
}

/// Likewise, from matrix `slice` of a map of several.
__device__ __forceinline__ void cp_async_bulk_tensor(float* to, const TensorMap& map, int slice,
                                                     int row, int col, Barrier* barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
        "l"(&map), "r"(col), "r"(row), "r"(slice), "r"(shared_address(barrier))
        : "memory");
#else
    __trap();
#endif
}

/// For launches that overlap (Execution::overlaps): returns when all that was before in the stream
/// has ended, and its writes are seen. Nothing in global memory may be touched before.
__device__ __forceinline__ void wait_for_stream() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Once all blocks have said so, the next launch's may come, where there is room for them.
__device__ __forceinline__ void let_stream_go_on() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Of the running block among those of its cluster, from 0 on.
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}
/// A barrier of all threads of a cluster that have not ended, in two halves: what they do before they
/// arrive is seen by those that have waited. Each thread does both in turn. Warps need not be together.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#else
    __trap();
#endif
}
/// The same for who has only read: nothing is seen for it, and no store is waited for.
__device__ __forceinline__ void cluster_arrive_relaxed() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#else
    __trap();
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

/// A place in the shared memory of a block of the cluster, which must not have ended.
template <class T>
struct ClusterPtr {
    unsigned address;

    __device__ ClusterPtr operator+(int elements) const {
        return {address + elements * static_cast<unsigned>(sizeof(T))};
    }
};
/// Where the block of that rank has what lies at `p` in this one's shared memory.
template <class T>
__device__ __forceinline__ ClusterPtr<T> map_shared_rank(const T* p, unsigned rank) {
    unsigned address = 0;
#if __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
#endif
    return {address};
}
template <class V>
__device__ __forceinline__ V ld(ClusterPtr<float> p) {
    static_assert(sizeof(V) == 16, "four neighbours");
    V v{};
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(p.address)
                 : "memory");
#endif
    return v;
}

/// All warps of a group of four take registers from, or give them back to, the multiprocessor's
/// free ones. The kernel must have been compiled for a number in between (__launch_bounds__).
template <int kRegisters>
__device__ __forceinline__ void setmaxnreg_inc() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
#endif
}
template <int kRegisters>
__device__ __forceinline__ void setmaxnreg_dec() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
#endif
}

#if !defined(__CUDACC_RTC__)
/// Equal matrices, `stride` elements from one to the next.
struct Slices {
    int64_t count, stride;
};

/// Describes a row-major matrix. The TMA wants it on 16 bytes and rows a multiple of that apart,
/// boxes of at most 256 x 256, and box rows of whole 16 bytes, no longer than the swizzle's where
/// there is one. With `slices` a copy names one of them; strides are multiples of 16 bytes.
inline Status make_tensor_map(TensorMap& map, const float* origin, int64_t rows, int64_t cols,
                              int64_t ld, int box_rows, int box_cols,
                              Swizzle swizzle = Swizzle::none, const Slices* slices = nullptr) {
    // Through the runtime, so that nothing links libcuda, which a machine without a GPU lacks.
    static const auto encode = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        const cudaError_t error = cudaGetDriverEntryPointByVersion(
            "cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
        return error == cudaSuccess ? reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)
                                    : nullptr;
    }();
    if (!encode)
        return {StatusCode::not_supported,
                "the driver has no cuTensorMapEncodeTiled: it is older "
                "than CUDA 12"};
    static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows),
                                slices ? static_cast<cuuint64_t>(slices->count) : 1};
    const cuuint64_t strides[] = {
        static_cast<cuuint64_t>(ld) * sizeof(float),
        slices ? static_cast<cuuint64_t>(slices->stride) * sizeof(float) : 0};
    const cuuint32_t box[] = {static_cast<cuuint32_t>(box_cols), static_cast<cuuint32_t>(box_rows),
                              1};
    const cuuint32_t steps[] = {1, 1, 1};
    const CUresult result = encode(
        reinterpret_cast<CUtensorMap*>(&map), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, slices ? 3 : 2,
        const_cast<float*>(origin), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        swizzle == Swizzle::none      ? CU_TENSOR_MAP_SWIZZLE_NONE
        : swizzle == Swizzle::bytes64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                      : CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS) return {};
    return {StatusCode::invalid_value,
            "cuTensorMapEncodeTiled: error " + std::to_string(result) + " for a " +
                std::to_string(rows) + " x " + std::to_string(cols) + " matrix, rows " +
                std::to_string(ld) + " elements apart, boxes of " + std::to_string(box_rows) +
                " x " + std::to_string(box_cols) + ", a swizzle of " +
                std::to_string(static_cast<int>(swizzle)) + " bytes"};
}
#endif

}  // namespace tilewright::inline TILEWRIGHT_TARGET
