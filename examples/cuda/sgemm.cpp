// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch of products on a GPU, in a stream and then in a graph. Ends with 77 where there is no GPU.
#include <cuda_runtime.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "tilewright/tilewright.hpp"

using tilewright::Layout;

namespace {

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

float* on_device(const std::vector<float>& values, cudaStream_t stream) {
    void* memory = nullptr;
    const size_t bytes = values.size() * sizeof(float);
    check(cudaMalloc(&memory, bytes));
    check(cudaMemcpyAsync(memory, values.data(), bytes, cudaMemcpyHostToDevice, stream));
    return static_cast<float*>(memory);
}

// The handle is gone before its stream is: it waits for its work when it goes.
int run(cudaStream_t stream) {
    constexpr int m = 300, n = 200, k = 100, batch = 8;
    tilewright::Handle handle;
    handle.set_stream(stream);

    // Small whole numbers, whose products and sums are exact in FP32. One B serves the whole batch.
    std::vector<float> A(batch * m * k), B(k * n), C(batch * m * n);
    for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i % 7) - 3;
    for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i % 5) - 2;
    float* const a = on_device(A, stream);
    float* const b = on_device(B, stream);
    float* const c = on_device(C, stream);

    // C := A * B + C, row by row, in every slot of the batch. The call returns before the work is done.
    const auto multiply = [&] {
        handle.sgemm_strided_batched(Layout::row_major, m, n, k, 1, {a, k, {}, m * k}, {b, n}, 1,
                                     {c, n, m * n}, batch);
    };
    multiply();
    std::cout << "ran " << handle.last_kernel() << '\n';

    // The same again, as a graph that runs twice.
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    multiply();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) check(cudaGraphLaunch(executable, stream));

    check(cudaMemcpyAsync(C.data(), c, C.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    size_t wrong = 0;
    for (int row = 0; row < batch * m; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
            wrong += C[row * n + column] != 3 * sum;
        }
    std::cout << wrong << " of " << C.size() << " elements are wrong\n";

    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    for (float* memory : {a, b, c}) check(cudaFree(memory));
    return wrong ? 1 : 0;
}

}  // namespace

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::cout << "no GPU\n";
        return 77;
    }
    try {
        cudaStream_t stream = nullptr;
        check(cudaStreamCreate(&stream));
        const int status = run(stream);
        check(cudaStreamDestroy(stream));
        return status;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
