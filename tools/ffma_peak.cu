// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Asks a GPU how many FFMAs it does when it does nothing else: what the best SGEMM could come to.
//   nvcc -O3 -arch=native -o ffma_peak tools/ffma_peak.cu && ./ffma_peak > ffma-peak.csv
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kChains = 32, kRounds = 1 << 14, kSamples = 30;

/// Independent chains hide the latency of four clocks; x and y stay in the operands' reuse cache, so
/// that no two reads meet in one bank of the register file.
__global__ void ffma(float x, float y, float* sink) {
    float chain[kChains];
    for (int i = 0; i < kChains; ++i) chain[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 4
    for (int round = 0; round < kRounds; ++round)
#pragma unroll
        for (int i = 0; i < kChains; ++i) chain[i] = fmaf(chain[i], x, y);
    float sum = 0.0f;
    for (const float value : chain) sum += value;
    if (sum == 0.123f) *sink = sum;  // the compiler must not see that nobody wants it
}

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "ffma_peak: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

}  // namespace

int main() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    float* sink;
    check(cudaMalloc(&sink, sizeof(float)));
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    std::printf("# %s, %d SMs\nwarps_per_sm,median_tflops,best_tflops\n", device.name,
                device.multiProcessorCount);
    for (const int warps : {4, 8, 16, 32}) {
        std::vector<double> tflops;
        for (int i = 0; i < kSamples; ++i) {
            check(cudaEventRecord(start));
            ffma<<<device.multiProcessorCount, 32 * warps>>>(0.999f, 1.0f, sink);
            check(cudaEventRecord(stop));
            check(cudaEventSynchronize(stop));
            float ms;
            check(cudaEventElapsedTime(&ms, start, stop));
            const double flops = 2.0 * kChains * kRounds * 32 * warps * device.multiProcessorCount;
            tflops.push_back(flops / ms / 1e9);
        }
        std::sort(tflops.begin(), tflops.end());
        std::printf("%d,%.2f,%.2f\n", warps, tflops[kSamples / 2], tflops.back());
    }
    check(cudaFree(sink));
}
