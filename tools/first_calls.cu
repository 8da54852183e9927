// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// What 50 calls of cuBLAS seem to take, depending on what is timed with them; no part of the build:
//
//     nvcc -std=c++17 -O3 -arch=sm_90a -o first_calls tools/first_calls.cu -lcublas
//     ./first_calls > results/<device>-<date>-first-calls.csv
//
// For each size in a fresh process of its own: `first` times 50 calls between two events, the very
// first call among them; `again` the next 50; `warm` 50 more after half a second of work; `graph`
// 50 as one graph. GFLOP/s of the mean.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                             \
    if (const auto error = (call); error != decltype(error){}) {                                \
        std::fprintf(stderr, "%s:%d: error %d\n", __FILE__, __LINE__, static_cast<int>(error)); \
        std::exit(1);                                                                           \
    }

namespace {

constexpr int kCalls = 50;

struct Timer {
    cudaStream_t stream;
    cudaEvent_t begin, end;

    Timer() {
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    /// Milliseconds of the calls that `work` starts.
    template <class Work>
    double operator()(const Work& work) {
        CHECK(cudaEventRecord(begin, stream));
        work();
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        float time = 0;
        CHECK(cudaEventElapsedTime(&time, begin, end));
        return time;
    }
};

void measure(int n) {
    Timer timer;
    const size_t bytes = sizeof(float) * n * n;
    float *A, *B, *C;
    CHECK(cudaMalloc(&A, bytes));
    CHECK(cudaMalloc(&B, bytes));
    CHECK(cudaMalloc(&C, bytes));
    CHECK(cudaMemset(A, 0x3c, bytes));  // 0.0115 everywhere
    CHECK(cudaMemset(B, 0x3c, bytes));
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    CHECK(cublasSetStream(handle, timer.stream));
    const float alpha = 1, beta = 0;
    const auto calls = [&] {
        for (int i = 0; i < kCalls; ++i)
            CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, B, n, A, n, &beta,
                              C, n));
    };
    const double first = timer(calls), again = timer(calls);
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500)) timer(calls);
    const double warm = timer(calls);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(timer.stream, cudaStreamCaptureModeThreadLocal));
    calls();
    CHECK(cudaStreamEndCapture(timer.stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    const auto replay = [&] { CHECK(cudaGraphLaunch(executable, timer.stream)); };
    timer(replay);
    const double in_graph = timer(replay);
    const double gflop = 2e-9 * n * n * n * kCalls;
    std::printf("%d,%.0f,%.0f,%.0f,%.0f\n", n, 1e3 * gflop / first, 1e3 * gflop / again,
                1e3 * gflop / warm, 1e3 * gflop / in_graph);
}

}  // namespace

int main() {
    std::printf("n,first,again,warm,graph\n");
    for (const int n : {128, 256, 512, 1024, 1536, 2048, 3072, 4096}) {
        std::fflush(stdout);
        if (fork() == 0) {
            measure(n);
            std::fflush(stdout);
            _exit(0);
        }
        int status = 0;
        wait(&status);
        if (status != 0) return 1;
    }
    return 0;
}
