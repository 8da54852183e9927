// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A planted fault of every kind is found at its place; the right kernel beside it is not accused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "device/kernel.h"

#pragma GCC diagnostic ignored "-Wuninitialized"  // on purpose

namespace tilewright {
namespace {

using simt::Hazard;
using simt::HazardKind;
using enum simt::HazardKind;

struct alignas(256) Memory {
    float words[4096] = {};
};

struct Found {
    std::vector<Hazard> hazards;
    Memory memory;

    bool has(HazardKind kind) const {
        return std::any_of(hazards.begin(), hazards.end(),
                           [&](const Hazard& hazard) { return hazard.kind == kind; });
    }
    std::string text() const {
        std::string all;
        for (const Hazard& hazard : hazards) all += hazard.sentence() + '\n';
        return all;
    }
};

using Body = std::function<void(GlobalPtr<float>, GlobalPtr<unsigned>)>;

/// Runs a body with 4096 floats, A, and 16 flags that start as 0.
Found run(Grid grid, Grid block, const Body& body, unsigned workers = 1) {
    Found found;
    unsigned flags[16] = {};
    const Bounds a(found.memory.words, 1, 4096, 0, "A");
    const Bounds f(flags, 1, 16, 0, "flags");
    simt::Machine machine(workers);
    const Status status =
        machine.launch({.grid = grid, .block = block, .counted = true, .thread = [&] {
                            body(global_ptr(found.memory.words, a), global_ptr(flags, f));
                        }});
    found.hazards = machine.take_hazards();
    const bool told = std::any_of(found.hazards.begin(), found.hazards.end(),
                                  [](const Hazard& hazard) { return !hazard.is_warning(); });
    EXPECT_EQ(status.ok(), !told) << status.reason;
    return found;
}

/// That kind alone is found, once, at this line (0: any), and its sentence says all this.
void expect_only(const Found& found, HazardKind kind, unsigned line,
                 const std::vector<std::string>& words = {}) {
    ASSERT_EQ(found.hazards.size(), 1u) << found.text();
    EXPECT_EQ(found.hazards[0].kind, kind) << found.text();
    if (line) {
        EXPECT_EQ(found.hazards[0].line, line) << found.text();
    }
    for (const std::string& word : words)
        EXPECT_NE(found.text().find(word), std::string::npos) << word << " in " << found.text();
}

void expect_none(const Found& found) {
    EXPECT_TRUE(found.hazards.empty()) << found.text();
}

// --- bounds and alignment

TEST(Bounds, OutsideAMatrixAreNotTouched) {
    alignas(256) float words[12];
    std::fill(std::begin(words), std::end(words), 7.0f);
    const Bounds bounds(words + 4, 2, 2, 2, "A");  // words 4 to 7; the rest must keep its bits
    const auto sentence_of = [&](std::function<void(GlobalPtr<float>)> body) {
        simt::Machine machine(1);
        const Status status =
            machine.launch({.grid = 1, .block = 1, .counted = true, .thread = [&] {
                                body(global_ptr(words + 4, bounds));
                            }});
        for (int i : {0, 1, 2, 3, 8, 9, 10, 11}) EXPECT_EQ(words[i], 7.0f) << i;
        return status.reason;
    };
    const std::string after = sentence_of([](GlobalPtr<float> A) { A[4] = 1.0f; });
    const std::string line = "line " + std::to_string(__LINE__ - 1);
    EXPECT_EQ(after.find("out of bounds: global store of 4 bytes at A[2][0], which is 2 x 2; " +
                         line + ", column "),
              0u)
        << after;
    EXPECT_NE(after.find("block (0, 0, 0), thread (0, 0, 0)"), std::string::npos) << after;
    EXPECT_NE(after.find("Usual cause: a guard"), std::string::npos) << after;
    EXPECT_NE(sentence_of([](GlobalPtr<float> A) { A[-1] = 1.0f; }).find("A[-1][1]"),
              std::string::npos);
    EXPECT_NE(sentence_of([](GlobalPtr<float> A) { st(A + 2, float4{}); }).find("16 bytes at A[1]"),
              std::string::npos);
}

TEST(Bounds, OfANullMatrixHoldNothing) {
    simt::Machine machine(1);
    const Bounds bounds(static_cast<float*>(nullptr), 0, 0, 1, "A");
    const Status status = machine.launch({.grid = 1, .block = 1, .counted = true, .thread = [&] {
                                              global_ptr(static_cast<float*>(nullptr), bounds)[-1] =
                                                  1.0f;
                                          }});
    EXPECT_NE(status.reason.find("out of bounds"), std::string::npos) << status.reason;
}

TEST(Bounds, OfASharedArrayEndBeforeItsNeighbour) {
    expect_only(run(1, 1,
                    [](auto A, auto) {
                        SHARED(float, As, 4);
                        SHARED(float, Bs, 4);
                        Bs[0] = 1.0f;
                        A[0] = As[4];
                    }),
                out_of_bounds, __LINE__ - 2, {"shared load of 4 bytes at As[4], which has 4"});
}

TEST(Bounds, OfAPlaceAreToldOnce) {
    const Found found = run(4, 64, [](auto A, auto) {
        for (int i = 0; i < 3; ++i) A[4096 + threadIdx.x] = 1.0f;
    });
    expect_only(found, out_of_bounds, __LINE__ - 2, {"block (0, 0, 0), thread (0, 0, 0)"});
}

TEST(Alignment, OfVectorAccesses) {
    const Found global = run(1, 1, [](auto A, auto) { A[0] = ld<float4>(A + 1).x; });
    expect_only(global, misaligned, __LINE__ - 1, {"global load of 16 bytes at A[1]"});
    EXPECT_TRUE(std::isnan(global.memory.words[0]));
    expect_only(run(1, 1,
                    [](auto, auto) {
                        SHARED(float, As, 8);
                        st(As + 2, float4{});
                    }),
                misaligned, __LINE__ - 2, {"shared store of 16 bytes at As[2]"});
}

// --- races in shared memory

TEST(SharedRace, ReadAfterWriteNamesBoth) {
    const Found found = run(1, 64, [](auto A, auto) {
        SHARED(float, As, 64);
        As[threadIdx.x] = 1.0f;
        A[threadIdx.x] = As[63 - threadIdx.x];
    });
    expect_only(found, read_after_write, __LINE__ - 2,
                {"shared load at As[", "writes it at line " + std::to_string(__LINE__ - 4),
                 "__syncthreads()"});
    expect_none(run(1, 64, [](auto A, auto) {
        SHARED(float, As, 64);
        As[threadIdx.x] = 1.0f;
        __syncthreads();
        A[threadIdx.x] = As[63 - threadIdx.x];
    }));
}

TEST(SharedRace, WriteAfterRead) {
    const auto body = [](bool waits) {
        return [waits](auto A, auto) {
            SHARED(float, As, 64);
            for (int t = 0; t < 3; ++t) {
                As[threadIdx.x] = 1.0f;
                __syncthreads();
                A[threadIdx.x] = As[63 - threadIdx.x];
                if (waits) __syncthreads();
            }
        };
    };
    const Found found = run(1, 64, body(false));
    expect_only(found, write_after_read, __LINE__ - 8, {"reads it at line"});
    expect_none(run(1, 64, body(true)));
}

TEST(SharedRace, WriteAfterWrite) {
    expect_only(run(1, 64,
                    [](auto, auto) {
                        SHARED(float, As, 64);
                        As[threadIdx.x / 2] = 1.0f;
                    }),
                write_after_write, __LINE__ - 2, {"of the same warp"});
}

TEST(SharedRace, OfOneWordOfAVector) {
    expect_only(run(1, 32,
                    [](auto A, auto) {
                        SHARED(float, As, 128);
                        As[threadIdx.x * 4 + 3] = 1.0f;
                        As[threadIdx.x * 4 + 2] = 1.0f;
                        As[threadIdx.x * 4 + 1] = 1.0f;
                        As[threadIdx.x * 4] = 1.0f;
                        if (threadIdx.x == 31) A[0] = ld<float4>(As + 4).x;
                    }),
                read_after_write, __LINE__ - 2);
}

TEST(SharedRace, WithinAWarp) {
    const auto body = [](bool waits) {
        return [waits](auto A, auto) {
            SHARED(float, As, 32);
            As[threadIdx.x] = 1.0f;
            if (waits) __syncwarp();
            A[threadIdx.x] = As[threadIdx.x ^ 1];
        };
    };
    expect_only(run(1, 32, body(false)), read_after_write, 0, {"of the same warp", "__syncwarp()"});
    expect_none(run(1, 32, body(true)));
}

TEST(SharedRace, BetweenWarpsThatOnlyWaitForThemselves) {
    expect_only(run(1, 64,
                    [](auto A, auto) {
                        SHARED(float, As, 64);
                        As[threadIdx.x] = 1.0f;
                        __syncwarp();
                        A[threadIdx.x] = As[threadIdx.x ^ 32];
                    }),
                read_after_write, __LINE__ - 2);
}

TEST(SharedRace, WithTheThirdReader) {
    // Warp 0 writes what all warps have read; only warps 0 and 1 are ordered before it.
    const auto body = [](unsigned arrivals) {
        return [arrivals](auto A, auto) {
            SHARED(float, As, 1);
            SHARED(Barrier, read, 1);
            if (threadIdx.x == 0) As[0] = 1.0f, mbarrier_init(read, arrivals);
            __syncthreads();
            A[threadIdx.x] = As[0];
            if (threadIdx.x / 32 < arrivals / 32) mbarrier_arrive(read);
            if (threadIdx.x == 0) {
                mbarrier_wait(read, 0);
                As[0] = 2.0f;
            }
        };
    };
    expect_only(run(1, 96, body(64)), write_after_read, 0, {"As[0]"});
    expect_none(run(1, 96, body(96)));
}

// --- what nobody has written

TEST(Uninitialised, SharedMemory) {
    const Found found = run(1, 32, [](auto A, auto) {
        SHARED(float, As, 64);
        As[threadIdx.x] = 1.0f;
        __syncthreads();
        A[threadIdx.x] = As[threadIdx.x + 1];
    });
    expect_only(found, uninitialised_shared, __LINE__ - 2,
                {"shared load of 4 bytes at As[32]", "thread (31, 0, 0)"});
    EXPECT_TRUE(std::isnan(found.memory.words[31]));
}

TEST(Uninitialised, SharedMemoryOfTheNextBlock) {
    const Found found = run(2, 1, [](auto A, auto) {
        SHARED(float, As, 1);
        if (blockIdx.x == 0) As[0] = 1.0f;
        A[blockIdx.x] = As[0];
    });
    expect_only(found, uninitialised_shared, __LINE__ - 2, {"block (1, 0, 0)"});
}

TEST(Uninitialised, SharedMemoryThatIsAddedTo) {
    expect_only(run(1, 32,
                    [](auto, auto) {
                        SHARED(float, As, 32);
                        As[threadIdx.x] += 1.0f;
                    }),
                uninitialised_shared, __LINE__ - 2);
}

TEST(Uninitialised, Accumulator) {
    const Found found = run(1, 32, [](auto A, auto) {
        float acc[4];
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 3; ++k) acc[i] = fma_(1.0f, 2.0f, acc[i]);
        for (int i = 0; i < 4; ++i) A[threadIdx.x * 4 + i] = acc[i];
    });
    EXPECT_TRUE(found.has(uninitialised_register)) << found.text();
    EXPECT_EQ(found.hazards[0].line, unsigned{__LINE__ - 4}) << found.text();
}

TEST(Uninitialised, FragmentOfWhichAPartIsLoaded) {
    const Found found = run(1, 1, [](auto A, auto) {
        float acc = 0.0f;
        for (int k = 0; k < 2; ++k) {
            float a[4];
            for (int i = 0; i < 3; ++i) a[i] = A[i];
            for (int i = 0; i < 4; ++i) acc = fma_(a[i], 1.0f, acc);
        }
        A[0] = acc;
    });
    EXPECT_TRUE(found.has(uninitialised_register)) << found.text();
    EXPECT_EQ(found.hazards[0].line, unsigned{__LINE__ - 5}) << found.text();
}

TEST(Uninitialised, RegisterThatIsStored) {
    expect_only(run(1, 1,
                    [](auto A, auto) {
                        float4 v;
                        v.x = v.y = v.z = 0.0f;
                        st(A + 0, v);
                    }),
                uninitialised_register, __LINE__ - 2);
}

// --- asynchronous copies

template <int kWaitFor>
void pipeline(GlobalPtr<float> A, bool commits) {
    SHARED(float, As, 3 * 32);
    for (int t = 0; t < 3; ++t) {
        cp_async<4>(As + t * 32 + threadIdx.x, A + t * 32 + threadIdx.x);
        if (commits) cp_async_commit();
    }
    cp_async_wait<kWaitFor>();
    A[1024 + threadIdx.x] = As[32 + threadIdx.x];
}

TEST(CopyAsync, ReadAGroupTooEarly) {
    constexpr unsigned kRead = __LINE__ - 4;
    expect_only(run(1, 32, [](auto A, auto) { pipeline<2>(A, true); }), incomplete_copy, kRead,
                {"begins a copy to it at line"});
    expect_none(run(1, 32, [](auto A, auto) { pipeline<1>(A, true); }));
}

TEST(CopyAsync, NotCommitted) {
    expect_only(run(1, 32, [](auto A, auto) { pipeline<0>(A, false); }), incomplete_copy, 0);
}

TEST(CopyAsync, PoisonsUntilItIsWaitedFor) {
    const Found found = run(1, 1, [](auto A, auto) {
        SHARED(float, As, 4);
        A[0] = 5.0f;
        cp_async<16>(As, A);
        A[8] = As[0];
        cp_async_commit();
        cp_async_wait<0>();
        A[9] = As[0];
    });
    EXPECT_TRUE(found.has(incomplete_copy));
    EXPECT_TRUE(std::isnan(found.memory.words[8]));
    EXPECT_EQ(found.memory.words[9], 5.0f);
}

TEST(CopyAsync, OfAnotherThreadNeedsABarrierBesides) {
    const auto body = [](bool waits) {
        return [waits](auto A, auto) {
            SHARED(float, As, 32);
            cp_async<4>(As + threadIdx.x, A + threadIdx.x);
            cp_async_commit();
            cp_async_wait<0>();
            if (waits) __syncthreads();
            A[64 + threadIdx.x] = As[threadIdx.x ^ 1];
        };
    };
    const Found found = run(1, 32, body(false));
    EXPECT_TRUE(found.has(read_after_write) || found.has(incomplete_copy)) << found.text();
    expect_none(run(1, 32, body(true)));
}

TEST(CopyAsync, IntoWhatIsStillRead) {
    const Found found = run(1, 64, [](auto A, auto) {
        SHARED(float, As, 64);
        As[threadIdx.x] = 1.0f;
        __syncthreads();
        A[threadIdx.x] = As[63 - threadIdx.x];
        cp_async<4>(As + threadIdx.x, A + 64 + threadIdx.x);
    });
    expect_only(found, write_after_read, __LINE__ - 2);
}

TEST(CopyAsync, FillsWithZerosWhatItDoesNotRead) {
    const Found found = run(1, 1, [](auto A, auto) {
        SHARED(float, As, 4);
        cp_async<16>(As, A + 4092, 8);
        cp_async_commit();
        cp_async_wait<0>();
        A[0] = As[3];
        cp_async<16>(As, A + 4096, 0);  // one past the end, and nothing of it is read
        cp_async_commit();
        cp_async_wait<0>();
    });
    expect_none(found);
    EXPECT_EQ(found.memory.words[0], 0.0f);
    expect_only(run(1, 1,
                    [](auto A, auto) {
                        SHARED(float, As, 4);
                        cp_async<16>(As, A + 1);
                    }),
                misaligned, __LINE__ - 2, {"A[1]"});
}

TEST(CopyAsync, OfMoreThanItsBytes) {
    for (const int bytes : {20, -4})
        expect_only(run(1, 1,
                        [=](auto A, auto) {
                            SHARED(float, As, 4);
                            cp_async<16>(As, A, bytes);
                        }),
                    out_of_bounds, __LINE__ - 2,
                    {"a copy of 16 bytes that reads " + std::to_string(bytes)});
}

// --- mbarriers

/// Two stages, filled by thread 0 through the copy engine, read by warp 1.
void bulk_pipeline(GlobalPtr<float> A, bool waits_for_full, bool waits_for_empty, unsigned bytes) {
    SHARED(float, As, 2 * 32);
    SHARED(Barrier, full, 2);
    SHARED(Barrier, empty, 2);
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; ++i) {
            mbarrier_init(full + i, 1);
            mbarrier_init(empty + i, 32);
        }
    __syncthreads();
    for (int t = 0; t < 6; ++t) {
        const int stage = t % 2;
        const unsigned phase = t / 2 % 2;
        if (threadIdx.x == 0) {
            if (waits_for_empty) mbarrier_wait(empty + stage, phase ^ 1);
            mbarrier_arrive_expect(full + stage, bytes);
            cp_async_bulk(As + stage * 32, A + t * 32, 128, full + stage);
        }
        if (threadIdx.x >= 32) {
            if (waits_for_full) mbarrier_wait(full + stage, phase);
            A[1024 + t * 32 + threadIdx.x % 32] = As[stage * 32 + (threadIdx.x ^ 1) % 32];
            mbarrier_arrive(empty + stage);
        }
    }
}

