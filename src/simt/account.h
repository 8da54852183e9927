// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// From 32 lanes' logs to what the hardware would do: requests, sectors, wavefronts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "simt/counters.h"
#include "simt/trace.h"

namespace tilewright::simt {

inline constexpr int kWarpSize = 32;

/// 32-byte sectors that one warp request touches; `addresses` holds the active lanes' only.
int sectors(std::span<const uintptr_t> addresses, unsigned bytes);

struct Wavefronts {
    int taken = 0;
    int ideal = 0;  ///< Without bank conflicts.
};

/// Passes through the 32 banks of 4 bytes: lanes that want different words of one bank take turns,
/// lanes that want the same word share it. Accesses of 8 and 16 bytes are served half a warp and a
/// quarter of a warp at a time; loads by twice as many lanes where every lane n wants the same as
/// lane n ^ 1, or every lane the same as n ^ 2. So an H200 counts them (its taken - ideal are Nsight
/// Compute's bank conflicts): results/nvidia-h200-*-wavefronts.csv, by tools/wavefront_probe.cu.
/// `addresses` has an entry a lane; bit i of `active` says it counts.
Wavefronts wavefronts(std::span<const uintptr_t, kWarpSize> addresses, uint32_t active,
                      unsigned bytes, bool load);

/// Turns one warp's logs into site counters.
///
/// Lanes run one after another, so a request has to be put together again: as long as all logs
/// agree it is the i-th record of each lane. Where they part, lanes that came to the same site for
/// the n-th time since the last barrier are taken to have met there.
class WarpAccount {
  public:
    /// `logs` are the records of lane 0 to 31 since the last call.
    void add(std::span<const std::span<const Record>, kWarpSize> logs);

    /// A barrier, or the warp's end: what has not met by now never will.
    void end_epoch();

    /// Operations without an address.
    void count(Operation operation, Site site, uint64_t requests);

    /// One request that was put together elsewhere.
    void count(const Record& first, const SiteCounters& request);

    /// Adds all counters, `weight` times, to `total` and forgets them.
    void drain_into(Counters& total, uint64_t weight);

  private:
    struct Request {
        std::array<uintptr_t, kWarpSize> addresses;
        uint32_t active = 0;
        uint64_t bytes = 0;  ///< Of all lanes, which an asynchronous copy may cut short.
        Record first;
    };
    struct Key {
        uint32_t site;
        Operation operation;
        uint8_t bytes;
        const char* operand;  ///< Names are literals: equal pointers within one kernel.
        bool is_volatile;
        auto operator<=>(const Key&) const = default;
    };

    void finish(const Request& request);
    SiteCounters& counters_of(const Record& record);

    std::map<Key, SiteCounters> sites_;
    std::array<std::pair<Key, SiteCounters*>, 16> recent_{};  ///< Direct-mapped, by site.
    std::unordered_map<uint64_t, Request> parted_;  ///< By site and occurrence.
    std::array<std::unordered_map<uint32_t, uint32_t>, kWarpSize> occurrences_;
};

}  // namespace tilewright::simt
