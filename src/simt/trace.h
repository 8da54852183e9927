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

    static constexpr unsigned kColumnBits = 10, kLineBits = 13;
    constexpr uint32_t line() const { return packed >> kColumnBits & ((1u << kLineBits) - 1); }
    constexpr uint32_t column() const { return packed & ((1u << kColumnBits) - 1); }
    /// See header_of().
    constexpr uint32_t header() const { return packed >> (kColumnBits + kLineBits); }
    bool operator==(const Site&) const = default;
#if defined(__clang__)  // clang 14 has no std::source_location
    static constexpr Site here(uint32_t line = __builtin_LINE(),
                               uint32_t column = __builtin_COLUMN(),
                               const char* file = __builtin_FILE()) {
        return {place(file, line, column)};
    }
#else
    static constexpr Site here(std::source_location at = std::source_location::current()) {
        return {place(at.file_name(), at.line(), at.column())};
    }
#endif

  private:
    /// Known at compile time.
    static constexpr uint32_t place(const char* file, uint32_t line, uint32_t column) {
        return header_of(file, __builtin_strlen(file)) << (kColumnBits + kLineBits) |
               line << kColumnBits | column;
    }
};

/// What memory holds that nobody has written: a NaN, which no result survives.
inline constexpr uint32_t kUndefinedWord = 0x7fffffff;

class GlobalShadow;

/// An array that an access may touch: a matrix in global memory, or a shared array.
struct Extent {
    const char* name;
    uintptr_t begin, end;  ///< Addresses in bytes.
    int64_t rows = 0, cols = 0, ld = 0;  ///< In elements; a plain array has ld 0.
    unsigned element_bytes = 4;
    GlobalShadow* shadow = nullptr;  ///< Who wrote and read it; null for what nobody writes.
};

struct Record {
    uintptr_t address;
    const Extent* extent;
    Site site;
    Operation operation;
    uint8_t bytes;
    bool is_volatile = false;
    bool is_flag = false;  ///< An access made for meeting other threads, as atomics are.
};

struct FfmaCount {
    Site site;
    uint64_t count = 0;
};

/// The running thread's log. The scheduler swaps it whenever another thread goes on.
struct Lane {
    Record* next = nullptr;
    Record* end = nullptr;
    FfmaCount* ffma = nullptr;  ///< Of the place that the last FFMA came from.
    uint32_t shared_accesses = 0;  ///< Since the last barrier.
    uint32_t stores = 0;  ///< And atomics: what others can see of the thread's progress.
};
extern constinit thread_local Lane lane;

/// Lets the scheduler fold this warp's logs into counters; returns with room in the log.
void drain_log();

/// Notes an access that must not be made: outside its array or misaligned.
void report_fault(const Record& access);

/// Looks for races and for what was never written.
void check_shared(const Record& access);
void check_global(const Record& access);
void check_cluster(const Record& access);

/// Makes lane.ffma count this place.
void count_ffma_at(Site site);

constexpr bool is_load(Operation operation) {
    return operation == Operation::global_load || operation == Operation::shared_load ||
           operation == Operation::copy_load || operation == Operation::cluster_load;
}

constexpr bool is_shared(Operation operation) {
    return operation == Operation::shared_load || operation == Operation::shared_store ||
           operation == Operation::shared_atomic || operation == Operation::copy_store;
}

/// False, and told, when an access must not be made; else it is looked at for races.
inline bool check(const Record& access) {
    const Extent& extent = *access.extent;
    const uintptr_t size = extent.end - extent.begin, at = access.address;
    if (size < access.bytes || at - extent.begin > size - access.bytes || at % access.bytes != 0)
        [[unlikely]] {
        report_fault(access);
        return false;
    }
    if (!is_load(access.operation)) ++lane.stores;
    if (is_shared(access.operation)) {
        ++lane.shared_accesses;
        check_shared(access);
    } else if (extent.shadow) {
        check_global(access);
    } else if (access.operation == Operation::cluster_load) {
        check_cluster(access);
    }
    return true;
}

/// Records an access. False: it must be skipped, and a load then yields NaN.
inline bool trace(Operation operation, const Extent& extent, const void* address, unsigned bytes,
                  Site site, bool is_volatile = false, bool is_flag = false) {
    const Record record{reinterpret_cast<uintptr_t>(address), &extent,     site,   operation,
                        static_cast<uint8_t>(bytes),          is_volatile, is_flag};
    if (!check(record)) return false;
    if (lane.next == lane.end) [[unlikely]]
        drain_log();
    *lane.next++ = record;
    return true;
}

inline void trace_ffma(Site site) {
    if (lane.ffma->site != site) [[unlikely]]
        count_ffma_at(site);
    ++lane.ffma->count;
}

}  // namespace tilewright::simt
