// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Pointers of cpu_fast: plain ones.
#pragma once

#include <atomic>
#include <type_traits>

namespace tilewright::inline TILEWRIGHT_TARGET {

inline void check_register(float, Site) {}

template <class T>
using GlobalPtr = T*;
template <class T>
using SharedPtr = T*;

template <class T>
using ClusterPtr = const T*;

template <class T>
GlobalPtr<T> global_ptr(T* p, const Bounds&) {
    return p;
}
template <class T>
ClusterPtr<T> cluster_ptr(const T*, const Place& place) {
    return static_cast<ClusterPtr<T>>(place.address);
}
template <class T>
SharedPtr<T> shared(size_t count, const char* name, const void* place) {
    return reinterpret_cast<T*>(
        simt::shared_array(count * sizeof(T), sizeof(T), name, place).begin);
}
template <class T>
SharedPtr<T> dynamic_shared(size_t offset, size_t count, const char* name, const void* place) {
    return reinterpret_cast<T*>(
        simt::dynamic_array(offset, count * sizeof(T), sizeof(T), name, place).begin);
}
/// By memcpy, which promises no alignment: gcc 12 merges a vector access under a condition with
/// scalar ones of the other branch, and takes the vector's alignment for all.
template <class V, class T>
V ld(const T* p, Site = {}) {
    V value;
    std::memcpy(&value, p, sizeof(V));
    return value;
}
template <class V, class T>
void st(T* p, V value, Site = {}) {
    std::memcpy(p, &value, sizeof(V));
}
template <class T>
T ld_flag(const T* p, bool, Site site) {
    const T value = std::atomic_ref(*const_cast<T*>(p)).load();
    simt::poll(p, static_cast<uint64_t>(value), site);
    return value;
}
template <class T>
void st_flag(T* p, T value, bool, Site) {
    std::atomic_ref(*p).store(value);
}
template <class V, class T>
V ld_volatile(const T* p, Site site = {}) {
    if constexpr (std::is_integral_v<V>)
        return ld_flag(p, false, site);
    else
        return ld<V>(p);
}
template <class V, class T>
void st_volatile(T* p, V value, Site site = {}) {
    if constexpr (std::is_integral_v<V>)
        st_flag(p, value, false, site);
    else
        st(p, value);
}
template <class T>
bool trace_atomic(const T*, Site) {
    return true;
}
template <class T>
Place place_of(T* p, Site site) {
    return {nullptr, const_cast<std::remove_const_t<T>*>(p), site};
}
inline const float* address_of(const float* p) {
    return p;
}
template <class T>
T* raw(T* p) {
    return p;
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
