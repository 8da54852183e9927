// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a running thread of CPU mode writes down at each access. Everything here is on the hot path
// of counted kernels: about ten accesses for every result.
#pragma once

#include <cstdint>
#if !defined(__clang__)
#include <source_location>
#endif

#include "simt/counters.h"

namespace tilewright::simt {

/// A place in a kernel's source. Used as a default argument it names the caller's line and column,
/// which a return address cannot: one line becomes many addresses once the compiler unrolls.
struct Site {
    uint32_t packed = 0;

    static constexpr unsigned kColumnBits = 10;
    constexpr uint32_t line() const { return packed >> kColumnBits; }
    constexpr uint32_t column() const { return packed & ((1u << kColumnBits) - 1); }
#if defined(__clang__)  // clang 14 has no std::source_location
    static constexpr Site here(uint32_t line = __builtin_LINE(),
                               uint32_t column = __builtin_COLUMN()) {
        return {line << kColumnBits | column};
    }
#else
    static constexpr Site here(std::source_location at = std::source_location::current()) {
        return {at.line() << kColumnBits | at.column()};
    }
#endif
};

/// An array that an access may touch: a matrix's extent in global memory, or a shared array.
struct Extent {
    const char* name;
    uintptr_t begin, end;  ///< Addresses in bytes.
};

struct Record {
    uintptr_t address;
    const Extent* extent;
    Site site;
    Operation operation;
    uint8_t bytes;
};

/// The running thread's log. The scheduler swaps it whenever another thread goes on.
struct Lane {
    Record* next = nullptr;
    Record* end = nullptr;
    uint64_t ffma = 0;
};
extern constinit thread_local Lane lane;

/// Lets the scheduler fold this warp's logs into counters; returns with room in the log.
void drain_log();

/// Notes an access that must not be made: outside its array or misaligned.
void report_fault(const Record& access);

/// Records an access. False: it must be skipped, and a load then yields NaN.
inline bool trace(Operation operation, const Extent& extent, const void* address, unsigned bytes,
                  Site site) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    const Record record{at, &extent, site, operation, static_cast<uint8_t>(bytes)};
    const uintptr_t size = extent.end - extent.begin;
    if (size < bytes || at - extent.begin > size - bytes || at % bytes != 0) [[unlikely]] {
        report_fault(record);
        return false;
    }
    if (lane.next == lane.end) [[unlikely]]
        drain_log();
    *lane.next++ = record;
    return true;
}

}  // namespace tilewright::simt
