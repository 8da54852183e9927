// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words in CPU mode: the same names as in gpu.h, run by the CPU machine.
//
// cpu_counted sends each access through simt::trace, which checks and records it; an access that
// fails the check is not made, and a load then yields NaN. cpu_fast is plain pointers.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "core/kernel.h"
#include "simt/block.h"

#define UNROLL
#define UNROLL_BY(count)
#define SHARED(type, name, ...) \
    const auto name =           \
        shared<type>(::tilewright::product(__VA_ARGS__), #name, ::tilewright::simt::Site::here())

// CUDA's own words, so that a kernel's head reads the same everywhere.
#define __global__
#define __device__ inline
#define __launch_bounds__(...)

// Macros, as the names must mean the running thread wherever a kernel says them.
#define threadIdx (::tilewright::simt::thread_index)
#define blockIdx (::tilewright::simt::block_index)
#define blockDim (::tilewright::simt::block_extent)
#define gridDim (::tilewright::simt::grid_extent)
#define __syncthreads ::tilewright::simt::syncthreads

namespace tilewright::inline TILEWRIGHT_TARGET {

using simt::Operation;
using simt::Site;
using Grid = simt::Dim3;

struct alignas(16) float4 {
    float x, y, z, w;
};

/// The elements of a matrix that a kernel may touch. Lives as long as the launch.
struct Bounds : simt::Extent {
    Bounds(const float* p, int64_t elements, const char* name)
        : Extent{
              name, reinterpret_cast<uintptr_t>(p),
              reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(elements) * sizeof(float)} {}
};

#if TILEWRIGHT_COUNTED

/// What a skipped load yields: a result that used it fails verification.
template <class V>
V poison() {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    if constexpr (std::is_same_v<V, float>)
        return nan;
    else
        return {nan, nan, nan, nan};
}

/// A subscript that remembers where in the source it stands.
struct Index {
    int64_t value;
    Site site;
    template <class Integer>
    requires std::is_integral_v<Integer> Index(Integer value, Site site = Site::here())
        : value(static_cast<int64_t>(value)), site(site) {}
};

/// A pointer that keeps to the array it came from, however far it is moved.
template <class T, Operation kLoad, Operation kStore>
class CheckedPtr {
  public:
    CheckedPtr() = default;
    CheckedPtr(T* p, const simt::Extent* extent) : p_(p), extent_(extent) {}
    template <class U>
    requires std::is_same_v<const U, T> CheckedPtr(const CheckedPtr<U, kLoad, kStore>& other)
        : p_(other.p_), extent_(other.extent_) {}

    class Element {
      public:
        Element(const CheckedPtr& at, Site site) : at_(at), site_(site) {}
        operator float() const { return at_.template load<float>(site_); }
        float operator=(float value) const {
            at_.store(value, site_);
            return value;
        }
        /// A[i] = A[j] copies the element, not the place.
        float operator=(const Element& other) const { return *this = static_cast<float>(other); }
        Element(const Element&) = default;

      private:
        CheckedPtr at_;
        Site site_;
    };

    auto operator[](Index index) const {
        const CheckedPtr at = *this + index.value;
        if constexpr (std::is_const_v<T>)
            return at.template load<float>(index.site);
        else
            return Element(at, index.site);
    }
    /// Through an integer: it may leave its array, or start from null, as long as nothing is
    /// accessed there.
    CheckedPtr operator+(int64_t elements) const {
        const auto bytes = static_cast<uintptr_t>(elements) * sizeof(T);
        return {reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p_) + bytes), extent_};
    }
    CheckedPtr& operator+=(int64_t elements) { return *this = *this + elements; }

    bool operator==(const CheckedPtr& other) const { return p_ == other.p_; }

    template <class V>
    V load(Site site) const {
        if (!simt::trace(kLoad, *extent_, p_, sizeof(V), site)) return poison<V>();
        return *reinterpret_cast<const V*>(p_);
    }
    template <class V>
    void store(V value, Site site) const {
        if (simt::trace(kStore, *extent_, p_, sizeof(V), site)) *reinterpret_cast<V*>(p_) = value;
    }
    const T* address() const { return p_; }

  private:
    template <class, Operation, Operation>
    friend class CheckedPtr;

    T* p_ = nullptr;
    const simt::Extent* extent_ = nullptr;
};

template <class T>
using GlobalPtr = CheckedPtr<T, Operation::global_load, Operation::global_store>;
template <class T>
using SharedPtr = CheckedPtr<T, Operation::shared_load, Operation::shared_store>;

template <class T>
GlobalPtr<T> global_ptr(T* p, const Bounds& bounds) {
    return {p, &bounds};
}
template <class T>
SharedPtr<T> shared(size_t count, const char* name, Site site) {
    const simt::Extent& extent = simt::shared_array(count * sizeof(T), name, site);
    return {reinterpret_cast<T*>(extent.begin), &extent};
}

template <class V, class T, Operation kLoad, Operation kStore>
V ld(const CheckedPtr<T, kLoad, kStore>& p, Site site = Site::here()) {
    return p.template load<V>(site);
}
template <class V, class T, Operation kLoad, Operation kStore>
void st(const CheckedPtr<T, kLoad, kStore>& p, V value, Site site = Site::here()) {
    p.store(value, site);
}

inline const float* address_of(GlobalPtr<const float> p) {
    return p.address();
}

#else

template <class T>
using GlobalPtr = T*;
template <class T>
using SharedPtr = T*;

template <class T>
GlobalPtr<T> global_ptr(T* p, const Bounds&) {
    return p;
}
template <class T>
SharedPtr<T> shared(size_t count, const char* name, Site site) {
    return reinterpret_cast<T*>(simt::shared_array(count * sizeof(T), name, site).begin);
}
template <class V, class T>
V ld(const T* p, Site = {}) {
    return *reinterpret_cast<const V*>(p);
}
template <class V, class T>
void st(T* p, V value) {
    *reinterpret_cast<V*>(p) = value;
}

inline const float* address_of(const float* p) {
    return p;
}

#endif

/// Four neighbours into four registers, as one 16-byte access.
template <class Pointer>
void ld4(float* to, const Pointer& from, Site site = Site::here()) {
    const float4 v = ld<float4>(from, site);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

/// a * b + c, rounded once: the same bits as the GPU's FFMA.
inline float fma_(float a, float b, float c) {
    if (TILEWRIGHT_COUNTED) ++simt::lane.ffma;
    return std::fma(a, b, c);
}

/// True when every row of a matrix starts on a 16-byte boundary.
inline bool rows_aligned(GlobalPtr<const float> p, int64_t ld) {
    return reinterpret_cast<uintptr_t>(address_of(p)) % 16 == 0 && ld % 4 == 0;
}

template <class... Parameters, class... Arguments>
Status launch_kernel(void (*kernel)(Parameters...), Grid grid, Grid block,
                     const Execution& execution, const Arguments&... arguments) {
    return static_cast<simt::Machine*>(execution.stream)
        ->launch(grid, block, TILEWRIGHT_COUNTED, [&] { kernel(arguments...); });
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
