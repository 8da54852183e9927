// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Tensor cores in CPU mode: who holds which element, what is cut, and what goes wrong.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "tests/hazards.h"

namespace tilewright {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Of lane 4 g + t.
int group() {
    return threadIdx.x % 32 / 4;
}
int in_group() {
    return threadIdx.x % 4;
}

/// One warp's product of A (16 x 8) and B (8 x 8) on top of C (16 x 8).
template <class A, class B, class C>
std::vector<float> product(const A& a, const B& b, const C& c) {
    const Found found = run(1, 32, [&](GlobalPtr<float> to, GlobalPtr<unsigned>) {
        const int g = group(), t = in_group();
        const float of_a[] = {a(g, t), a(g + 8, t), a(g, t + 4), a(g + 8, t + 4)};
        const float of_b[] = {b(t, g), b(t + 4, g)};
        float d[] = {c(g, 2 * t), c(g, 2 * t + 1), c(g + 8, 2 * t), c(g + 8, 2 * t + 1)};
        mma_tf32(d, of_a, of_b);
        for (int i = 0; i < 4; ++i) to[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
    });
    expect_none(found);
    return {found.memory.words, found.memory.words + 128};
}

TEST(Mma, MultipliesMatrices) {
    const auto a = [](int row, int k) { return static_cast<float>(row * 5 % 7 - k); };
    const auto b = [](int k, int col) { return static_cast<float>(k * 3 % 5 + 2 * col); };
    const auto c = [](int row, int col) { return static_cast<float>(100 * row + col); };
    const std::vector<float> d = product(a, b, c);
    for (int row = 0; row < 16; ++row)
        for (int col = 0; col < 8; ++col) {
            float want = c(row, col);
            for (int k = 0; k < 8; ++k) want += a(row, k) * b(k, col);
            EXPECT_EQ(d[row * 8 + col], want) << row << ' ' << col;
        }
}

/// One warp's product of A (16 x 16) and B (16 x 8), two factors in a word.
template <class A, class B, class Pack, class Multiply>
std::vector<float> product_16(const A& a, const B& b, const Pack& pack, const Multiply& multiply) {
    const Found found = run(1, 32, [&](GlobalPtr<float> to, GlobalPtr<unsigned>) {
        const int g = group(), t = in_group();
        const auto of_a = [&](int row, int k) { return pack(a(row, k), a(row, k + 1)); };
        const auto of_b = [&](int k, int col) { return pack(b(k, col), b(k + 1, col)); };
        float d[4] = {};
        multiply(d,
                 {of_a(g, 2 * t), of_a(g + 8, 2 * t), of_a(g, 2 * t + 8), of_a(g + 8, 2 * t + 8)},
                 {of_b(2 * t, g), of_b(2 * t + 8, g)});
        for (int i = 0; i < 4; ++i) to[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
    });
    expect_none(found);
    return {found.memory.words, found.memory.words + 128};
}

TEST(Mma, MultipliesMatricesOfTwoInAWord) {
    const auto a = [](int row, int k) { return static_cast<float>(row * 5 % 7 - k) / 8; };
    const auto b = [](int k, int col) { return static_cast<float>(k * 3 % 5 + 2 * col); };
    using Factors = const float(&)[4];
    const auto f16 = product_16(
        a, b, [](float x, float y) { return pack_f16(x, y); },
        [](float(&d)[4], Factors of_a, const float(&of_b)[2]) { mma_f16(d, of_a, of_b); });
    const auto bf16 = product_16(
        a, b, [](float x, float y) { return pack_bf16(x, y); },
        [](float(&d)[4], Factors of_a, const float(&of_b)[2]) { mma_bf16(d, of_a, of_b); });
    for (int row = 0; row < 16; ++row)
        for (int col = 0; col < 8; ++col) {
            float want = 0;
            for (int k = 0; k < 16; ++k) want += a(row, k) * b(k, col);
            EXPECT_EQ(f16[row * 8 + col], want) << row << ' ' << col;
            EXPECT_EQ(bf16[row * 8 + col], want) << row << ' ' << col;
        }
}

std::vector<float> product_of(float a, float b, float c) {
    const auto all = [](float value) { return [value](int, int) { return value; }; };
    return product(all(a), all(b), all(c));
}

TEST(Mma, DoesNotLookAtWhatTf32Lacks) {
    EXPECT_EQ(product_of(2 - 0x1p-23f, 1, 0)[0], 8 * (2 - 0x1p-10f));
}

TEST(Mma, CutsSums) {
    EXPECT_EQ(product_of(0x1p-13f, 0x1p-14f, 1)[0], 1) << "8 * 2^-27 is half of the last place";
    EXPECT_EQ(product_of(0x1p-13f, 0x1.8p-14f, 1)[0], 1) << "and this three quarters";
    EXPECT_EQ(product_of(0x1p-13f, -0x1.8p-14f, -1)[0], -1);
    EXPECT_EQ(product_of(0x1p-12f, 0x1p-13f, -1)[0], -1 + 0x1p-22f);
}

TEST(Mma, KeepsSpecials) {
    EXPECT_EQ(product_of(kInfinity, 1, 0)[5], kInfinity);
    EXPECT_TRUE(std::isnan(product_of(kInfinity, 0, 0)[5]));
    EXPECT_EQ(product_of(0x1p127f, 2, 0)[5], kInfinity);
}

TEST(Mma, IsCountedOnceAWarp) {
    simt::Machine machine(1);
    const Status status = machine.launch({.grid = 2, .block = 64, .counted = true, .thread = [] {
                                              float d[4] = {};
                                              for (int i = 0; i < 3; ++i)
                                                  mma_tf32(d, {1, 1, 1, 1}, {1, 1});
                                          }});
    ASSERT_TRUE(status.ok()) << status.reason;
    const simt::Counters counters = machine.take_counters();
    EXPECT_EQ(counters.mma, 2u * 2 * 3);
    EXPECT_EQ(counters.mma_products, 2u * 2 * 3 * 16 * 8 * 8);
    EXPECT_EQ(counters.total(simt::Operation::mma).requests, 2u * 2 * 3);
    EXPECT_EQ(counters.ffma, 0u);
}

TEST(Mma, InABranchOfSomeLanesIsTold) {
    unsigned line = 0;
    const Found found = run(1, 32, [&](GlobalPtr<float>, GlobalPtr<unsigned>) {
        float d[4] = {};
        line = __LINE__ + 1;
        if (threadIdx.x % 2 == 0) mma_tf32(d, {1, 1, 1, 1}, {1, 1});
        __syncthreads();
    });
    expect_only(found, divergent_mma, line, {"16 lanes of the warp come to it"});
}

TEST(Mma, WithoutLanesThatHaveEndedIsTold) {
    const Found found = run(1, 32, [&](GlobalPtr<float>, GlobalPtr<unsigned>) {
        float d[4] = {};
        if (threadIdx.x == 7) return;
        mma_tf32(d, {1, 1, 1, 1}, {1, 1});
    });
    expect_only(found, divergent_mma, 0, {"31 lanes"});
}

TEST(Mma, OfHalfAWarpIsTold) {
    const Found found = run(1, 48, [&](GlobalPtr<float>, GlobalPtr<unsigned>) {
        float d[4] = {};
        mma_tf32(d, {1, 1, 1, 1}, {1, 1});
    });
    expect_only(found, divergent_mma, 0, {"16 lanes"});
}

TEST(Mma, AtTwoPlacesIsTold) {
    const Found found = run(1, 32, [&](GlobalPtr<float>, GlobalPtr<unsigned>) {
        float d[4] = {};
        if (threadIdx.x < 16)
            mma_tf32(d, {1, 1, 1, 1}, {1, 1});
        else
            mma_tf32(d, {2, 2, 2, 2}, {1, 1});
    });
    EXPECT_EQ(found.hazards.size(), 2u) << found.text();
    EXPECT_TRUE(found.has(divergent_mma)) << found.text();
}

TEST(Mma, WaitsForLanesThatAreElsewhereForAWhile) {
    const Found found = run(1, 64, [&](GlobalPtr<float> A, GlobalPtr<unsigned> flags) {
        float d[4] = {};
        if (threadIdx.x == 3)
            while (ld_acquire(flags) == 0) {
            }
        if (threadIdx.x >= 32) {
            if (threadIdx.x == 32) st_release(flags, 1);
            return;
        }
        mma_tf32(d, {1, 1, 1, 1}, {1, 1});
        A[threadIdx.x] = d[0];
    });
    expect_none(found);
    EXPECT_EQ(found.memory.words[3], 8);
}

TEST(Mma, OfAFragmentThatIsNotLoadedIsTold) {
    const Found found = run(1, 32, [&](GlobalPtr<float>, GlobalPtr<unsigned>) {
        float a[4], d[4] = {};
        a[0] = a[1] = a[2] = 1;
        mma_tf32(d, a, {1, 1});
    });
    expect_only(found, uninitialised_register, 0);
}

// --- warpgroups

constexpr int kN = 128, kK = 32;  // columns of B; a row of a tile is 128 bytes
constexpr int kTileBytes = (64 + kN) * kK * 4;

float of_a(int row, int k) {
    return static_cast<float>((row * 7 + k * 3) % 11 - 5);
}
float of_b(int k, int col) {
    return static_cast<float>((col * 5 + k) % 13 - 6);
}

/// Element (row, k) of a tile in the swizzle that wgmma reads.
int place(int row, int k) {
    return row * kK + (k / 4 ^ row % 8) * 4 + k % 4;
}
void fill_tiles(SharedPtr<float> As, SharedPtr<float> Bs) {
    for (int i = threadIdx.x; i < 64 * kK; i += 128)
        As[place(i / kK, i % kK)] = of_a(i / kK, i % kK);
    for (int i = threadIdx.x; i < kN * kK; i += 128)
        Bs[place(i / kK, i % kK)] = of_b(i % kK, i / kK);
}

using WarpgroupBody = std::function<void(SharedPtr<float> As, SharedPtr<float> Bs,
                                         float (&d)[kN / 2], GlobalPtr<float>)>;
/// `results`: 64 x kN, what the body stores.
Found run_warpgroup(const WarpgroupBody& body, std::vector<float>& results) {
    auto found = std::make_unique<Found>();
    results.assign(64 * kN, 0.0f);
    const Bounds bounds(results.data(), 64, kN, kN, "C");
    simt::Machine machine(1);
    static_cast<void>(machine.launch(
        {.grid = 1, .block = 128, .counted = true, .dynamic_bytes = kTileBytes, .thread = [&] {
             DYNAMIC_SHARED(float, As, 0, 64, kK);
             DYNAMIC_SHARED(float, Bs, 64 * kK * 4, kN, kK);
             fill_tiles(As, Bs);
             __syncthreads();
             float d[kN / 2] = {};
             body(As, Bs, d, global_ptr(results.data(), bounds));
         }}));
    found->hazards = machine.take_hazards();
    return *found;
}

void store(const float (&d)[kN / 2], GlobalPtr<float> C) {
    for (int i = 0; i < kN / 2; ++i)
        C[(threadIdx.x / 32 * 16 + group() + i / 2 % 2 * 8) * kN + i / 4 * 8 + 2 * in_group() +
          i % 2] = d[i];
}

/// Words of two, in tiles that the TMA brings: as many next to each other as kK takes.
template <Swizzle kSwizzle>
void expect_product(bool bf16) {
    constexpr int kRow = static_cast<int>(kSwizzle) / 4, kFactors = 2 * kK;
    std::mt19937 random(1);
    std::vector<float> factors((64 + kN) * kFactors), words(factors.size() / 2);
    for (float& factor : factors) factor = static_cast<float>(random() % 17) - 8;
    for (size_t i = 0; i < words.size(); ++i)
        words[i] = (bf16 ? pack_bf16 : pack_f16)(factors[2 * i], factors[2 * i + 1]);
    const Bounds bounds(words.data(), 64 + kN, kK, kK, "A and B");
    std::vector<float> results;
    const Found found = run_warpgroup(
        [&](auto As, auto Bs, auto& d, auto C) {
            SHARED(Barrier, full, 1);
            const auto A = global_ptr(words.data(), bounds);
            if (threadIdx.x == 0) {
                TensorMap a{}, b{};
                EXPECT_TRUE(make_tensor_map(a, A, 64, kK, kK, 64, kRow, kSwizzle).ok());
                EXPECT_TRUE(make_tensor_map(b, A + 64 * kK, kN, kK, kK, kN, kRow, kSwizzle).ok());
                mbarrier_init(full, 1);
                mbarrier_arrive_expect(full, kTileBytes);
                for (int k = 0; k < kK; k += kRow) {
                    cp_async_bulk_tensor(As + 64 * k, a, 0, k, full);
                    cp_async_bulk_tensor(Bs + kN * k, b, 0, k, full);
                }
            }
            __syncthreads();
            mbarrier_wait(full, 0);
            for (float& value : d) value = std::nanf("");
            wgmma_fence();
            for (int k = 0; k < kK; k += 8) {
                const int first = k - k % kRow;  // of the tile
                const WgmmaOperand<kSwizzle> a(As + 64 * first + k % kRow);
                const WgmmaOperand<kSwizzle> b(Bs + kN * first + k % kRow);
                if (bf16)
                    wgmma_bf16<kN>(d, a, b, k == 0);
                else
                    wgmma_f16<kN>(d, a, b, k == 0);
            }
            wgmma_commit();
            wgmma_wait<0>(d);
            store(d, C);
        },
        results);
    expect_none(found);
    for (int i = 0; i < 64 * kN; ++i) {
        const float* a = &factors[i / kN * kFactors];
        const float* b = &factors[(64 + i % kN) * kFactors];
        ASSERT_EQ(results[i], std::inner_product(a, a + kFactors, b, 0.0f)) << i;
    }
}

TEST(Wgmma, MultipliesTwoInAWordAndBeginsAnew) {
    for (const bool bf16 : {false, true}) {
        expect_product<Swizzle::bytes64>(bf16);
        expect_product<Swizzle::bytes128>(bf16);
    }
}

TEST(Wgmma, MultipliesSwizzledTiles) {
    std::vector<float> results;
    const Found found = run_warpgroup(
        [](auto As, auto Bs, auto& d, auto C) {
            wgmma_fence();
            for (int k = 0; k < kK; k += 8) wgmma_tf32<kN>(d, As + k, Bs + k);
            wgmma_commit();
            wgmma_wait<0>(d);
            store(d, C);
        },
        results);
    expect_none(found);
    for (int i = 0; i < 64 * kN; ++i) {
        float want = 0;
        for (int k = 0; k < kK; ++k) want += of_a(i / kN, k) * of_b(k, i % kN);
        EXPECT_EQ(results[i], want) << i / kN << ' ' << i % kN;
    }
}

TEST(Wgmma, IsNotMadeBeforeItsWait) {
    std::vector<float> results;
    const Found found = run_warpgroup(
        [](auto As, auto Bs, auto& d, auto C) {
            wgmma_tf32<kN>(d, As, Bs);
            wgmma_commit();
            wgmma_wait<1>(d);  // a group too few
            store(d, C);
        },
        results);
    expect_none(found);
    EXPECT_EQ(results[0], 0);
}

TEST(Wgmma, OfATileThatIsOverwrittenBeforeTheWaitIsTold) {
    std::vector<float> results;
    const Found found = run_warpgroup(
        [](auto As, auto Bs, auto& d, auto) {
            wgmma_tf32<kN>(d, As, Bs);
            wgmma_commit();
            if (threadIdx.x == 64) As[place(0, 0)] = 1;
            wgmma_wait<0>(d);
        },
        results);
    ASSERT_FALSE(found.hazards.empty());
    EXPECT_TRUE(found.has(write_after_read) || found.has(read_after_write)) << found.text();
}

template <Swizzle kSwizzle>
bool is_misaligned(int offset) {
    std::vector<float> results;
    const Found found = run_warpgroup(
        [&](auto As, auto Bs, auto& d, auto) {
            using Operand = WgmmaOperand<kSwizzle>;
            wgmma_f16<kN>(d, Operand(As + offset / 4), Operand(Bs), true);
            wgmma_commit();
            wgmma_wait<0>(d);
        },
        results);
    return found.has(misaligned);
}

TEST(Wgmma, OfATileOffItsBoundaryIsTold) {
    for (const int offset : {0, 32, 64, 96, 128, 480, 512, 544, 960, 1024}) {
        EXPECT_EQ(is_misaligned<Swizzle::bytes64>(offset), offset % 512 >= 64) << offset;
        EXPECT_EQ(is_misaligned<Swizzle::bytes128>(offset), offset % 1024 >= 128) << offset;
    }
}

TEST(Wgmma, IsCountedByTheWarp) {
    simt::Machine machine(1);
    const Status status = machine.launch(
        {.grid = 1, .block = 128, .counted = true, .dynamic_bytes = kTileBytes, .thread = [] {
             DYNAMIC_SHARED(float, As, 0, 64, kK);
             DYNAMIC_SHARED(float, Bs, 64 * kK * 4, kN, kK);
             fill_tiles(As, Bs);
             __syncthreads();
             float d[kN / 2] = {};
             wgmma_tf32<kN>(d, As, Bs);
             wgmma_commit();
             wgmma_wait<0>(d);
         }});
    ASSERT_TRUE(status.ok()) << status.reason;
    const simt::Counters counters = machine.take_counters();
    EXPECT_EQ(counters.mma, 4u);
    EXPECT_EQ(counters.mma_products, 64u * kN * 8);
    EXPECT_EQ(counters.total(simt::Operation::shared_load).requests, 0u);
}

}  // namespace
}  // namespace tilewright
