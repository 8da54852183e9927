// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The CPU machine by itself: what it counts, in what order it runs threads, what it refuses.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <set>

#include "device/kernel.h"

namespace tilewright {
namespace {

using simt::Machine;
using simt::Operation;

using Addresses = std::array<uintptr_t, simt::kWarpSize>;

Addresses strided(uintptr_t first, uintptr_t bytes) {
    Addresses addresses;
    for (size_t lane = 0; lane < addresses.size(); ++lane) addresses[lane] = first + lane * bytes;
    return addresses;
}

int conflict(const Addresses& addresses, unsigned bytes, uint32_t active = ~0u) {
    return simt::wavefronts(addresses, active, bytes, true).taken;
}

int store_conflict(const Addresses& addresses, unsigned bytes) {
    return simt::wavefronts(addresses, ~0u, bytes, false).taken;
}

int ideal(const Addresses& addresses, unsigned bytes, uint32_t active = ~0u) {
    return simt::wavefronts(addresses, active, bytes, true).ideal;
}

TEST(Sectors, OfOneRequest) {
    EXPECT_EQ(simt::sectors(strided(0, 4), 4), 4);  // 32 neighbours
    EXPECT_EQ(simt::sectors(strided(16, 4), 4), 5);  // the same, off by half a sector
    EXPECT_EQ(simt::sectors(strided(0, 16), 16), 16);  // 32 float4
    EXPECT_EQ(simt::sectors(strided(0, 1024), 4), 32);  // a column
    EXPECT_EQ(simt::sectors(strided(64, 0), 4), 1);  // all lanes alike
    Addresses reversed = strided(0, 4);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(simt::sectors(reversed, 4), 4);
    EXPECT_EQ(simt::sectors(std::span(reversed).first(1), 4), 1);
}

TEST(Wavefronts, OfWordsFollowTheBanks) {
    EXPECT_EQ(conflict(strided(0, 4), 4), 1);
    EXPECT_EQ(conflict(strided(0, 0), 4), 1);  // one word for all
    EXPECT_EQ(conflict(strided(0, 8), 4), 2);  // every second bank
    EXPECT_EQ(conflict(strided(0, 128), 4), 32);  // one bank
    EXPECT_EQ(conflict(strided(0, 132), 4), 1);  // a column of 33 words
    EXPECT_EQ(conflict(strided(0, 128), 4, 0xff), 8);
    EXPECT_EQ(conflict(strided(0, 128), 4, 0), 0);
}

TEST(Wavefronts, OfVectorsComeInPhases) {
    EXPECT_EQ(conflict(strided(0, 8), 8), 2);  // half a warp at a time
    EXPECT_EQ(conflict(strided(0, 16), 16), 4);  // a quarter of a warp at a time
    EXPECT_EQ(conflict(strided(0, 32), 16), 8);  // rung 06 reading B
    EXPECT_EQ(ideal(strided(0, 32), 16), 4);
    EXPECT_EQ(ideal(strided(0, 16), 16, 0xff), 1);
    EXPECT_EQ(ideal(strided(0, 128), 4), 1);
}

TEST(Wavefronts, OfLoadsAreFewerWhereNeighboursShare) {
    const auto at = [](auto place) {
        Addresses addresses;
        for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = 16 * place(lane);
        return addresses;
    };
    EXPECT_EQ(conflict(strided(0, 0), 16), 2);  // one for all: half a warp is the most
    EXPECT_EQ(conflict(strided(0, 0), 8), 1);
    EXPECT_EQ(conflict(at([](unsigned l) { return l / 4; }), 16), 2);  // rung 10 reading A
    EXPECT_EQ(conflict(at([](unsigned l) { return l / 2; }), 16), 2);
    EXPECT_EQ(conflict(at([](unsigned l) { return (l & 1) | (l >> 1 & 14); }), 16), 2);  // n ^ 2
    EXPECT_EQ(conflict(at([](unsigned l) { return l % 4; }), 16), 4);  // n ^ 4 does not help
    EXPECT_EQ(conflict(at([](unsigned l) { return l & ~1u; }), 16), 4);  // shared, but 32 apart
    EXPECT_EQ(store_conflict(strided(0, 0), 16), 4);
    EXPECT_EQ(store_conflict(strided(0, 0), 8), 2);
}

// The book chapter's example: 8 rows 8 apart, 4 lanes each, of a tile with this pitch.
int chapter_read(int pitch, bool swizzled) {
    Addresses addresses;
    for (int lane = 0; lane < simt::kWarpSize; ++lane) {
        const int row = lane / 4 * 8, kk = 3;
        addresses[lane] = 4 * (row * pitch + (swizzled ? kk ^ (row >> 3 & 7) : kk));
    }
    return conflict(addresses, 4);
}

TEST(Wavefronts, OfTheChaptersReadOfA) {
    EXPECT_EQ(chapter_read(16, false), 8);
    EXPECT_EQ(chapter_read(17, false), 2);
    EXPECT_EQ(chapter_read(16, true), 1);
}

/// Runs a kernel body with one array in global memory and returns what was counted.
template <class Body>
simt::Counters count(Grid grid, Grid block, std::span<float> memory, Body body,
                     std::string* fault = nullptr, uint64_t seed = 0) {
    Machine machine(1);
    machine.shuffle(seed);
    const Bounds bounds(memory.data(), 1, std::ssize(memory), 0, "A");
    const GlobalPtr<float> A = global_ptr(memory.data(), bounds);
    const Status status =
        machine.launch({.grid = grid, .block = block, .counted = true, .thread = [&] { body(A); }});
    if (fault)
        *fault = status.reason;
    else
        EXPECT_TRUE(status.ok()) << status.reason;
    return machine.take_counters();
}

struct alignas(256) Memory {
    float words[4096] = {};
    operator std::span<float>() { return words; }
};

uint64_t requests(const simt::Counters& counters, Operation operation) {
    return counters.total(operation).requests;
}

TEST(Elements, AreCopiedFromOneToAnother) {
    Memory memory;
    memory.words[0] = 5.0f;
    const auto counters = count(1, 1, memory, [](GlobalPtr<float> A) {
        SHARED(float, tile, 2);
        A[1] = A[0];
        tile[0] = A[1];
        tile[1] = tile[0];
        A[2] = tile[1];
    });
    EXPECT_EQ(memory.words[1], 5.0f);
    EXPECT_EQ(memory.words[2], 5.0f);
    EXPECT_EQ(requests(counters, Operation::global_store), 2u);
    EXPECT_EQ(requests(counters, Operation::shared_store), 2u);
}

TEST(Requests, OfLanesThatAgree) {
    Memory memory;
    const auto counters = count(1, 64, memory, [](GlobalPtr<float> A) {
        for (int i = 0; i < 3; ++i) A[threadIdx.x] = A[threadIdx.x] + 1.0f;
    });
    EXPECT_EQ(requests(counters, Operation::global_load), 6u);
    EXPECT_EQ(requests(counters, Operation::global_store), 6u);
    EXPECT_EQ(counters.sites.size(), 2u);
    EXPECT_EQ(counters.warps, 2u);
}

TEST(Requests, OfAGuardedAccessCountOnceAWarp) {
    Memory memory;
    const auto counters = count(1, 32, memory, [](GlobalPtr<float> A) {
        if (threadIdx.x < 20) A[threadIdx.x] = 1.0f;
        A[32 + threadIdx.x] = 2.0f;
    });
    EXPECT_EQ(requests(counters, Operation::global_store), 2u);
    EXPECT_EQ(counters.total(Operation::global_store).bytes, 4u * (20 + 32));
}

TEST(Requests, OfLoopsThatLanesLeaveAtDifferentTimes) {
    Memory memory;
    const auto counters = count(1, 32, memory, [](GlobalPtr<float> A) {
        // lane l goes round l + 1 times
        for (unsigned i = 0; i <= threadIdx.x; ++i) A[32 * threadIdx.x + i] = 1.0f;
        A[2048 + threadIdx.x] = 2.0f;
    });
    EXPECT_EQ(requests(counters, Operation::global_store), 32u + 1u);
}

TEST(Requests, MeetAgainAfterABarrierThatSomeCameToOnAnotherPath) {
    Memory memory;
    const auto counters = count(1, 32, memory, [](GlobalPtr<float> A) {
        for (int tile = 0; tile < 4; ++tile) {
            if (tile % 2 == 0 || threadIdx.x < 16) A[threadIdx.x] = 1.0f;
            __syncthreads();
        }
    });
    EXPECT_EQ(requests(counters, Operation::global_store), 4u);
    EXPECT_EQ(counters.barriers, 4u);
}

TEST(Requests, SurviveAFullLog) {
    Memory memory;
    constexpr int kRounds = 5000;  // several times what a lane's log holds
    const auto counters = count(1, 32, memory, [](GlobalPtr<float> A) {
        for (int i = 0; i < kRounds; ++i) A[threadIdx.x] = 1.0f;
    });
    EXPECT_EQ(requests(counters, Operation::global_store), uint64_t{kRounds});
    const auto parted = count(1, 32, memory, [](GlobalPtr<float> A) {
        if (threadIdx.x % 2) A[threadIdx.x] = 3.0f;
        for (int i = 0; i < kRounds; ++i) A[threadIdx.x] = 1.0f;
    });
    EXPECT_EQ(requests(parted, Operation::global_store), uint64_t{kRounds} + 1);
}

TEST(Requests, DoNotDependOnTheOrderOfThreads) {
    for (const uint64_t seed : {0, 1, 2, 3}) {
        Memory memory;
        const auto counters = count(
            4, 96, memory,
            [](GlobalPtr<float> A) {
                SHARED(float, tile, 96);
                tile[threadIdx.x] = A[blockIdx.x * 96 + threadIdx.x];
                __syncthreads();
                A[blockIdx.x * 96 + threadIdx.x] = tile[95 - threadIdx.x];
            },
            nullptr, seed);
        EXPECT_EQ(requests(counters, Operation::shared_store), 12u) << seed;
        EXPECT_EQ(counters.total(Operation::shared_load).wavefronts, 12u) << seed;
    }
}

Status launch(Machine& machine, Grid grid, Grid block, std::function<void()> thread) {
    return machine.launch({.grid = grid, .block = block, .counted = false, .thread = thread});
}

TEST(Order, IsDrawnFromTheSeed) {
    std::set<std::vector<unsigned>> orders;
    for (const uint64_t seed : {0, 1, 2, 3}) {
        Machine machine(1);
        machine.shuffle(seed);
        std::vector<unsigned> order;
        ASSERT_TRUE(launch(machine, 1, 128, [&] { order.push_back(threadIdx.x); }).ok());
        ASSERT_EQ(order.size(), 128u);
        EXPECT_EQ(std::set(order.begin(), order.end()).size(), 128u);
        if (seed == 0) {
            EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
        }
        orders.insert(order);
    }
    EXPECT_EQ(orders.size(), 4u);
}

TEST(Machine, RunsEachThreadOfEachBlockOnce) {
    Machine machine(3);
    std::array<std::atomic<int>, 5 * 4 * 3 * 8 * 2> visits{};
    const auto body = [&] {
        const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
        ++visits[block * blockDim.x * blockDim.y + thread];
    };
    ASSERT_TRUE(launch(machine, {5, 4, 3}, {8, 2}, body).ok());
    for (const auto& visit : visits) EXPECT_EQ(visit, 1);
}

TEST(Machine, LetsABarrierGoOnceThreadsThatEndedAreGone) {
    Memory memory;
    const auto counters = count(1, 64, memory, [](GlobalPtr<float> A) {
        if (threadIdx.x >= 40) return;
        SHARED(float, tile, 64);
        tile[threadIdx.x] = 1.0f;
        __syncthreads();
        A[threadIdx.x] = tile[39 - threadIdx.x];
    });
    EXPECT_EQ(counters.barriers, 1u);
    EXPECT_EQ(memory.words[39], 1.0f);
    EXPECT_EQ(memory.words[40], 0.0f);
}

TEST(Machine, RefusesABlockThatNoGpuHas) {
    Machine machine(1);
    EXPECT_EQ(launch(machine, 1, 1025, [] {}).code, StatusCode::execution_failed);
    EXPECT_EQ(launch(machine, 1, 0, [] {}).code, StatusCode::execution_failed);
    EXPECT_EQ(launch(machine, {1, 65536}, 1, [] {}).code, StatusCode::execution_failed);
    EXPECT_EQ(launch(machine, 1, {1, 1, 65}, [] {}).code, StatusCode::execution_failed);
    EXPECT_TRUE(launch(machine, {1, 65535}, 1, [] {}).ok());
}

TEST(Fma, IsCountedAsOftenAsTheBusiestLaneDidItHoweverLogsFill) {
    Memory memory;
    constexpr int kRounds = 2000;
    const auto counters = count(1, 32, memory, [](GlobalPtr<float> A) {
        float x = 1.0f;
        for (int i = 0; i < kRounds; ++i) {
            A[threadIdx.x] = x = fma_(x, x, 0.0f);
            if (threadIdx.x % 2) A[threadIdx.x] = x;  // these logs fill twice as fast
        }
    });
    EXPECT_EQ(counters.ffma, uint64_t{kRounds});
}

TEST(Fma, RoundsOnceAndIsCounted) {
    Memory memory;
    const float a = 1.0f + std::ldexp(1.0f, -12);
    memory.words[1] = a;
    const auto counters = count(1, 32, memory, [](GlobalPtr<float> A) {
        const float x = A[1];
        if (threadIdx.x == 0)
            A[0] = fma_(x, x, -1.0f);
        else
            fma_(x, x, 0.0f);  // another instruction, for the other lanes
    });
    EXPECT_EQ(memory.words[0], std::ldexp(1.0f, -11) + std::ldexp(1.0f, -24));
    EXPECT_EQ(counters.ffma, 2u);
}

}  // namespace
}  // namespace tilewright