TEST(Mbarrier, PipelineIsRight) {
    const Found found = run(1, 64, [](auto A, auto) {
        for (int i = 0; i < 3; ++i)
            A[threadIdx.x * 3 + i] = static_cast<float>(threadIdx.x * 3 + i);
        __syncthreads();
        bulk_pipeline(A, true, true, 128);
    });
    expect_none(found);
    for (int i = 0; i < 6 * 32; ++i) EXPECT_EQ(found.memory.words[1024 + i], i ^ 1) << i;
}

TEST(Mbarrier, NotWaitedForItsPhase) {
    const Found found = run(1, 64, [](auto A, auto) { bulk_pipeline(A, false, true, 128); });
    EXPECT_TRUE(found.has(incomplete_copy) || found.has(uninitialised_shared)) << found.text();
}

TEST(Mbarrier, OverwritesWhatIsStillRead) {
    const Found found = run(1, 64, [](auto A, auto) { bulk_pipeline(A, true, false, 128); });
    EXPECT_TRUE(found.has(write_after_write) || found.has(incomplete_copy)) << found.text();
}

TEST(Mbarrier, BytesThatDoNotComeEndInADeadlock) {
    const Found found = run(1, 64, [](auto A, auto) { bulk_pipeline(A, true, true, 256); });
    expect_only(found, block_deadlock, 0, {"wait for an mbarrier at line"});
}

