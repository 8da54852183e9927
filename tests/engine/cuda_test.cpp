// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What only CUDA has: streams, scalars that the device knows, several devices, and errors of the
// program's own. On each path of the library: small products, parts of k, a batch, K = 0.
#include <memory>
#include <vector>

#include "engine/cuda.h"

namespace tilewright::test {
namespace {

// All of a call's work goes to its stream: A is what it should be only after a long fill there.
TEST_F(Cuda, WorkWaitsForItsOwnStream) {
    for (const Shape& shape : kShapes) {
        if (shape.k == 0) continue;
        Product product(shape);
        const Stream stream;
        const Handle handle;
        tilewright_set_stream(handle, stream);
        product.set_a(-1);
        void* large = nullptr;
        const size_t bytes = size_t{1} << 30;
        ASSERT_CUDA(cudaMalloc(&large, bytes));
        for (int i = 0; i < 20; ++i) ASSERT_CUDA(cudaMemsetAsync(large, i, bytes, stream));
        // 0x40404040, written byte by byte: what A's elements then are.
        ASSERT_CUDA(cudaMemsetAsync(product.a(), 0x40, product.bytes_of_a(), stream));
        ASSERT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        ASSERT_CUDA(cudaStreamSynchronize(stream));
        const float a = std::bit_cast<float>(0x40404040u);
        Product again(shape);
        again.set_a(a);
        const Handle second;
        ASSERT_EQ(again.run(second), TILEWRIGHT_STATUS_SUCCESS);
        ASSERT_CUDA(cudaDeviceSynchronize());
        EXPECT_TRUE(product.equals(again)) << describe(shape);
        EXPECT_CUDA(cudaFree(large));
    }
}

// A handle whose stream changes while work runs: its memory is not given to two at a time.
TEST_F(Cuda, StreamsOfOneHandleDoNotDisturbEachOther) {
    const Shape shape{32, 32, 65536, 1};
    const Handle handle;
    const Stream streams[3];
    std::vector<std::unique_ptr<Product>> products;
    for (int i = 0; i < 30; ++i) {
        products.push_back(std::make_unique<Product>(shape));
        products.back()->set_a(static_cast<float>(i % 7 + 1));
    }
    // Also with a workspace of the caller's, which is one for all streams.
    void* workspace = nullptr;
    ASSERT_CUDA(cudaMalloc(&workspace, 32 << 20));
    for (const bool own : {true, false}) {
        ASSERT_EQ(tilewright_set_workspace(handle, own ? nullptr : workspace, own ? 0 : 32 << 20),
                  TILEWRIGHT_STATUS_SUCCESS);
        ASSERT_CUDA(cudaDeviceSynchronize());
        for (auto& product : products) product->set_c(Memory::canary(1));
        for (int i = 0; i < 30; ++i) {
            ASSERT_EQ(tilewright_set_stream(handle, streams[i % 3]), TILEWRIGHT_STATUS_SUCCESS);
            ASSERT_EQ(products[i]->run(handle), TILEWRIGHT_STATUS_SUCCESS);
        }
        ASSERT_CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 30; ++i)
            EXPECT_TRUE(products[i]->is(static_cast<float>(i % 7 + 1) * 65536)) << i << own;
    }
    EXPECT_CUDA(cudaFree(workspace));
}

// Where it must wait for the work that has it, of its own stream and of others.
TEST_F(Cuda, AWorkspaceThatGrowsDisturbsNobody) {
    const Handle handle;
    if (tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP16X3) != TILEWRIGHT_STATUS_SUCCESS)
        GTEST_SKIP() << tilewright_last_error(handle);
    ASSERT_EQ(tilewright_set_kernel(handle, kTensorKernel), TILEWRIGHT_STATUS_SUCCESS);
    const Stream streams[3];
    std::vector<std::unique_ptr<Product>> products;
    for (int i = 0; i < 12; ++i) {  // 40 MiB of pieces, and more from one to the next
        products.push_back(std::make_unique<Product>(Shape{2048 + 256 * i, 512, 4096, 1}));
        products.back()->set_a(static_cast<float>(i % 7 + 1));
    }
    for (int i = 0; i < 12; ++i) {
        ASSERT_EQ(tilewright_set_stream(handle, streams[i % 3]), TILEWRIGHT_STATUS_SUCCESS);
        ASSERT_EQ(products[i]->run(handle), TILEWRIGHT_STATUS_SUCCESS)
            << tilewright_last_error(handle);
        EXPECT_STREQ(tilewright_last_kernel(handle), kTensorKernel);
    }
    ASSERT_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 12; ++i)
        EXPECT_TRUE(products[i]->is(static_cast<float>(i % 7 + 1) * 4096)) << i;
}

