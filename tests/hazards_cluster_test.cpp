// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// As hazards_test: clusters, whose blocks read each other's shared memory.
#include "tests/hazards.h"

namespace tilewright {
namespace {

constexpr unsigned kThreads = 64;

void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}

/// Each block fills a tile and reads the other's, twice.
void exchange(GlobalPtr<float> A, bool before, bool between, bool after) {
    SHARED(float, As, kThreads);
    for (int round = 0; round < 2; ++round) {
        As[threadIdx.x] = static_cast<float>(round + 2 * (blockIdx.x * kThreads + threadIdx.x));
        if (before) cluster_barrier();
        const ClusterPtr<float> other = map_shared_rank(As, cluster_rank() ^ 1);
        A[blockIdx.x * kThreads + threadIdx.x] = other[threadIdx.x ^ 1];
        if (round == 0 ? between : after) cluster_barrier();
    }
}

Found run_exchange(bool before, bool between, bool after, uint64_t seed = 0, unsigned workers = 1) {
    return run(
        6, kThreads, [=](auto A, auto) { exchange(A, before, between, after); }, workers, 2, seed);
}

TEST(Clusters, ExchangeInAnyOrder) {
    for (const unsigned workers : {1u, 2u})
        for (const uint64_t seed : {0, 1, 2}) {
            const Found found = run_exchange(true, true, true, seed, workers);
            expect_none(found);
            for (unsigned i = 0; i < 6 * kThreads; ++i)
                EXPECT_EQ(found.memory.words[i], static_cast<float>(1 + 2 * (i ^ kThreads ^ 1)));
        }
}

TEST(Clusters, ReadWhatMayNotBeWritten) {
    for (const uint64_t seed : {0, 1, 2}) {
        const Found found = run_exchange(false, true, true, seed);
        EXPECT_TRUE(found.has(read_after_write) || found.has(uninitialised_shared)) << found.text();
        EXPECT_NE(found.text().find("cluster load of 4 bytes at As["), std::string::npos);
    }
}

TEST(Clusters, OverwriteWhatMayNotBeRead) {
    for (const uint64_t seed : {0, 1, 2}) {
        // Of one pair of accesses, whichever ran first.
        const Found found = run_exchange(true, false, true, seed);
        EXPECT_TRUE(found.has(write_after_read) || found.has(read_after_write)) << found.text();
    }
}

TEST(Clusters, OverwriteWhatHasJustBeenRead) {
    for (const uint64_t seed : {0, 1, 2}) {
        const Found found = run(
            2, 16,
            [](auto A, auto flags) {
                SHARED(float, As, 16);
                As[threadIdx.x] = 1.0f;
                cluster_barrier();
                if (cluster_rank() == 0) {
                    A[threadIdx.x] = map_shared_rank(As, 1)[threadIdx.x];
                    st_volatile(flags + threadIdx.x, 1u);
                } else {
                    while (ld_volatile<unsigned>(flags + threadIdx.x) == 0) {
                    }
                    As[threadIdx.x] = 2.0f;  // a flag without release and acquire
                }
                cluster_barrier();
            },
            1, 2, seed);
        expect_only(found, write_after_read, __LINE__ - 5, {"block (0, 0, 0), thread", "reads it"});
    }
}

TEST(Clusters, EndBeforeOthersHaveRead) {
    for (const uint64_t seed : {0, 1, 2})
        expect_only(run_exchange(true, true, false, seed), ended_block, 0,
                    {"cluster load of 4 bytes at As[", "of block ("});
}

TEST(Clusters, ReadFromABlockThatHasEnded) {
    const Found found = run(
        2, 32,
        [](auto A, auto flags) {
            SHARED(float, As, 32);
            As[threadIdx.x] = 1.0f;
            cluster_barrier();
            if (cluster_rank() == 0) return;
            for (int i = 0; i < 8; ++i) atomic_add_acq_rel(flags, 0u);  // meanwhile the other ends
            A[threadIdx.x] = map_shared_rank(As, 0)[threadIdx.x];
        },
        1, 2);
    expect_only(found, ended_block, __LINE__ - 3, {"block (0, 0, 0)"});
}

TEST(Clusters, OneBarrierOfTheBlockIsNotEnough) {
    const Found found = run(
        2, kThreads,
        [](auto A, auto) {
            SHARED(float, As, kThreads);
            cluster_barrier();
            As[threadIdx.x] = 1.0f;
            __syncthreads();
            A[blockIdx.x * kThreads + threadIdx.x] =
                map_shared_rank(As, cluster_rank() ^ 1)[threadIdx.x];
            cluster_barrier();
        },
        1, 2);
    EXPECT_TRUE(found.has(read_after_write) || found.has(uninitialised_shared)) << found.text();
}

TEST(Clusters, WhatIsDoneBetweenArrivingAndWaitingIsNotOrdered) {
    const auto body = [](bool early) {
        return [early](auto A, auto) {
            SHARED(float, As, 32);
            if (early) As[threadIdx.x] = 1.0f;
            cluster_arrive();
            if (!early) As[threadIdx.x] = 1.0f;
            cluster_wait();
            A[blockIdx.x * 32 + threadIdx.x] = map_shared_rank(As, cluster_rank() ^ 1)[threadIdx.x];
            cluster_barrier();
        };
    };
    expect_none(run(2, 32, body(true), 1, 2));
    EXPECT_TRUE(run(2, 32, body(false), 1, 2).has(read_after_write));
}

TEST(Clusters, ARelaxedArrivalIsForWhoHasRead) {
    const auto body = [](bool stores, bool loads) {
        return [=](auto A, auto) {
            SHARED(float, As, 32);
            As[threadIdx.x] = 1.0f;
            stores ? cluster_arrive_relaxed() : cluster_arrive();
            cluster_wait();
            A[blockIdx.x * 32 + threadIdx.x] = map_shared_rank(As, cluster_rank() ^ 1)[threadIdx.x];
            loads ? cluster_arrive_relaxed() : cluster_arrive();
            cluster_wait();
            As[threadIdx.x] = 2.0f;
        };
    };
    for (const uint64_t seed : {0, 1, 2}) {
        expect_none(run(2, 32, body(false, false), 1, 2, seed));
        expect_none(run(2, 32, body(false, true), 1, 2, seed));
        EXPECT_TRUE(run(2, 32, body(true, false), 1, 2, seed).has(read_after_write));
    }
}

TEST(Clusters, ARelaxedArrivalOrdersNoStoreToGlobalMemory) {
    const auto body = [](bool relaxed) {
        return [relaxed](auto A, auto) {
            A[blockIdx.x * 32 + threadIdx.x] = 1.0f;
            relaxed ? cluster_arrive_relaxed() : cluster_arrive();
            cluster_wait();
            A[1024 + blockIdx.x * 32 + threadIdx.x] = A[(blockIdx.x ^ 1) * 32 + threadIdx.x];
        };
    };
    expect_none(run(2, 32, body(false), 1, 2));
    EXPECT_TRUE(run(2, 32, body(true), 1, 2).has(block_race));
}

TEST(Clusters, OrderTheirBlocksThreadsToo) {
    expect_none(run(
        2, kThreads,
        [](auto A, auto) {
            SHARED(float, As, kThreads);
            As[threadIdx.x] = 1.0f;
            cluster_barrier();
            A[blockIdx.x * kThreads + threadIdx.x] = As[kThreads - 1 - threadIdx.x];
            A[blockIdx.x * kThreads + threadIdx.x] =
                map_shared_rank(As, cluster_rank())[threadIdx.x ^ 33];
        },
        1, 2));
}

TEST(Clusters, OrderGlobalMemory) {
    const auto body = [](bool meets) {
        return [meets](auto A, auto) {
            A[blockIdx.x * kThreads + threadIdx.x] = 1.0f;
            if (meets) cluster_barrier();
            A[1024 + blockIdx.x * kThreads + threadIdx.x] =
                A[(blockIdx.x ^ 1) * kThreads + threadIdx.x];
        };
    };
    expect_none(run(4, kThreads, body(true), 2, 2));
    EXPECT_TRUE(run(4, kThreads, body(false), 1, 2).has(block_race));
    // Blocks of different clusters do not meet.
    EXPECT_TRUE(run(
                    4, 32,
                    [](auto A, auto) {
                        A[blockIdx.x * 32 + threadIdx.x] = 1.0f;
                        cluster_barrier();
                        A[1024 + blockIdx.x * 32 + threadIdx.x] =
                            A[(blockIdx.x ^ 2) * 32 + threadIdx.x];
                    },
                    1, 2)
                    .has(block_race));
}

TEST(Clusters, ReadACopyThatIsUnderWay) {
    const auto body = [](bool waits) {
        return [waits](auto A, auto) {
            SHARED(float, As, 32);
            SHARED(Barrier, full, 1);
            if (threadIdx.x == 0) {
                mbarrier_init(full, 1);
                mbarrier_arrive_expect(full, 128);
                cp_async_bulk(As, A, 128, full);
            }
            __syncthreads();
            if (waits) mbarrier_wait(full, 0);
            cluster_barrier();
            A[1024 + blockIdx.x * 32 + threadIdx.x] =
                map_shared_rank(As, cluster_rank() ^ 1)[threadIdx.x];
            cluster_barrier();
            mbarrier_wait(full, 0);
        };
    };
    expect_none(run(2, 32, body(true), 1, 2));
    EXPECT_TRUE(run(2, 32, body(false), 1, 2).has(incomplete_copy));
}

TEST(Clusters, WaitForWhoDoesNotCome) {
    // One block's threads wait for an mbarrier, the other's for them.
    const Found found = run(
        2, 32,
        [](auto, auto) {
            SHARED(Barrier, full, 1);
            if (threadIdx.x == 0) mbarrier_init(full, 33);
            __syncthreads();
            if (cluster_rank() == 0 && threadIdx.x < 8) mbarrier_wait(full, 0);
            cluster_barrier();
        },
        1, 2);
    EXPECT_TRUE(found.has(block_deadlock)) << found.text();
    EXPECT_NE(found.text().find("8 threads wait for an mbarrier"), std::string::npos);
    EXPECT_NE(found.text().find("24 threads wait for the cluster's barrier at line"),
              std::string::npos);
    // Who has not arrived does not wait for its own arrival.
    expect_only(run(
                    2, 32, [](auto, auto) { cluster_wait(); }, 1, 2),
                block_deadlock, 0, {"32 threads wait for the cluster's barrier"});
}

TEST(Clusters, OneBlockIsOneToo) {
    expect_none(run(3, 64, [](auto A, auto) {
        SHARED(float, As, 64);
        As[threadIdx.x] = 1.0f;
        cluster_barrier();
        A[blockIdx.x * 64 + threadIdx.x] =
            As[63 - threadIdx.x] + static_cast<float>(cluster_rank());
    }));
}

TEST(Clusters, ArriveTwice) {
    expect_only(run(
                    2, 1,
                    [](auto, auto) {
                        cluster_arrive();
                        cluster_arrive();
                        cluster_wait();
                    },
                    1, 2),
                excess_arrival, __LINE__ - 4);
}

TEST(Clusters, GoOnOnceThreadsThatEndedAreGone) {
    const Found found = run(
        2, 64,
        [](auto, auto) {
            if (threadIdx.x >= 40) return;
            cluster_barrier();
        },
        1, 2);
    expect_only(found, exited_thread, 0, {"40 threads arrive at the cluster's barrier, 24 have"});
    EXPECT_TRUE(found.hazards[0].is_warning());
}

TEST(Clusters, HaveSoManyBlocks) {
    expect_only(run(
                    2, 1,
                    [](auto, auto) {
                        SHARED(float, As, 1);
                        As[0] = 1.0f;
                        map_shared_rank(As, 2);
                    },
                    1, 2),
                out_of_bounds, __LINE__ - 3, {"block 2 of a cluster of 2"});
    simt::Machine machine(1);
    for (const unsigned cluster : {0u, 2u, 16u})
        EXPECT_FALSE(
            machine
                .launch(
                    {.grid = 3, .block = 1, .counted = true, .cluster = cluster, .thread = [] {}})
                .ok());
}

TEST(Clusters, LoadsAreCounted) {
    simt::Machine machine(1);
    const auto body = [] {
        SHARED(float, As, 4 * 32);
        st(As + 4 * threadIdx.x, float4{});
        cluster_barrier();
        ld<float4>(map_shared_rank(As, cluster_rank() ^ 1) + 4 * threadIdx.x);
        cluster_barrier();
    };
    EXPECT_TRUE(
        machine.launch({.grid = 2, .block = 32, .counted = true, .cluster = 2, .thread = body})
            .ok());
    const auto loads = machine.take_counters().total(simt::Operation::cluster_load);
    EXPECT_EQ(loads.requests, 2u);
    EXPECT_EQ(loads.bytes, 2u * 512);
    EXPECT_EQ(loads.sectors, 2u * 16);
}

}  // namespace
}  // namespace tilewright
