// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Every kernel of the engine, as it is forced upon problems of all kinds: a new one is tested here
// without a line more.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "engine/ways.h"

namespace tilewright::test {
namespace {

#if TILEWRIGHT_ASAN
constexpr int64_t kMostWork = 1 << 19;  // several times slower
#else
constexpr int64_t kMostWork = 1 << 21;
#endif

int64_t padded(int64_t size, int tile) {
    return (size + tile - 1) / tile * tile;
}

/// What a kernel does about it, edges of tiles included.
int64_t work_of(const Product& p, const Tile& tile) {
    return padded(p.m, tile.m) * padded(p.n, tile.n) * padded(p.k, tile.k) * p.batch;
}

class Kernel : public testing::TestWithParam<std::string> {
  protected:
    void expect_right(const Product& product) {
        bool refused = false;
        EXPECT_EQ(fault_of(handle, product, &refused), "") << describe(product);
        accepted += !refused;
    }
    const Variant& variant() { return variant_of(GetParam()); }

    Handle handle;
    int accepted = 0;
};

TEST_P(Kernel, IsRightAtTheEdgesOfItsTiles) {
    const Tile tile = tile_of(variant());
    const int stages = std::max(2, variant().config.stages);
    const int64_t shapes[][3] = {{1, 1, 1},
                                 {2, 3, 5},
                                 {tile.m - 1, tile.n + 1, tile.k - 1},
                                 {tile.m + 1, tile.n - 1, tile.k + 1},
                                 {tile.m, tile.n, stages * tile.k},
                                 {3, 2 * tile.n + 1, 3},
                                 {2 * tile.m + 1, 2, tile.k * stages + 1},
                                 {17, 1, 56},
                                 {1, tile.n, 4 * tile.k + 3},
                                 {tile.m, 1, 4 * tile.k + 3}};
    uint32_t seed = 0;
    for (const auto& [m, n, k] : shapes)
        for (const auto ta : {TILEWRIGHT_OP_N, TILEWRIGHT_OP_T})
            for (const auto tb : {TILEWRIGHT_OP_N, TILEWRIGHT_OP_T}) {
                ++seed;
                const Edge edge = seed % 2 ? Edge::back : Edge::front;
                expect_right({.columns = seed % 3 == 0,
                              .ta = ta,
                              .tb = tb,
                              .m = m,
                              .n = n,
                              .k = k,
                              .beta = seed % 2 ? 0.0f : 2.0f,
                              .a = {.edge = edge},
                              .b = {.edge = edge},
                              .c = {.slack = seed % 4, .edge = edge},
                              .single = true,
                              .seed = seed,
                              .kernel = GetParam()});
            }
    EXPECT_GT(accepted, 0) << "not one of these problems was taken";
}

Place draw_place(bool is_output) {
    Place place{.slack = *rc::gen::element<int64_t>(0, 0, 1, 3, 4),
                .edge = *rc::gen::element(Edge::back, Edge::front),
                .offset = *rc::gen::element<int64_t>(0, 0, 1, 2, 3)};
    place.stride = is_output
                       ? *rc::gen::element(Stride::tight, Stride::odd, Stride::padded)
                       : *rc::gen::element(Stride::tight, Stride::odd, Stride::padded, Stride::zero,
                                           Stride::overlapping, Stride::negative);
    return place;
}

Product draw(const Tile& tile) {
    const auto size = [](int edge) {
        return *rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 10),
                               rc::gen::element<int64_t>(1, edge - 1, edge, edge + 1, 2 * edge + 1),
                               rc::gen::inRange<int64_t>(1, 2 * edge));
    };
    const auto operation = [] {
        return *rc::gen::element(TILEWRIGHT_OP_N, TILEWRIGHT_OP_T, TILEWRIGHT_OP_C);
    };
    Product p{
        .columns = *rc::gen::arbitrary<bool>(),
        .ta = operation(),
        .tb = operation(),
        .m = size(tile.m),
        .n = size(tile.n),
        .k = *rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 5 * tile.k), rc::gen::just(size(tile.k))),
        .batch = *rc::gen::element<int64_t>(1, 1, 0, 2, 3, 5),
        .alpha = *rc::gen::element(1.0f, -1.0f, 2.0f, 0.0f, 0.7f),
        .beta = *rc::gen::element(0.0f, -0.0f, 1.0f, -1.0f, 1.3f),
        .a = draw_place(false),
        .b = draw_place(false),
        .c = draw_place(true),
        .data = *rc::gen::element(Data::integers, Data::uniform, Data::special),
        .device_scalars = *rc::gen::arbitrary<bool>(),
        .seed = *rc::gen::inRange<uint32_t>(0, 1000)};
    p.single = p.batch == 1 && *rc::gen::arbitrary<bool>();
    while (work_of(p, tile) > kMostWork) {
        int64_t& longest = p.k > tile.k                   ? p.k
                           : p.batch > 1                  ? p.batch
                           : p.m * tile.n >= p.n * tile.m ? p.m
                                                          : p.n;
        if (longest <= 1) break;
        longest /= 2;
    }
    return p;
}

