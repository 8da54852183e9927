// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// As hazards_test: barriers, deadlock, other blocks, and results.
#include "tests/hazards.h"

namespace tilewright {
namespace {

// --- barriers and deadlock

TEST(Barriers, InABranch) {
    const Found found = run(1, 64, [](auto, auto) {
        if (threadIdx.x < 40)
            __syncthreads();
        else
            __syncthreads();
    });
    expect_only(found, divergent_barrier, 0,
                {"40 threads wait at line", "24 threads wait at line"});
}

TEST(Barriers, ThatEndedThreadsDoNotReach) {
    const Found found = run(1, 64, [](auto, auto) {
        if (threadIdx.x >= 40) return;
        __syncthreads();
    });
    expect_only(found, exited_thread, __LINE__ - 2, {"40 threads wait, 24 have ended"});
    EXPECT_TRUE(found.hazards[0].is_warning());
}

TEST(Barriers, OfAWarpAgainstOneOfTheBlock) {
    const Found found = run(1, 32, [](auto, auto) {
        if (threadIdx.x < 8)
            __syncwarp();
        else
            __syncthreads();
    });
    expect_only(found, block_deadlock, 0,
                {"8 threads wait for __syncwarp()", "24 threads wait for __syncthreads()"});
}

TEST(Barriers, AShuffleThatLanesDoNotComeTo) {
    const Found found = run(1, 32, [](auto A, auto) {
        if (threadIdx.x < 8)
            A[threadIdx.x] = __shfl_xor_sync(~0u, 1.0f, 1);
        else
            __syncthreads();
    });
    expect_only(found, block_deadlock, 0,
                {"8 threads wait for a shuffle", "24 threads wait for __syncthreads()"});
}

TEST(Barriers, AShuffleOfAPartOfAWarp) {
    const Found found = run(1, 32, [](auto A, auto) {
        const float own = static_cast<float>(threadIdx.x);
        if (threadIdx.x < 8)
            A[threadIdx.x] = __shfl_xor_sync(0xff, own, 7);
        else
            A[threadIdx.x] = __shfl_xor_sync(0xffffff00, own, 16);
    });
    expect_none(found);
    for (int i = 0; i < 32; ++i) {
        const int partner = i < 8 ? i ^ 7 : i ^ 16;
        if ((partner < 8) == (i < 8))
            EXPECT_EQ(found.memory.words[i], static_cast<float>(partner)) << i;
        else
            EXPECT_NE(found.memory.words[i], found.memory.words[i]) << i;
    }
}

TEST(Barriers, OfAPartOfAWarp) {
    expect_none(run(1, 32, [](auto A, auto) {
        SHARED(float, As, 8);
        if (threadIdx.x >= 8) return;
        As[threadIdx.x] = 1.0f;
        __syncwarp(0xff);
        A[threadIdx.x] = As[7 - threadIdx.x];
    }));
}

TEST(Barriers, DeadlockLeavesTheMachineUsable) {
    simt::Machine machine(2);
    const auto launch = [&](std::function<void()> body) {
        return machine.launch({.grid = 8, .block = 64, .counted = true, .thread = body});
    };
    EXPECT_FALSE(launch([] {
                     SHARED(Barrier, b, 1);
                     if (threadIdx.x == 0) mbarrier_init(b, 65);
                     __syncthreads();
                     mbarrier_arrive(b);
                     mbarrier_wait(b, 0);
                 }).ok());
    EXPECT_TRUE(launch([] { __syncthreads(); }).ok());
}

// --- between blocks

TEST(Blocks, WriteOneElement) {
    const Found found = run(2, 32, [](auto A, auto) { A[threadIdx.x] = 1.0f; });
    expect_only(found, block_race, __LINE__ - 1, {"block (1, 0, 0)", "block (0, 0, 0), thread"});
    expect_only(run(1, 64, [](auto A, auto) { A[threadIdx.x / 2] = 1.0f; }), thread_race,
                __LINE__ - 1);
}

TEST(Blocks, ReadWhatAnotherWrites) {
    const Found found = run(2, 1, [](auto A, auto) {
        if (blockIdx.x == 0)
            A[0] = 1.0f;
        else
            A[1] = A[0];
    });
    expect_only(found, block_race, __LINE__ - 2);
}

TEST(Blocks, AddAtomically) {
    const Found found = run(
        4, 32, [](auto A, auto) { atomic_add(A + threadIdx.x, 1.0f); }, 2);
    expect_none(found);
    EXPECT_EQ(found.memory.words[31], 4.0f);
    EXPECT_TRUE(run(2, 1, [](auto A, auto) {
                    if (blockIdx.x == 0)
                        atomic_add(A, 1.0f);
                    else
                        A[0] = 1.0f;
                }).has(block_race));
}

/// The last block to come adds what all have left: split-K's reduction.
void last_block_adds(GlobalPtr<float> A, GlobalPtr<unsigned> flags, bool releases, bool acquires) {
    SHARED(unsigned, ticket, 1);
    A[64 + blockIdx.x * 32 + threadIdx.x] = 1.0f;
    if (releases) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) ticket[0] = atomic_add(flags, 1u);
    __syncthreads();
    if (ticket[0] != gridDim.x - 1) return;
    if (acquires) __threadfence();
    float sum = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += A[64 + b * 32 + threadIdx.x];
    A[threadIdx.x] = sum;
}

TEST(Blocks, MeetThroughFencesAndATicket) {
    for (const unsigned workers : {1u, 2u}) {
        const Found right = run(
            8, 32, [](auto A, auto f) { last_block_adds(A, f, true, true); }, workers);
        // Thread 0's fence covers what it has seen itself; the others' lines need their own.
        EXPECT_EQ(right.memory.words[5], 8.0f);
    }
    EXPECT_TRUE(
        run(8, 32, [](auto A, auto f) { last_block_adds(A, f, false, true); }).has(block_race));
}

/// Each block adds to what the one before it has left: stream-K's fix-up.
void chain(GlobalPtr<float> A, GlobalPtr<unsigned> flags, bool releases, bool acquires) {
    if (blockIdx.x > 0) {
        if (threadIdx.x == 0) {
            if (acquires)
                while (ld_acquire(flags + blockIdx.x - 1) == 0) {
                }
            else
                while (ld_volatile<unsigned>(flags + blockIdx.x - 1) == 0) {
                }
        }
        __syncthreads();
    }
    A[threadIdx.x] = (blockIdx.x > 0 ? A[threadIdx.x] : 0.0f) + 1.0f;
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (releases)
        st_release(flags + blockIdx.x, 1);
    else
        st_volatile(flags + blockIdx.x, 1u);
}

TEST(Blocks, HandOnThroughReleaseAndAcquire) {
    for (const unsigned workers : {1u, 2u}) {
        const Found right = run(
            8, 64, [](auto A, auto f) { chain(A, f, true, true); }, workers);
        expect_none(right);
        EXPECT_EQ(right.memory.words[63], 8.0f);
    }
    EXPECT_TRUE(run(8, 64, [](auto A, auto f) { chain(A, f, false, true); }).has(block_race));
    EXPECT_TRUE(run(8, 64, [](auto A, auto f) { chain(A, f, true, false); }).has(block_race));
}

TEST(Blocks, WaitForOneThatComesLater) {
    // Block 0 cannot go on before the last has run: the machine must keep it and take others.
    const Found found = run(16, 32, [](auto A, auto flags) {
        if (blockIdx.x == 0)
            while (ld_acquire(flags) < 15) {
            }
        else if (threadIdx.x == 0)
            atomic_add_acq_rel(flags, 1u);
        A[blockIdx.x * 32 + threadIdx.x] = 1.0f;
    });
    expect_none(found);
}

TEST(Blocks, WaitForWhatNeverComes) {
    for (const unsigned workers : {1u, 2u}) {
        const Found found = run(
            4, 32,
            [](auto, auto flags) {
                while (ld_acquire(flags) == 0) {
                }
            },
            workers);
        expect_only(found, grid_deadlock, __LINE__ - 4, {"32 threads wait for a flag"});
    }
}

TEST(Blocks, OfLaterLaunchesAreOrdered) {
    alignas(256) float words[32] = {};
    const Bounds a(words, 1, 32, 0, "A");
    simt::Machine machine(2);
    for (const unsigned blocks : {1, 2, 4}) {
        const Status status =
            machine.launch({.grid = blocks, .block = 32 / blocks, .counted = true, .thread = [&] {
                                const auto A = global_ptr(words, a);
                                const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                                A[i] = A[i] + 1.0f;
                            }});
        EXPECT_TRUE(status.ok()) << status.reason;
    }
}

TEST(Blocks, ReadByAThirdThatWasForgotten) {
    const Found found = run(3, 1, [](auto A, auto flags) {
        if (blockIdx.x == 0) {
            A[10] = A[0];
            st_release(flags, 1);
        } else if (blockIdx.x == 1) {
            A[11] = A[0];
        } else {
            while (ld_acquire(flags) == 0) {
            }
            A[0] = 1.0f;
        }
    });
    EXPECT_TRUE(found.has(block_race)) << found.text();
}

TEST(Blocks, MeetWithinABlockThroughAFlag) {
    expect_none(run(1, 64, [](auto A, auto flags) {
        if (threadIdx.x == 0) {
            A[0] = 1.0f;
            st_release(flags, 1);
        } else if (threadIdx.x == 32) {
            while (ld_acquire(flags) == 0) {
            }
            A[1] = A[0];
        }
    }));
}

TEST(Blocks, ThatAskAgainAreNotStuck) {
    // A flag that is set already, asked for in each round of other work.
    expect_none(run(2, 32, [](auto A, auto flags) {
        if (threadIdx.x == 0) st_release(flags + blockIdx.x, 1);
        __syncthreads();
        float sum = 0.0f;
        for (int t = 0; t < 4; ++t) {
            while (ld_acquire(flags + blockIdx.x) == 0) {
            }
            A[blockIdx.x * 32 + threadIdx.x] = sum;
            while (ld_acquire(flags + blockIdx.x) == 0) {
            }
            sum += A[blockIdx.x * 32 + threadIdx.x];
        }
    }));
    // Two flags in turn, and an atomic that changes nothing.
    for (const unsigned workers : {1u, 2u})
        expect_none(run(
            3, 32,
            [](auto A, auto flags) {
                if (blockIdx.x == 0) {
                    while (ld_acquire(flags) == 0 || ld_acquire(flags + 1) == 0) {
                    }
                    while (atomic_add_acq_rel(flags, 0u) == 0) {
                    }
                    A[threadIdx.x] = 1.0f;
                } else if (threadIdx.x == 0) {
                    st_release(flags + blockIdx.x - 1, 1);
                }
            },
            workers));
}

TEST(Blocks, WaitForTheirOwnThreads) {
    const Found found = run(1, 64, [](auto A, auto) {
        SHARED(unsigned, flag, 1);
        if (threadIdx.x == 0) flag[0] = 0;
        __syncthreads();
        if (threadIdx.x == 0) {
            while (flag[0] == 0u) {
            }
            A[0] = 1.0f;
        } else if (threadIdx.x == 63) {
            flag[0] = 1u;
        }
    });
    EXPECT_TRUE(found.has(plain_spin)) << found.text();
    EXPECT_EQ(found.memory.words[0], 1.0f);
}

TEST(Blocks, ThatOnlyLoadForLongAreNotStuck) {
    // More than a machine waits for what nobody can see, in loads and products alone.
    const auto start = std::chrono::steady_clock::now();
    const auto is_long = [&] {
        return std::chrono::steady_clock::now() - start > std::chrono::seconds(4);
    };
    expect_none(run(2, 1, [&](auto A, auto) {
        float sum = 0.0f;
        for (unsigned i = 0; i % 512 != 0 || i == 0 || !is_long(); ++i)
            sum = fma_(A[1024 + i % 2048], 1.0f, sum);
        A[blockIdx.x] = sum;
    }));
}

TEST(Blocks, PollsAreCountedOnce) {
    unsigned flags[2] = {};
    const Bounds bounds(flags, 1, 2, 0, "flags");
    simt::Machine machine(1);
    EXPECT_TRUE(machine
                    .launch({.grid = 2,
                             .block = 1,
                             .counted = true,
                             .thread =
                                 [&] {
                                     const auto p = global_ptr(flags, bounds);
                                     if (blockIdx.x == 0)
                                         while (ld_acquire(p) == 0) {
                                         }
                                     else
                                         st_release(p, 1);
                                 }})
                    .ok());
    const simt::Counters counters = machine.take_counters();
    EXPECT_EQ(counters.total(Operation::global_load).requests, 1u);
    EXPECT_EQ(counters.total(Operation::global_store).requests, 1u);
}

TEST(Blocks, WaitWithPlainLoads) {
    const Found found = run(2, 1, [](auto A, auto flags) {
        if (blockIdx.x == 0)
            while (flags[0] == 0u) {
            }
        else
            st_release(flags, 1);
        A[blockIdx.x] = 1.0f;
    });
    EXPECT_TRUE(found.has(plain_spin)) << found.text();
}

// --- results

TEST(Results, ThatNobodyWrites) {
    alignas(256) float words[8 * 8] = {};
    const Bounds c(words, 7, 5, 8, "C");
    simt::Machine machine(1);
    const auto launch = [&](unsigned rows) {
        return machine.launch(
            {.grid = 1, .block = {5, rows}, .counted = true, .result = &c, .thread = [&] {
                 global_ptr(words, c)[threadIdx.y * 8 + threadIdx.x] = 1.0f;
             }});
    };
    EXPECT_TRUE(launch(7).ok());
    const Bounds again(words, 7, 5, 8, "C");
    const Status status = machine.launch(
        {.grid = 1, .block = {5, 6}, .counted = true, .result = &again, .thread = [&] {
             global_ptr(words, again)[threadIdx.y * 8 + threadIdx.x] = 1.0f;
         }});
    EXPECT_NE(status.reason.find("5 of 35 elements, first C[6][0]"), std::string::npos)
        << status.reason;
}

TEST(Exceptions, AreReported) {
    const Found found = run(1, 1, [](auto, auto) {
        SHARED(float, tile, 48 * 1024 / 4 + 1);
        tile[0] = 1.0f;
    });
    expect_only(found, exception, 0, {"48 KiB"});
}

}  // namespace
}  // namespace tilewright
