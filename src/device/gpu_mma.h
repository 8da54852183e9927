// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words for tensor cores. TF32 has 8 bits of exponent as FP32, and 10 of significand; FP16
// 5 and 10; BF16 8 and 7. PTX ISA, sections on cvt, mma and wgmma.mma_async.
#pragma once

#include "device/gpu_hopper.h"

namespace tilewright::inline TILEWRIGHT_TARGET {

/// The nearest number of TF32, of two the one away from zero; beyond the largest, Inf. Tensor cores
/// do not look at the lower 13 bits: what is not rounded is cut.
__device__ __forceinline__ float to_tf32(float value) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

/// The nearest number of FP16, of two the even one; beyond the largest, Inf.
__device__ __forceinline__ float to_f16(float value) {
    unsigned short bits;
    float nearest;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    asm("cvt.f32.f16 %0, %1;" : "=f"(nearest) : "h"(bits));
    return nearest;
}
/// The nearest number of BF16, of two the even one; beyond the largest, Inf.
__device__ __forceinline__ float to_bf16(float value) {
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return __uint_as_float(static_cast<unsigned>(bits) << 16);
}
/// Two of FP16, rounded, in a word; `lower` comes first along k.
__device__ __forceinline__ float pack_f16(float lower, float upper) {
    unsigned word;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(upper), "f"(lower));
    return __uint_as_float(word);
}
/// Likewise of BF16.
__device__ __forceinline__ float pack_bf16(float lower, float upper) {
    unsigned word;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(upper), "f"(lower));
    return __uint_as_float(word);
}

/// Loads what mma.sync takes: of four matrices of 8 rows by 16 bytes in shared memory, word t of row g
/// of each goes to lane 4 g + t. Row `row` of matrix `matrix` begins at at(matrix, row), on 16 bytes. All
/// lanes come to it together.
template <class At>
__device__ __forceinline__ void ldmatrix(float (&to)[4], int lane, const At& at) {
    unsigned words[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(shared_address(at(lane / 8, lane % 8)))
                 : "memory");
    UNROLL
    for (int i = 0; i < 4; ++i) to[i] = __uint_as_float(words[i]);
}

/// d += a b by a warp, 16 x 8 x 8: lane 4 g + t holds of A rows g, g + 8, then the same of column
/// t + 4 after t; of B rows t, t + 4 of column g; of the result columns 2 t, 2 t + 1 of row g, then
/// of row g + 8. All lanes come to it together.
__device__ __forceinline__ void mma_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// The same of words of two, 16 x 8 x 16: what is said above of columns of A and rows of B holds for
/// words.
#define TILEWRIGHT_MMA_16(format)                                                           \
    __device__ __forceinline__ void mma_##format(float(&d)[4], const float(&a)[4],          \
                                                 const float(&b)[2]) {                      \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." #format "." #format           \
                     ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                       \
                     : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),              \
                       "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),              \
                       "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));             \
    }
TILEWRIGHT_MMA_16(f16)
TILEWRIGHT_MMA_16(bf16)
#undef TILEWRIGHT_MMA_16

/// A tile in shared memory as wgmma takes it, in rows of all the swizzle's bytes: its first row, at the k
/// to begin with. PTX ISA, "Matrix Descriptor".
template <Swizzle kSwizzle>
class WgmmaOperand {
  public:
    __device__ __forceinline__ explicit WgmmaOperand(const float* tile)
        : address_(shared_address(tile) / 16) {}

    /// So many words on, a multiple of four: along k, or to a tile on 1024 bytes.
    __device__ __forceinline__ WgmmaOperand operator+(int words) const {
        WgmmaOperand other = *this;
        other.address_ += words / 4;
        return other;
    }
    __device__ __forceinline__ unsigned long long descriptor() const {
        static_assert(kSwizzle != Swizzle::none);
        constexpr unsigned long long kLayout = (kSwizzle == Swizzle::bytes128 ? 1ull : 2ull) << 62;
        constexpr unsigned long long kEightRows =  // from 8 rows to the next 8
            static_cast<unsigned long long>(kSwizzle) * 8 / 16 << 32;
        constexpr unsigned long long kUnused = 1ull << 16;  // stride along k, of unswizzled tiles
        return kLayout | kEightRows | kUnused | address_;
    }

  private:
    unsigned address_;  ///< In pieces of 16 bytes: no offset carries out of the field's 14 bits.
};
__device__ __forceinline__ unsigned long long wgmma_tf32_operand(const float* tile) {
    return WgmmaOperand<Swizzle::bytes128>(tile).descriptor();
}

#define ACCUMULATORS_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define ACCUMULATORS_16(i) \
    ACCUMULATORS_4(i), ACCUMULATORS_4(i + 4), ACCUMULATORS_4(i + 8), ACCUMULATORS_4(i + 12)

