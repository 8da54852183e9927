// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Pointers of cpu_counted: each keeps to its array, and sends what it accesses through simt::trace.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>

namespace tilewright::inline TILEWRIGHT_TARGET {

/// What the compiler fills variables with that a kernel declares and does not initialise; it is
/// asked to by -ftrivial-auto-var-init=pattern.
#if defined(__clang__)
inline constexpr uint32_t kUninitialised = 0xffffffff;
#else
inline constexpr uint32_t kUninitialised = 0xfefefefe;
#endif

inline void check_register(float value, Site site) {
    if (std::bit_cast<uint32_t>(value) == kUninitialised) [[unlikely]]
        simt::report_register(site);
}
inline void check_register(const float2& v, Site site) {
    for (const float value : {v.x, v.y}) check_register(value, site);
}
inline void check_register(const float4& v, Site site) {
    for (const float value : {v.x, v.y, v.z, v.w}) check_register(value, site);
}
template <class T>
requires std::is_integral_v<T>
void check_register(T, Site) {}

/// What a skipped load yields.
template <class V>
V undefined() {
    std::array<uint32_t, sizeof(V) / 4> words;
    words.fill(simt::kUndefinedWord);
    return std::bit_cast<V>(words);
}

/// A subscript that remembers where in the source it stands.
struct Index {
    int64_t value;
    Site site;
    template <class Integer>
    requires std::is_integral_v<Integer> Index(Integer value, Site site = Site::here())
        : value(static_cast<int64_t>(value)), site(site) {}
    /// Of an element that is an index itself: p[q[i]].
    template <class Element>
    requires std::is_integral_v<typename Element::ElementValue> Index(Element&& element,
                                                                      Site site = Site::here())
        : value(static_cast<typename Element::ElementValue>(std::move(element))), site(site) {}
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

    using Value = std::remove_const_t<T>;

    /// What p[i] is until it is read or written. It must be so at once: `auto x = p[i]` would load
    /// at each use of x, and does not compile where x is used. Write `float x = p[i]`.
    class Element {
      public:
        using ElementValue = Value;

        Element(const CheckedPtr& at, Site site) : at_(at), site_(site) {}
        operator Value() const&& { return at_.template load<Value>(site_); }
        Value operator=(Value value) const&& {
            at_.store(value, site_);
            return value;
        }
        /// A[i] = A[j] copies the element, not the place.
        Value operator=(const Element& other) const&& {
            return std::move(*this) = other.at_.template load<Value>(other.site_);
        }
        Value operator+=(Value value) const&& {
            return std::move(*this) = at_.template load<Value>(site_) + value;
        }

      private:
        CheckedPtr at_;
        Site site_;
    };

    auto operator[](Index index) const {
        const CheckedPtr at = *this + index.value;
        if constexpr (std::is_const_v<T>)
            return at.template load<Value>(index.site);
        else
            return Element(at, index.site);
    }
    /// Through an integer: it may leave its array, or start from null, as long as nothing is
    /// accessed there.
    CheckedPtr operator+(int64_t elements) const {
        const auto bytes = static_cast<uintptr_t>(elements) * sizeof(T);
        return {reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p_) + bytes), extent_};
    }
    CheckedPtr operator-(int64_t elements) const { return *this + -elements; }
    CheckedPtr& operator+=(int64_t elements) { return *this = *this + elements; }
    CheckedPtr& operator-=(int64_t elements) { return *this = *this - elements; }

    bool operator==(const CheckedPtr& other) const { return p_ == other.p_; }

    template <class V>
    V load(Site site, bool is_volatile = false) const {
        if (!simt::trace(kLoad, *extent_, p_, sizeof(V), site, is_volatile)) return undefined<V>();
        return *reinterpret_cast<const V*>(p_);
    }
    template <class V>
    void store(V value, Site site, bool is_volatile = false) const {
        check_register(value, site);
        if (simt::trace(kStore, *extent_, p_, sizeof(V), site, is_volatile))
            *reinterpret_cast<V*>(p_) = value;
    }
    T* address() const { return p_; }
    Place place(Site site) const { return {extent_, const_cast<Value*>(p_), site}; }

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

/// Of loads alone.
template <class T>
using ClusterPtr = CheckedPtr<const T, Operation::cluster_load, Operation::cluster_load>;

template <class T>
GlobalPtr<T> global_ptr(T* p, const Bounds& bounds) {
    return {p, &bounds};
}
template <class T>
ClusterPtr<T> cluster_ptr(const SharedPtr<T>&, const Place& place) {
    return {static_cast<T*>(place.address), place.extent};
}
template <class T>
SharedPtr<T> shared(size_t count, const char* name, const void* place) {
    const simt::Extent& extent = simt::shared_array(count * sizeof(T), sizeof(T), name, place);
    return {reinterpret_cast<T*>(extent.begin), &extent};
}
template <class T>
SharedPtr<T> dynamic_shared(size_t offset, size_t count, const char* name, const void* place) {
    const simt::Extent& extent =
        simt::dynamic_array(offset, count * sizeof(T), sizeof(T), name, place);
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
/// Reads a word that other threads write. Asking again, while nothing else is stored, is not counted
/// again: how often depends on the machine.
template <class T, Operation kLoad, Operation kStore>
std::remove_const_t<T> ld_flag(const CheckedPtr<T, kLoad, kStore>& p, bool acquires, Site site) {
    if (!simt::has_polled(p.address()) &&
        !simt::trace(kLoad, *p.place(site).extent, p.address(), sizeof(T), site, true, true))
        return {};
    const auto value = std::atomic_ref(*const_cast<std::remove_const_t<T>*>(p.address())).load();
    simt::take_over(p.place(site), acquires);
    simt::poll(p.address(), static_cast<uint64_t>(value), site);
    return value;
}
template <class T, Operation kLoad, Operation kStore>
void st_flag(const CheckedPtr<T, kLoad, kStore>& p, T value, bool releases, Site site) {
    if (!simt::trace(kStore, *p.place(site).extent, p.address(), sizeof(T), site, true, true))
        return;
    simt::hand_on(p.place(site), releases);
    std::atomic_ref(*p.address()).store(value);
}
template <class V, class T, Operation kLoad, Operation kStore>
V ld_volatile(const CheckedPtr<T, kLoad, kStore>& p, Site site = Site::here()) {
    if constexpr (std::is_integral_v<V>)
        return ld_flag(p, false, site);
    else
        return p.template load<V>(site, true);
}
template <class V, class T, Operation kLoad, Operation kStore>
void st_volatile(const CheckedPtr<T, kLoad, kStore>& p, V value, Site site = Site::here()) {
    if constexpr (std::is_integral_v<V>)
        st_flag(p, value, false, site);
    else
        p.store(value, site, true);
}

/// False, and told, when there is no such element.
template <class T, Operation kLoad, Operation kStore>
bool trace_atomic(const CheckedPtr<T, kLoad, kStore>& p, Site site) {
    constexpr auto kAtomic =
        kLoad == Operation::global_load ? Operation::global_atomic : Operation::shared_atomic;
    return simt::trace(kAtomic, *p.place(site).extent, p.address(), sizeof(T), site);
}
template <class Pointer>
Place place_of(const Pointer& p, Site site) {
    return p.place(site);
}
inline const float* address_of(GlobalPtr<const float> p) {
    return p.address();
}
template <class Pointer>
auto* raw(const Pointer& p) {
    return p.address();
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
