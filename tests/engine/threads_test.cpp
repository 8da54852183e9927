// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Handles in many threads at a time, and a process that ends around them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "engine/memory.h"

namespace tilewright::test {
namespace {

#if TILEWRIGHT_ASAN
constexpr int kRounds = 8;  // several times slower
#else
constexpr int kRounds = 40;
#endif

/// A product that parts of k may share, of numbers that a thread has for itself.
class Product {
  public:
    explicit Product(uint32_t seed) : a_(kM * kK), b_(kK * kN), c_(kM * kN) {
        uint32_t random = seed;
        for (Memory* memory : {&a_, &b_})
            for (int64_t i = 0; i < memory->elements(); ++i) {
                random = random * 1664525u + 1013904223u;
                memory->data()[i] = static_cast<float>(random >> 8) * 0x1p-23f - 1;
            }
    }
    /// C's bits.
    std::vector<uint32_t> run(tilewright_handle_t handle) {
        const float one = 1, zero = 0;
        c_.restore();
        const auto status =
            tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, kM, kN,
                             kK, &one, a_.data(), kK, b_.data(), kN, &zero, c_.data(), kN);
        EXPECT_EQ(status, TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        wait();
        std::vector<uint32_t> bits(c_.elements());
        std::memcpy(bits.data(), c_.data(), bits.size() * 4);
        return bits;
    }

  private:
    static constexpr int64_t kM = 17, kN = 19, kK = 1031;
    Memory a_, b_, c_;
};

TEST(Threads, EachWithAHandleOfItsOwn) {
    constexpr int kThreads = 6;
    std::vector<std::vector<uint32_t>> alone;
    {
        const Handle handle;
        for (int i = 0; i < kThreads; ++i) alone.push_back(Product(i).run(handle));
    }
    for (int i = 1; i < kThreads; ++i) ASSERT_NE(alone[i], alone[0]);
    std::atomic<int> others = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
            Product product(i);
            auto handle = std::make_unique<Handle>();
            for (int round = 0; round < kRounds; ++round) {
                if (round % 16 == 15) handle = std::make_unique<Handle>();
                others += product.run(*handle) != alone[i];
            }
        });
    threads.clear();  // joins
    EXPECT_EQ(others, 0) << "products with other bits than alone";
}

TEST(Threads, AHandleGoesFromOneToTheNext) {
    std::unique_ptr<Handle> handle;
    std::vector<uint32_t> first, second;
    std::thread([&] { handle = std::make_unique<Handle>(); }).join();
    std::thread([&] { first = Product(1).run(*handle); }).join();
    std::thread([&] { second = Product(1).run(*handle); }).join();
    std::thread([&] { handle.reset(); }).join();
    EXPECT_EQ(first, second);
}

TEST(Threads, SeveralHandlesTakeTurnsInOne) {
    const Handle a, b, c;
    Product product(3);
    const auto bits = product.run(a);
    tilewright_set_workspace(b, nullptr, 0);
    for (int round = 0; round < 4; ++round)
        for (const Handle* handle : {&a, &b, &c}) EXPECT_EQ(product.run(*handle), bits);
}

class Process : public testing::Test {
  protected:
    Process() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

    /// A handle that nobody destroys.
    static tilewright_handle_t leave_behind() {
        static tilewright_handle_t handle = nullptr;
        on_gpu();
        if (tilewright_create(&handle) != TILEWRIGHT_STATUS_SUCCESS) std::abort();
        Product(1).run(handle);
        return handle;
    }
};

#if !TILEWRIGHT_ASAN  // to which that is a leak
TEST_F(Process, EndsWellWithAHandleLeftBehind) {
    EXPECT_EXIT((leave_behind(), std::exit(0)), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(
        {
            std::thread([] {
                leave_behind();
                std::exit(0);
            }).join();
        },
        testing::ExitedWithCode(0), "");
}
#endif

TEST_F(Process, WritesALineForEachCallWhereTheEnvironmentWantsIt) {
    EXPECT_EXIT(
        {
            setenv("TILEWRIGHT_LOG", "1", 1);
            {
                const Handle handle;
                Product(1).run(handle);
            }
            std::exit(0);
        },
        testing::ExitedWithCode(0), "tilewright dispatch N N 17 19 1031 .*# .*predicted");
}

#if !TILEWRIGHT_WITH_CUDA
TEST_F(Process, IsToldHowToGoOnWithoutAGpu) {
    EXPECT_EXIT(
        {
            setenv("TILEWRIGHT_DEVICE", "gpu", 1);
            tilewright_handle_t handle = reinterpret_cast<tilewright_handle_t>(1);
            const int status = tilewright_create(&handle);
            std::fprintf(stderr, "%s", tilewright_last_error(nullptr));
            std::exit(handle == nullptr ? status : 100);
        },
        testing::ExitedWithCode(TILEWRIGHT_STATUS_NOT_INITIALIZED),
        "TILEWRIGHT_DEVICE=cpu runs on the processor, and the environment has "
        "TILEWRIGHT_DEVICE=gpu");
}
#endif

}  // namespace
}  // namespace tilewright::test