TEST(Mbarrier, OfCopiesByThreads) {
    const auto body = [](bool waits) {
        return [waits](auto A, auto) {
            SHARED(float, As, 64);
            SHARED(Barrier, full, 1);
            if (threadIdx.x == 0) mbarrier_init(full, 32);
            __syncthreads();
            if (threadIdx.x < 32) {
                cp_async<8>(As + 2 * threadIdx.x, A + 2 * threadIdx.x);
                cp_async_arrive(full);
            } else {
                if (waits) mbarrier_wait(full, 0);
                A[128 + threadIdx.x] = As[threadIdx.x ^ 1];
            }
        };
    };
    expect_only(run(1, 64, body(false)), incomplete_copy, 0);
    expect_none(run(1, 64, body(true)));
}

TEST(Mbarrier, WithTooFewArrivals) {
    // Each of 32 readers arrives, but one completes the phase: it runs ahead, and the parity looks
    // right again and again.
    const auto body = [](unsigned arrivals) {
        return [arrivals](auto A, auto) {
            SHARED(float, As, 1);
            SHARED(Barrier, full, 1);
            SHARED(Barrier, empty, 1);
            if (threadIdx.x == 0) mbarrier_init(full, 1), mbarrier_init(empty, arrivals);
            __syncthreads();
            for (int t = 0; t < 4; ++t) {
                if (threadIdx.x == 0) {
                    mbarrier_wait(empty, t % 2 ^ 1);
                    As[0] = 1.0f;
                    mbarrier_arrive(full);
                } else if (threadIdx.x >= 32 && threadIdx.x < 35) {
                    mbarrier_wait(full, t % 2);
                    A[threadIdx.x] = As[0];
                    mbarrier_arrive(empty);
                }
            }
        };
    };
    const Found found = run(1, 64, body(1));
    EXPECT_TRUE(found.has(write_after_read)) << found.text();
    expect_none(run(1, 64, body(3)));
}