TEST_F(Cuda, ScalarsOfTheHostAreReadDuringTheCall) {
    for (const Shape& shape : kShapes) {
        Product product(shape);
        const Stream stream;
        const Handle handle;
        tilewright_set_stream(handle, stream);
        product.set_c(1);
        {
            float scalars[] = {2, 3};
            ASSERT_EQ(product.run(handle, scalars), TILEWRIGHT_STATUS_SUCCESS);
            scalars[0] = scalars[1] = 99;
        }
        ASSERT_CUDA(cudaStreamSynchronize(stream));
        EXPECT_TRUE(product.is(2 * product.k() + 3)) << describe(shape);
    }
}

TEST_F(Cuda, ScalarsOfTheDeviceAreReadWhenTheWorkRuns) {
    for (const Shape& shape : kShapes) {
        Product product(shape);
        const Stream stream;
        const Handle handle;
        tilewright_set_stream(handle, stream);
        ASSERT_EQ(tilewright_set_pointer_mode(handle, 1), TILEWRIGHT_STATUS_SUCCESS);
        void* memory = nullptr;  // the host cannot read it
        ASSERT_CUDA(cudaMalloc(&memory, 8));
        auto* scalars = static_cast<float*>(memory);
        for (const auto& [alpha, beta] : {std::pair(2.0f, 3.0f), {0.0f, 1.0f}, {1.0f, 0.0f}}) {
            const float values[] = {alpha, beta};
            product.set_c(beta == 0 ? Memory::canary(1) : 1);
            product.set_a(alpha == 0 ? Memory::canary(2) : 1);
            ASSERT_CUDA(cudaMemset(scalars, 0xff, 8));  // NaNs, until the stream gets there
            ASSERT_CUDA(cudaDeviceSynchronize());
            ASSERT_CUDA(cudaMemcpyAsync(scalars, values, 8, cudaMemcpyHostToDevice, stream));
            ASSERT_EQ(product.run(handle, scalars), TILEWRIGHT_STATUS_SUCCESS);
            ASSERT_CUDA(cudaStreamSynchronize(stream));
            EXPECT_TRUE(product.is(alpha * product.k() + beta)) << describe(shape) << alpha << beta;
        }
        EXPECT_CUDA(cudaFree(scalars));
    }
}

TEST_F(Cuda, TheCurrentDeviceStaysTheCallers) {
    int count = 0;
    ASSERT_CUDA(cudaGetDeviceCount(&count));
    for (int own = 0; own < count; ++own) {
        ASSERT_CUDA(cudaSetDevice(own));
        Product product(kShapes[1]);
        Handle handle;
        for (int current = 0; current < count; ++current) {
            ASSERT_CUDA(cudaSetDevice(current));
            ASSERT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS)
                << tilewright_last_error(handle);
            int after = -1;
            ASSERT_CUDA(cudaGetDevice(&after));
            EXPECT_EQ(after, current);
            ASSERT_CUDA(cudaSetDevice(own));
            ASSERT_CUDA(cudaDeviceSynchronize());
            EXPECT_TRUE(product.is(product.k()));
        }
    }
    ASSERT_CUDA(cudaSetDevice(0));
}

// An error of the program's own is neither ours nor ours to hide.
TEST_F(Cuda, AnErrorBeforeIsLeftAlone) {
    const Handle handle;
    Product product(kShapes[0]);
    EXPECT_EQ(cudaSetDevice(999), cudaErrorInvalidDevice);
    EXPECT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_TRUE(product.is(product.k()));
}

}  // namespace
}  // namespace tilewright::test
