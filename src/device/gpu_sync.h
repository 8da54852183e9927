// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words that copy asynchronously or meet other threads: PTX, by its own names (PTX ISA,
// sections on cp.async, mbarrier, cp.async.bulk, ld, st and atom).
#pragma once

#include "device/gpu.h"

namespace tilewright::inline TILEWRIGHT_TARGET {

/// What is the same in all lanes of a warp, so that the compiler knows it too and keeps it, and what
/// follows from it, in uniform registers. All lanes come to it together.
__device__ __forceinline__ int warp_uniform(int value) {
    return __shfl_sync(0xffffffff, value, 0);
}

template <class T>
__device__ __forceinline__ unsigned shared_address(const T* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// Copies kBytes (4, 8 or 16, and both addresses multiples of that) into shared memory without
/// registers; the bytes from `valid_bytes` on become zero and are not read.
template <int kBytes>
__device__ __forceinline__ void cp_async(float* to, const float* from, int valid_bytes = kBytes) {
    static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
    if constexpr (kBytes == 16)  // .cg passes by the L1 cache, and exists for 16 bytes alone
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(valid_bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                     "l"(from), "n"(kBytes), "r"(valid_bytes)
                     : "memory");
}
/// Makes a group of the thread's copies since the last one.
__device__ __forceinline__ void cp_async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most kGroups of the thread's own groups are under way. Other threads' copies, and
/// other threads that are to see one's own, need a barrier besides.
template <int kGroups>
__device__ __forceinline__ void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

/// SHARED(Barrier, full, stages) declares mbarriers; one thread initialises them, and a
/// __syncthreads() comes before their first use.
struct Barrier {
    unsigned long long state;
};

/// A phase is complete when `arrivals` threads have arrived and all announced bytes are copied.
__device__ __forceinline__ void mbarrier_init(Barrier* barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the TMA must see it
#endif
}
__device__ __forceinline__ void mbarrier_arrive(Barrier* barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
                     shared_address(barrier))
                 : "memory");
}
/// Arrives, and announces bytes that copies will bring. Traps on less than sm_90.
__device__ __forceinline__ void mbarrier_arrive_expect(Barrier* barrier, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
#else
    __trap();
#endif
}
/// Waits until the phase of this parity is complete. A new barrier is in phase 0, so that waiting
/// for parity 1 passes at once.
__device__ __forceinline__ void mbarrier_wait(Barrier* barrier, unsigned parity) {
    unsigned done = 0;
    do {
#if __CUDA_ARCH__ >= 900
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(shared_address(barrier)), "r"(parity)
            : "memory");
#else
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(shared_address(barrier)), "r"(parity)
            : "memory");
#endif
    } while (!done);
}
/// Arrives once all copies that this thread has begun are complete.
__device__ __forceinline__ void cp_async_arrive(Barrier* barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}
/// One thread's copy of many bytes (a multiple of 16, as both addresses) by the TMA; they
/// count for the barrier's phase. Traps on less than sm_90.
__device__ __forceinline__ void cp_async_bulk(float* to, const float* from, unsigned bytes,
                                              Barrier* barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
#else
    __trap();
#endif
}

/// Atomic, and in no order with other accesses; returns the old value.
template <class T>
__device__ __forceinline__ T atomic_add(T* p, T value) {
    return atomicAdd(p, value);
}
/// What the thread did before it is seen by whoever adds there after it, on the whole GPU.
__device__ __forceinline__ unsigned atomic_add_acq_rel(unsigned* p, unsigned value) {
    unsigned before;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(p), "r"(value)
                 : "memory");
    return before;
}
__device__ __forceinline__ unsigned ld_acquire(const unsigned* p) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ __forceinline__ void st_release(unsigned* p, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
