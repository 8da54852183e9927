// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A planted fault of every kind is found at its place; the right kernel beside it is not accused:
// bounds, races in shared memory, and what nobody has written.
#include "tests/hazards.h"

namespace tilewright {
namespace {

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

TEST(SharedRace, AShuffleOrdersNothing) {
    const Found found = run(1, 32, [](auto A, auto) {
        SHARED(float, As, 32);
        As[threadIdx.x] = 1.0f;
        A[threadIdx.x] = __shfl_xor_sync(~0u, 2.0f, 1) + As[threadIdx.x ^ 1];
    });
    expect_only(found, read_after_write, 0, {"of the same warp"});
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

}  // namespace
}  // namespace tilewright
