// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Where operands lie: batches with strides of all kinds, any alignment, and more tiles than a grid is
// high.
#include "engine/ways.h"

namespace tilewright::test {
namespace {

#if TILEWRIGHT_ASAN
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST(Places, AnyStrideOfInputs) {
    constexpr Stride kStrides[] = {Stride::tight, Stride::odd,         Stride::padded,
                                   Stride::zero,  Stride::overlapping, Stride::negative};
    // Each with each other one, and every kernel with some.
    Handle handle;
    const auto kernels = ways();
    size_t way = 0;
    for (const auto a : kStrides)
        for (const auto b : kStrides)
            for (int round = 0; round < 4; ++round) {
                const Product p{.ta = round % 2 ? TILEWRIGHT_OP_T : TILEWRIGHT_OP_N,
                                .tb = round / 2 ? TILEWRIGHT_OP_T : TILEWRIGHT_OP_N,
                                .m = 9,
                                .n = 12,
                                .k = 37,
                                .batch = 3,
                                .beta = 1,
                                .a = {.slack = round, .stride = a},
                                .b = {.slack = round, .stride = b},
                                .c = {.stride = Stride::odd},
                                .kernel = kernels[way++ % kernels.size()]};
                EXPECT_EQ(fault_of(handle, p), "") << describe(p);
            }
    // On 16-byte boundaries all of them, as vectors and tensor maps need it.
    for (const auto stride : kStrides)
        expect_right_in_every_way({.ta = TILEWRIGHT_OP_T,
                                   .m = 15,
                                   .n = 15,
                                   .k = 12,
                                   .batch = 3,
                                   .a = {.slack = 1, .stride = stride, .edge = Edge::front},
                                   .b = {.slack = 1, .stride = stride, .edge = Edge::front},
                                   .c = {.stride = Stride::negative}});
}

// Copies of 16 bytes at once need 16-byte boundaries of pointers, rows and matrices alike.
TEST(Places, FloatsNeedTheAlignmentOfAFloat) {
    Handle handle;
    for (int64_t offset = 0; offset < 4; ++offset)
        for (const int operand : {0, 1, 2})
            for (const bool odd_stride : {false, true}) {
                Product p{.ta = TILEWRIGHT_OP_T, .m = 20, .n = 12, .k = 12, .batch = 2, .beta = 1};
                p.a.edge = p.b.edge = p.c.edge = Edge::front;
                Place& place = operand == 0 ? p.a : operand == 1 ? p.b : p.c;
                place.offset = offset;
                if (odd_stride) place.stride = Stride::odd;
                for (const std::string& kernel : variant_names()) {
                    p.kernel = kernel;
                    EXPECT_EQ(fault_of(handle, p), "") << describe(p);
                }
                place.slack = 1;
                p.kernel = "";
                EXPECT_EQ(fault_of(handle, p), "") << describe(p);
            }
}

// A grid's y and z end at 65535.
TEST(Places, BatchesOfMoreThanAGridIsHigh) {
    if (kSanitized) GTEST_SKIP() << "65537 blocks take half a minute";
    Handle handle;
    for (const int64_t batch : {65535, 65536, 65537, 131073}) {
        if (!on_gpu() && batch != 65537) continue;  // seconds each
        const Product p{.batch = batch, .beta = 1};
        Prepared prepared(p);
        ASSERT_EQ(prepared.run(handle), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        ASSERT_EQ(prepared.fault(), "") << describe(p);
    }
}

TEST(Places, TallAndWideMatricesOfMoreTilesThanAGridIsHigh) {
    if (kSanitized) GTEST_SKIP() << "65537 blocks take half a minute";
    // The kernel of the smallest tile, whose grid has most blocks.
    std::string kernel;
    int smallest = 1 << 20;
    for (const KernelDefinition* definition : engine::kernels(traits().target))
        for (const Variant& variant : definition->variants) {
            const Tile tile = variant.config.block;
            if (tile.m != tile.n || tile.m == 0 || tile.m > smallest) continue;
            if (variant.config.stages == 1) continue;  // for small matrices
            kernel = std::string(definition->id) + '/' + variant.name, smallest = tile.m;
        }
    Handle handle;
    for (const bool tall : {true, false}) {
        if (!on_gpu() && !tall) continue;  // seconds each
        const int64_t many = 65536 * int64_t{smallest} + 1;
        const Product p{.m = tall ? many : 1, .n = tall ? 1 : many, .k = 1, .kernel = kernel};
        ASSERT_EQ(tilewright_set_kernel(handle, kernel.c_str()), TILEWRIGHT_STATUS_SUCCESS);
        Prepared prepared(p);
        ASSERT_EQ(prepared.run(handle), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        ASSERT_EQ(prepared.fault(), "") << describe(p);
    }
}

}  // namespace
}  // namespace tilewright::test