/// Begins d += a b by a warpgroup, four warps of a rank that 4 divides: 64 x N x 8, both operands in
/// shared memory with their rows along k: 64 rows of A, N of B's transpose. Warp w has rows 16 w to
/// 16 w + 15; its lane 4 g + t holds, for every 8 columns, what mma_tf32 gives it of them. Until the
/// wait, neither d nor the tiles may be touched. Traps on what is newer than sm_90a.
template <int N>
__device__ __forceinline__ void wgmma_tf32(float (&d)[N / 2], const float* a, const float* b) {
    static_assert(N == 128 || N == 256);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if constexpr (N == 256)
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {"
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
            "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
            "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
            "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "
            "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
            "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
            "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
            "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "
            "%126, %127"
            "}, %128, %129, 1, 1, 1;"
            : ACCUMULATORS_16(0), ACCUMULATORS_16(16), ACCUMULATORS_16(32), ACCUMULATORS_16(48),
              ACCUMULATORS_16(64), ACCUMULATORS_16(80), ACCUMULATORS_16(96), ACCUMULATORS_16(112)
            : "l"(wgmma_tf32_operand(a)), "l"(wgmma_tf32_operand(b)));
    else
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
            "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
            "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
            "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
            "}, %64, %65, 1, 1, 1;"
            : ACCUMULATORS_16(0), ACCUMULATORS_16(16), ACCUMULATORS_16(32), ACCUMULATORS_16(48)
            : "l"(wgmma_tf32_operand(a)), "l"(wgmma_tf32_operand(b)));
#elif __CUDA_ARCH__ >= 900  // before, the copy of a tile traps; ptxas 13.0 crashes on more traps
    __trap();
#endif
}
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define REGISTERS_64                                                                   \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define REGISTERS_96                                                                   \
    REGISTERS_64                                                                       \
    ", "                                                                               \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define ACCUMULATORS_64 \
    ACCUMULATORS_16(0), ACCUMULATORS_16(16), ACCUMULATORS_16(32), ACCUMULATORS_16(48)
#define WGMMA_16(format, n, registers, operands, begins_at, ...)                       \
    asm volatile("{ .reg .pred p; setp.eq.u32 p, " begins_at                           \
                 ", 0; "                                                               \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." #format "." #format \
                 " {" registers "}, " operands "; }"                                   \
                 : __VA_ARGS__                                                         \
                 : "l"(a.descriptor()), "l"(b.descriptor()), "r"(static_cast<unsigned>(begins)))
#elif __CUDA_ARCH__ >= 900
#define WGMMA_16(...) __trap()
#else
#define WGMMA_16(...)
#endif
/// The same of words of two, 64 x N x 16, and of tiles in either swizzle. `begins`: d is a b, whatever
/// it was.
#define TILEWRIGHT_WGMMA_16(format)                                                                \
    template <int N, Swizzle kSwizzle>                                                             \
    __device__ __forceinline__ void wgmma_##format(float(&d)[N / 2], WgmmaOperand<kSwizzle> a,     \
                                                   WgmmaOperand<kSwizzle> b, bool begins) {        \
        static_assert(N == 128 || N == 192);                                                       \
        if constexpr (N == 192)                                                                    \
            WGMMA_16(format, 192, REGISTERS_96, "%96, %97, p, 1, 1, 0, 0", "%98", ACCUMULATORS_64, \
                     ACCUMULATORS_16(64), ACCUMULATORS_16(80));                                    \
        else                                                                                       \
            WGMMA_16(format, 128, REGISTERS_64, "%64, %65, p, 1, 1, 0, 0", "%66",                  \
                     ACCUMULATORS_64);                                                             \
    }
TILEWRIGHT_WGMMA_16(f16)
TILEWRIGHT_WGMMA_16(bf16)
#undef TILEWRIGHT_WGMMA_16
#undef WGMMA_16
#undef ACCUMULATORS_64
#undef REGISTERS_96
#undef REGISTERS_64
#undef ACCUMULATORS_16
#undef ACCUMULATORS_4

/// Comes before the first wgmma_tf32 after d was written otherwise.
__device__ __forceinline__ void wgmma_fence() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
/// Makes a group of the warpgroup's wgmma since the last one.
__device__ __forceinline__ void wgmma_commit() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
/// Waits until at most kGroups of them are under way, all of which may still write d.
template <int kGroups, int kSize>
__device__ __forceinline__ void wgmma_wait(float (&d)[kSize]) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
#endif
    UNROLL
    for (int i = 0; i < kSize; ++i)  // what reads d stays behind the wait
        asm volatile("" : "+f"(d[i])::"memory");
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
