// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/account.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace tilewright::simt {

namespace {

constexpr unsigned kSectorBytes = 32, kBankBytes = 4, kBanks = 32;

int distinct(std::array<uintptr_t, kWarpSize * 2>& values, int count) {
    if (!std::is_sorted(values.begin(), values.begin() + count))
        std::sort(values.begin(), values.begin() + count);
    return static_cast<int>(std::unique(values.begin(), values.begin() + count) - values.begin());
}

}  // namespace

int sectors(std::span<const uintptr_t> addresses, unsigned bytes) {
    // An aligned access of at most 16 bytes lies in one sector.
    std::array<uintptr_t, kWarpSize * 2> touched;
    int count = 0;
    for (const uintptr_t address : addresses) {
        touched[count++] = address / kSectorBytes;
        const uintptr_t last = (address + bytes - 1) / kSectorBytes;
        if (last != touched[count - 1]) touched[count++] = last;
    }
    return distinct(touched, count);
}

namespace {

/// The most lanes that want different words of one bank, over the lanes first to last - 1.
int passes(std::span<const uintptr_t, kWarpSize> addresses, uint32_t active, unsigned bytes,
           int first, int last) {
    std::array<uintptr_t, kWarpSize * 4> words;  // distinct ones, chained by bank
    std::array<int16_t, kWarpSize * 4> next;
    std::array<int16_t, kBanks> head;
    head.fill(-1);
    std::array<uint8_t, kBanks> depth{};
    int count = 0, worst = 0;
    for (int lane = first; lane < last; ++lane) {
        if (!(active >> lane & 1)) continue;
        for (unsigned offset = 0; offset < bytes; offset += kBankBytes) {
            const uintptr_t word = (addresses[lane] + offset) / kBankBytes;
            const unsigned bank = word % kBanks;
            int seen = head[bank];
            while (seen >= 0 && words[seen] != word) seen = next[seen];
            if (seen >= 0) continue;
            words[count] = word;
            next[count] = head[bank];
            head[bank] = static_cast<int16_t>(count++);
            worst = std::max<int>(worst, ++depth[bank]);
        }
    }
    return worst;
}

/// Whether lanes n and n ^ distance want the same wherever both take part.
bool lanes_share(std::span<const uintptr_t, kWarpSize> addresses, uint32_t active, int distance) {
    for (int lane = 0; lane < kWarpSize; ++lane)
        if ((active >> lane & 1) && (active >> (lane ^ distance) & 1) &&
            addresses[lane] != addresses[lane ^ distance])
            return false;
    return true;
}

}  // namespace

Wavefronts wavefronts(std::span<const uintptr_t, kWarpSize> addresses, uint32_t active,
                      unsigned bytes, bool load) {
    int lanes = static_cast<int>(kBanks * kBankBytes / std::max(bytes, kBankBytes));
    if (load && lanes < kWarpSize &&
        (lanes_share(addresses, active, 1) || lanes_share(addresses, active, 2)))
        lanes *= 2;
    Wavefronts sum;
    for (int first = 0; first < kWarpSize; first += lanes) {
        const int taken = passes(addresses, active, bytes, first, first + lanes);
        sum.taken += taken;
        sum.ideal += taken > 0;
    }
    return sum;
}

void WarpAccount::add(std::span<const std::span<const Record>, kWarpSize> logs) {
    size_t longest = 0;
    for (const auto& log : logs) longest = std::max(longest, log.size());
    size_t i = 0;
    if (parted_.empty()) {
        for (Request request; i < longest; ++i) {
            request.active = 0;
            request.bytes = 0;
            bool together = true;
            for (int l = 0; l < kWarpSize && together; ++l) {
                if (i >= logs[l].size()) continue;
                const Record& record = logs[l][i];
                if (!request.active) request.first = record;
                together = record.site.packed == request.first.site.packed &&
                           record.operation == request.first.operation;
                request.addresses[l] = record.address;
                request.active |= 1u << l;
                request.bytes += record.bytes;
            }
            if (!together) break;
            finish(request);
        }
    }
    for (int l = 0; l < kWarpSize; ++l) {
        for (size_t j = i; j < logs[l].size(); ++j) {
            const Record& record = logs[l][j];
            const uint32_t visit =
                record.site.packed << 4 | static_cast<uint32_t>(record.operation);
            const uint64_t key = uint64_t{visit} << 32 | occurrences_[l][visit]++;
            Request& request = parted_[key];
            if (!request.active) request.first = record;
            request.addresses[l] = record.address;
            request.active |= 1u << l;
            request.bytes += record.bytes;
        }
    }
}

void WarpAccount::end_epoch() {
    for (const auto& [key, request] : parted_) finish(request);
    parted_.clear();
    for (auto& counts : occurrences_) counts.clear();
}

