// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// As hazards_test: asynchronous copies and mbarriers.
#include <tuple>

#include "tests/hazards.h"

namespace tilewright {
namespace {

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

/// Two stages, filled by thread 0 through the TMA, read by warp 1.
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

void bulk_copy(GlobalPtr<float> A, int to, int from, unsigned bytes) {
    SHARED(float, As, 64);
    SHARED(Barrier, full, 1);
    mbarrier_init(full, 1);
    mbarrier_arrive_expect(full, bytes);
    cp_async_bulk(As + to, A + from, bytes, full);
    mbarrier_wait(full, 0);
}

TEST(CopyBulk, WantsWholePiecesOn16Bytes) {
    expect_none(run(1, 1, [](auto A, auto) { bulk_copy(A, 4, 8, 48); }));
    for (const auto& [to, from, bytes] : {std::tuple(1, 8, 16u), {4, 2, 16u}, {4, 8, 20u}}) {
        const Found found = run(1, 1, [=](auto A, auto) { bulk_copy(A, to, from, bytes); });
        EXPECT_TRUE(found.has(misaligned)) << found.text();
    }
}

TEST(CopyTensor, WantsItsTileOn128BytesOr8RowsOfItsSwizzle) {
    for (const auto& [swizzle, cols, bytes] : {std::tuple(Swizzle::none, 32, 128),
                                               {Swizzle::bytes64, 16, 512},
                                               {Swizzle::bytes128, 32, 1024}})
        for (const int to : {0, 128, 256, 512}) {
            const Found found = run(1, 1, [=](GlobalPtr<float> A, auto) {
                SHARED(float, As, 32 * 12);
                SHARED(Barrier, full, 1);
                TensorMap map{};
                EXPECT_TRUE(make_tensor_map(map, A, 8, cols, cols, 8, cols, swizzle).ok());
                mbarrier_init(full, 1);
                mbarrier_arrive_expect(full, 8 * cols * 4);
                cp_async_bulk_tensor(As + to / 4, map, 0, 0, full);
                mbarrier_wait(full, 0);
            });
            if (to % bytes == 0) expect_none(found);
            EXPECT_EQ(found.has(misaligned), to % bytes != 0) << found.text();
        }
}

TEST(CopyTensor, RefusesMapsThatTheHardwareRefuses) {
    const Found found = run(1, 1, [](GlobalPtr<float> A, auto) {
        TensorMap map{};
        EXPECT_TRUE(make_tensor_map(map, A, 8, 256, 256, 8, 256).ok());
        EXPECT_FALSE(make_tensor_map(map, A + 1, 8, 32, 32, 8, 32).ok());
        EXPECT_FALSE(make_tensor_map(map, A, 8, 32, 33, 8, 32).ok());
        EXPECT_FALSE(make_tensor_map(map, A, 8, 32, 32, 257, 32).ok());
        EXPECT_FALSE(make_tensor_map(map, A, 8, 32, 32, 8, 30).ok());
        EXPECT_FALSE(make_tensor_map(map, A, 8, 64, 64, 8, 64, Swizzle::bytes128).ok());
        EXPECT_FALSE(make_tensor_map(map, A, 8, 64, 64, 8, 32, Swizzle::bytes64).ok());
    });
    expect_none(found);
}

}  // namespace
}  // namespace tilewright
