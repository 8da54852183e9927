// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Calls that are captured in graphs, and replayed with other data: on each path of the library.
#include "engine/cuda.h"

namespace tilewright::test {
namespace {

/// Ends a capture and runs the graph with each of these values of A.
void expect_replays(cudaStream_t stream, Product& product, const Shape& shape) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
    ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (const float value : {1.0f, 3.0f, -2.0f}) {
        product.set_a(value), product.set_c(Memory::canary(1));
        ASSERT_CUDA(cudaGraphLaunch(executable, stream));
        ASSERT_CUDA(cudaStreamSynchronize(stream));
        EXPECT_TRUE(product.is(value * product.k())) << describe(shape) << ' ' << value;
    }
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(Cuda, ACaptureMayBeTheFirstCallOfAll) {
    for (const Shape& shape : kShapes)
        for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed}) {
            Product product(shape);
            const Stream stream;
            const Handle handle;
            ASSERT_EQ(tilewright_set_stream(handle, stream), TILEWRIGHT_STATUS_SUCCESS);
            ASSERT_CUDA(cudaStreamBeginCapture(stream, mode));
            EXPECT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS)
                << describe(shape) << ": " << tilewright_last_error(handle);
            expect_replays(stream, product, shape);
        }
}

TEST_F(Cuda, ACaptureTakesALargerProductThanTheHandleHasSeen) {
    const Stream stream, other;
    const Handle handle;
    for (const Shape& shape : kShapes) {
        Product product(shape);
        // Between captures in one stream, calls in another.
        ASSERT_EQ(tilewright_set_stream(handle, other), TILEWRIGHT_STATUS_SUCCESS);
        ASSERT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS);
        ASSERT_CUDA(cudaStreamSynchronize(other));
        EXPECT_TRUE(product.is(product.k())) << describe(shape);
        ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        ASSERT_EQ(tilewright_set_stream(handle, stream), TILEWRIGHT_STATUS_SUCCESS);
        EXPECT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
        expect_replays(stream, product, shape);
    }
}

// A graph knows its workspace by the address.
TEST_F(Cuda, AGraphRunsAfterTheWorkspaceHasGrown) {
    const Stream stream;
    const Handle handle;
    if (tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP16X3) != TILEWRIGHT_STATUS_SUCCESS)
        GTEST_SKIP() << tilewright_last_error(handle);
    tilewright_set_stream(handle, stream);
    tilewright_set_kernel(handle, kTensorKernel);
    const Shape shape{2048, 512, 4096, 1};
    Product product(shape), larger({4096, 512, 4096, 1});
    ASSERT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS);  // which grows
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
    ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    ASSERT_EQ(larger.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_TRUE(larger.is(larger.k()));
    product.set_a(3), product.set_c(Memory::canary(1));
    ASSERT_CUDA(cudaGraphLaunch(executable, stream));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_TRUE(product.is(3 * product.k()));
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(Cuda, ABadCallLeavesACaptureIntact) {
    const Stream stream;
    const Handle handle;
    Product product(kShapes[0]);
    tilewright_set_stream(handle, stream);
    ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_EQ(product.run(handle, nullptr), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(product.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    expect_replays(stream, product, kShapes[0]);
}

}  // namespace
}  // namespace tilewright::test