SiteCounters& WarpAccount::counters_of(const Record& record) {
    const Key key{record.site.packed, record.operation, record.bytes, record.extent->name,
                  record.is_volatile};
    auto& [recent_key, recent] = recent_[(key.site * 2654435761u) >> 28];
    if (recent && recent_key == key) return *recent;
    SiteCounters& counters = sites_[key];
    if (counters.requests == 0)
        counters = {.operation = record.operation,
                    .line = record.site.line(),
                    .column = record.site.column(),
                    .operand = record.extent->name,
                    .width_bits = record.bytes * 8u,
                    .is_volatile = record.is_volatile,
                    .header = record.site.header()};
    recent_key = key;
    recent = &counters;
    return counters;
}

void WarpAccount::finish(const Request& request) {
    SiteCounters& counters = counters_of(request.first);
    const unsigned bytes = request.first.bytes;
    ++counters.requests;
    counters.bytes += request.bytes;
    if (is_shared(request.first.operation)) {
        const bool load = request.first.operation == Operation::shared_load;
        const Wavefronts passes = wavefronts(request.addresses, request.active, bytes, load);
        counters.wavefronts += passes.taken;
        counters.ideal_wavefronts += passes.ideal;
        if (load && bytes == 4 && !request.first.is_volatile) {
            std::array<uintptr_t, kWarpSize> aligned = request.addresses;
            for (unsigned i = 0; i < 2; ++i) {
                const unsigned wide = 8u << i;
                for (uintptr_t& address : aligned) address &= ~uintptr_t{wide - 1};
                counters.wider_wavefronts[i] +=
                    wavefronts(aligned, request.active, wide, true).taken;
            }
        }
        return;
    }
    std::array<uintptr_t, kWarpSize> active;
    int count = 0;
    for (uint32_t left = request.active; left; left &= left - 1)
        active[count++] = request.addresses[std::countr_zero(left)];
    counters.sectors += sectors(std::span(active).first(count), bytes);
}

void WarpAccount::count(Operation operation, Site site, uint64_t requests) {
    static constexpr Extent kNothing{.name = "", .begin = 0, .end = 0};
    counters_of(
        {.address = 0, .extent = &kNothing, .site = site, .operation = operation, .bytes = 0})
        .requests += requests;
}

void WarpAccount::count(const Record& first, const SiteCounters& request) {
    SiteCounters& counters = counters_of(first);
    ++counters.requests;
    counters.bytes += request.bytes;
    counters.sectors += request.sectors;
    counters.wavefronts += request.wavefronts;
    counters.ideal_wavefronts += request.ideal_wavefronts;
}

void WarpAccount::drain_into(Counters& total, uint64_t weight) {
    for (const auto& site : sites_) {
        const SiteCounters& counters = site.second;  // clang captures no structured binding
        auto same = std::find_if(total.sites.begin(), total.sites.end(), [&](const auto& other) {
            return other.header == counters.header && other.line == counters.line &&
                   other.column == counters.column && other.operation == counters.operation &&
                   other.operand == counters.operand && other.width_bits == counters.width_bits &&
                   other.is_volatile == counters.is_volatile;
        });
        if (same == total.sites.end()) {
            SiteCounters none = counters;
            none.requests = none.bytes = none.sectors = none.wavefronts = none.ideal_wavefronts = 0;
            none.wider_wavefronts = {};
            same = total.sites.insert(total.sites.end(), none);
        }
        same->requests += counters.requests * weight;
        same->bytes += counters.bytes * weight;
        same->sectors += counters.sectors * weight;
        same->wavefronts += counters.wavefronts * weight;
        same->ideal_wavefronts += counters.ideal_wavefronts * weight;
        for (size_t i = 0; i < same->wider_wavefronts.size(); ++i)
            same->wider_wavefronts[i] += counters.wider_wavefronts[i] * weight;
    }
    sites_.clear();
    recent_.fill({});
    std::sort(total.sites.begin(), total.sites.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.header, a.line, a.column, a.operation) <
               std::tuple(b.header, b.line, b.column, b.operation);
    });
}

const char* name_of(Operation operation) {
    switch (operation) {
        case Operation::global_load:
            return "global_load";
        case Operation::global_store:
            return "global_store";
        case Operation::global_atomic:
            return "global_atomic";
        case Operation::shared_load:
            return "shared_load";
        case Operation::shared_store:
            return "shared_store";
        case Operation::shared_atomic:
            return "shared_atomic";
        case Operation::copy_load:
            return "copy_load";
        case Operation::copy_store:
            return "copy_store";
        case Operation::ffma:
            return "ffma";
        case Operation::barrier:
            return "barrier";
        case Operation::cluster_load:
            return "cluster_load";
        case Operation::mma:
            return "mma";
    }
    return "";
}

SiteCounters Counters::total(Operation operation) const {
    SiteCounters sum;
    sum.operation = operation;
    for (const SiteCounters& site : sites) {
        if (site.operation != operation) continue;
        sum.requests += site.requests;
        sum.bytes += site.bytes;
        sum.sectors += site.sectors;
        sum.wavefronts += site.wavefronts;
        sum.ideal_wavefronts += site.ideal_wavefronts;
    }
    return sum;
}

}  // namespace tilewright::simt