TEST(Mbarrier, OutsideTheirArray) {
    expect_only(run(1, 1,
                    [](auto, auto) {
                        SHARED(Barrier, full, 2);
                        for (int i = 0; i <= 2; ++i) mbarrier_init(full + i, 32);
                    }),
                out_of_bounds, __LINE__ - 2, {"full[2], which has 2 elements"});
}

TEST(SharedArrays, OfOneLineAndOfATemplatesInstancesAreTheirOwn) {
    expect_none(run(1, 32, [](auto A, auto) {
        // clang-format off
        SHARED(float, As, 32); SHARED(float, Bs, 32);
        // clang-format on
        As[threadIdx.x] = 1.0f;
        Bs[threadIdx.x ^ 1] = 2.0f;
        __syncthreads();
        A[threadIdx.x] = As[threadIdx.x ^ 2] + Bs[threadIdx.x];
    }));
}

TEST(Elements, OfIndicesAreIndices) {
    const Found found = run(1, 32, [](auto A, auto) {
        SHARED(unsigned, order, 32);
        SHARED(float, As, 32);
        order[threadIdx.x] = 31 - threadIdx.x;
        As[threadIdx.x] = static_cast<float>(threadIdx.x);
        __syncthreads();
        A[threadIdx.x] = As[order[threadIdx.x]];
    });
    expect_none(found);
    EXPECT_EQ(found.memory.words[0], 31.0f);
}

TEST(Mbarrier, BeforeItIsInitialised) {
    expect_only(run(1, 32,
                    [](auto, auto) {
                        SHARED(Barrier, full, 1);
                        mbarrier_arrive(full);
                    }),
                uninitialised_barrier, __LINE__ - 2, {"full[0]"});
    expect_only(run(1, 32,
                    [](auto, auto) {
                        SHARED(Barrier, full, 1);
                        if (threadIdx.x == 0) mbarrier_init(full, 32);
                        mbarrier_arrive(full);
                    }),
                uninitialised_barrier, __LINE__ - 2, {"initialises at line"});
}

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
