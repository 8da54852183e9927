// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Every kernel of the engine as CPU mode's counted machine runs it, which sees what no result shows.
#include "engine/ways.h"
#include "simt/machine.h"

namespace tilewright::test {
namespace {

class CountedKernel : public testing::TestWithParam<std::string> {};

/// CPU mode's checks: bounds, races, what was never written, copies that were not waited for.
TEST_P(CountedKernel, HasNoHazardsAndNeedsNoOrderOfThreads) {
    if (on_gpu()) GTEST_SKIP() << "CPU mode looks at it";
    const Variant& counted = variant_of(GetParam(), Target::cpu_counted);
    const Tile tile = tile_of(counted);
    const int64_t k = std::max(2, counted.config.stages) * tile.k + 1;
    const Product products[] = {
        {.m = tile.m + 1, .n = 3, .k = k, .alpha = 0.7f, .beta = 1.3f, .c = {.slack = 1}},
        {.ta = TILEWRIGHT_OP_T, .tb = TILEWRIGHT_OP_T, .m = 3, .n = tile.n + 1, .k = k},
        {.m = 4,
         .n = 4,
         .k = 5,
         .batch = 3,
         .beta = 1,
         .a = {.stride = Stride::negative},
         .b = {.stride = Stride::zero},
         .c = {.stride = Stride::odd}},
        {.m = 5, .n = 4, .k = 0, .batch = 3, .beta = 2, .c = {.stride = Stride::negative}},
        {.m = 1, .n = 1, .k = k, .device_scalars = true},
        // Each stage filled again, and once more, in each of the two parts.
        {.m = 2, .n = 5, .k = 2 * (2 * counted.config.stages + 1) * tile.k + 1}};
    simt::Machine machine;
    std::vector<unsigned> counters(kCounters);
    int runs = 0;
    for (const Product& p : products) {
        std::vector<uint32_t> bits;
        for (const uint64_t order : {0, 1, 2}) {
            Prepared prepared(p);
            Execution execution{
                .stream = &machine, .multiprocessors = 6, .counters = counters.data(), .splits = 2};
            const Problem problem = prepared.problem();
            if (counted.refusal(problem, execution)) continue;
            execution.workspace_bytes = counted.workspace_bytes(problem, execution);
            Memory workspace(execution.workspace_bytes / 4 + 64);
            auto* at = reinterpret_cast<std::byte*>(workspace.data());
            execution.workspace = at - reinterpret_cast<uintptr_t>(at) % 256 + 256;
            machine.shuffle(order);
            const Status status = counted.run(problem, execution);
            ASSERT_TRUE(status.ok()) << status.reason << "\n" << describe(p);
            ASSERT_EQ(prepared.fault(), "") << describe(p) << " order " << order;
            if (order == 0) bits = prepared.bits();
            ASSERT_EQ(prepared.bits(), bits) << "order " << order;
            ASSERT_EQ(std::count(counters.begin(), counters.end(), 0u), kCounters)
                << "counters were not left as zeros";
            ++runs;
        }
        for (const simt::Hazard& hazard : machine.take_hazards()) ADD_FAILURE() << hazard.what;
    }
    EXPECT_GT(runs, 0) << "not one of these problems was taken";
}

INSTANTIATE_TEST_SUITE_P(Every, CountedKernel, testing::ValuesIn(variant_names()), test_name);

}  // namespace
}  // namespace tilewright::test