TEST_P(Kernel, IsRightWhateverTheProblem) {
    const Tile tile = tile_of(variant());
    EXPECT_TRUE(rc::check(GetParam(), [&] {
        Product p = draw(tile);
        p.kernel = GetParam();
        const int parts = *rc::gen::element(1, 1, 2, 3, 7);
        if (parts > 1) p.kernel += " parts=" + std::to_string(parts);
        const std::string fault = fault_of_two_runs(handle, p);
        if (!fault.empty()) RC_FAIL(fault + ": " + describe(p));
    }));
}

TEST_P(Kernel, NeedsNoMoreWorkspaceThanItAsksForOrCanDoWith) {
    const Tile tile = tile_of(variant());
    // With as many k-tiles some parts are shorter than others, or there are more parts than k-tiles; a line
    // of pieces is two.
    const int64_t k = variant().least_workspace_bytes ? 5 * 64 - 3 : std::min(16 * tile.k - 1, 509);
    for (const int parts : {1, 2, 5, 17}) {
        Product p{.m = tile.m + 1,
                  .n = 5,
                  .k = k,
                  .alpha = 0.7f,
                  .beta = 1.3f,
                  .data = Data::uniform,
                  .kernel = GetParam() + " parts=" + std::to_string(parts)};
        Prepared prepared(p);
        const Problem problem = prepared.problem();
        const auto candidate = engine::named(p.kernel, problem, traits(), INT64_MAX);
        ASSERT_TRUE(candidate);
        if (candidate->refusal) continue;
        const engine::Choice& choice = candidate->choice;
        const int64_t wanted = choice.workspace_bytes;
        unsigned handles_counters = 0;  // any: that they need no room in the workspace
        const int64_t least = variant().least_workspace_bytes
                                  ? variant().least_workspace_bytes(
                                        problem, {.multiprocessors = traits().multiprocessors,
                                                  .counters = &handles_counters,
                                                  .splits = choice.splits})
                                  : wanted;
        Memory workspace((wanted + 255) / 256 * 64);  // of NaNs, before a page without access
        std::set<std::vector<uint32_t>> bits;
        const int64_t between = parts == 1 ? (wanted + least) / 2 : least;
        for (const int64_t bytes : std::set{wanted, between, least}) {
            workspace.restore();
            tilewright_set_workspace(handle, workspace.data(), bytes);
            EXPECT_EQ(fault_of_two_runs(handle, p), "") << describe(p) << " in " << bytes;
            EXPECT_EQ(tilewright_last_kernel(handle), engine::name_of(choice));
            for (int64_t i = workspace.first(); i < 0; ++i)
                ASSERT_FALSE(workspace.was_changed(i)) << i;
            for (int64_t i = (bytes + 3) / 4; i < workspace.last(); ++i)
                ASSERT_FALSE(workspace.was_changed(i)) << i;
            prepared.restore();
            EXPECT_EQ(prepared.run(handle), TILEWRIGHT_STATUS_SUCCESS);
            bits.insert(prepared.bits());
        }
        EXPECT_EQ(bits.size(), 1u) << "less room made it another product: " << describe(p);
        if (least == 0) continue;
        tilewright_set_workspace(handle, workspace.data(), least - 1);
        EXPECT_EQ(prepared.run(handle), TILEWRIGHT_STATUS_NOT_SUPPORTED) << p.kernel;
        EXPECT_NE(std::string(tilewright_last_error(handle)).find("larger workspace"),
                  std::string::npos)
            << tilewright_last_error(handle);
    }
    tilewright_set_workspace(handle, nullptr, 0);
}

TEST_P(Kernel, GivesAProblemTheSameBitsInEverySlot) {
    for (const char* parts : {"", " parts=3"}) {
        Product p{.tb = TILEWRIGHT_OP_T,
                  .m = 9,
                  .n = 7,
                  .k = 3 * tile_of(variant()).k + 1,
                  .batch = 8,
                  .alpha = 0.7f,
                  .a = {.stride = Stride::zero},
                  .b = {.stride = Stride::zero},
                  .c = {.stride = Stride::odd},
                  .data = Data::uniform,
                  .kernel = GetParam() + parts};
        Prepared prepared(p);
        tilewright_status_t status = take_kernel(handle, p.kernel);
        if (status == TILEWRIGHT_STATUS_SUCCESS) status = prepared.run(handle);
        if (status == TILEWRIGHT_STATUS_NOT_SUPPORTED) continue;
        ASSERT_EQ(status, TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        const auto bits = prepared.bits();
        for (size_t i = 63; i < bits.size(); ++i) ASSERT_EQ(bits[i], bits[i % 63]) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Kernel, testing::ValuesIn(variant_names()), test_name);

}  // namespace
}  // namespace tilewright::test
