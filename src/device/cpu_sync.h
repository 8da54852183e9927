// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words that copy asynchronously or meet other threads, in CPU mode; see gpu_sync.h.
#pragma once

#include "device/cpu.h"

namespace tilewright::inline TILEWRIGHT_TARGET {

template <class V, class Pointer>
void st_streaming(const Pointer& p, V value, Site site = Site::here()) {
    st(p, value, site);
}

inline int warp_uniform(int value) {
    return value;
}

template <int kBytes>
void cp_async(SharedPtr<float> to, GlobalPtr<const float> from, int valid_bytes = kBytes,
              Site site = Site::here()) {
    static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
    simt::copy_async(place_of(to, site), place_of(from, site), kBytes, valid_bytes);
}
inline void cp_async_commit() {
    simt::copy_commit();
}
template <int kGroups>
void cp_async_wait() {
    simt::copy_wait(kGroups);
}

inline void mbarrier_init(SharedPtr<Barrier> barrier, unsigned arrivals, Site site = Site::here()) {
    simt::mbarrier_init(place_of(barrier, site), arrivals);
}
inline void mbarrier_arrive(SharedPtr<Barrier> barrier, Site site = Site::here()) {
    simt::mbarrier_arrive(place_of(barrier, site), 0);
}
inline void mbarrier_arrive_expect(SharedPtr<Barrier> barrier, unsigned bytes,
                                   Site site = Site::here()) {
    simt::mbarrier_arrive(place_of(barrier, site), bytes);
}
inline void mbarrier_wait(SharedPtr<Barrier> barrier, unsigned parity, Site site = Site::here()) {
    simt::mbarrier_wait(place_of(barrier, site), parity);
}
inline void cp_async_arrive(SharedPtr<Barrier> barrier, Site site = Site::here()) {
    simt::copy_arrive(place_of(barrier, site));
}
inline void cp_async_bulk(SharedPtr<float> to, GlobalPtr<const float> from, unsigned bytes,
                          SharedPtr<Barrier> barrier, Site site = Site::here()) {
    simt::copy_bulk(place_of(to, site), place_of(from, site), bytes, place_of(barrier, site));
}

template <class Pointer, class T>
T atomic_add_as(const Pointer& p, T value, bool is_ordering, Site site) {
    if (!trace_atomic(p, site)) return T{};
    simt::hand_on(place_of(p, site), is_ordering);
    const T before = std::atomic_ref(*raw(p)).fetch_add(value);
    simt::take_over(place_of(p, site), is_ordering);
    if constexpr (std::is_integral_v<T>) {
        if (value != 0) return before;
        --simt::lane.stores;  // nothing was changed: it only asks
        simt::poll(raw(p), static_cast<uint64_t>(before), site);
    }
    return before;
}
template <class Pointer, class T>
T atomic_add(const Pointer& p, T value, Site site = Site::here()) {
    return atomic_add_as(p, value, false, site);
}
template <class Pointer, class T>
T atomic_add_acq_rel(const Pointer& p, T value, Site site = Site::here()) {
    return atomic_add_as(p, value, true, site);
}
inline unsigned ld_acquire(GlobalPtr<unsigned> p, Site site = Site::here()) {
    return ld_flag(p, true, site);
}
inline void st_release(GlobalPtr<unsigned> p, unsigned value, Site site = Site::here()) {
    st_flag(p, value, true, site);
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
