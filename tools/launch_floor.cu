// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Asks a GPU how long an empty kernel takes in a CUDA graph: the experiment behind the bound's
// launch term.
//   launch_floor > launch.json
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

constexpr int kLaunches = 200, kSamples = 50;

__global__ void empty() {}

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "launch_floor: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

/// Microseconds of one launch among kLaunches in a graph, in rising order.
std::vector<double> samples(cudaStream_t stream, int blocks, int threads) {
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < kLaunches; ++i) empty<<<blocks, threads, 0, stream>>>();
    check(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t launches;
    check(cudaGraphInstantiate(&launches, graph, 0));
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    std::vector<double> all;
    for (int i = 0; i < kSamples; ++i) {
        check(cudaEventRecord(start, stream));
        check(cudaGraphLaunch(launches, stream));
        check(cudaEventRecord(stop, stream));
        check(cudaEventSynchronize(stop));
        float ms;
        check(cudaEventElapsedTime(&ms, start, stop));
        all.push_back(ms * 1e3 / kLaunches);
    }
    check(cudaEventDestroy(start));
    check(cudaEventDestroy(stop));
    check(cudaGraphExecDestroy(launches));
    check(cudaGraphDestroy(graph));
    std::sort(all.begin(), all.end());
    return all;
}

/// The driver's own version ("580.159.04"), which CUDA's interface does not tell.
void print_driver() {
    std::FILE* file = std::fopen("/sys/module/nvidia/version", "r");
    char version[64] = "";
    if (file && std::fscanf(file, "%63s", version) == 1)
        std::printf("    \"driver\": \"%s\",\n", version);
    else
        std::printf("    \"driver\": null,\n");
    if (file) std::fclose(file);
}

void print_environment() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    int supported, runtime;
    check(cudaDriverGetVersion(&supported));
    check(cudaRuntimeGetVersion(&runtime));
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    std::printf("  \"environment\": {\n    \"device\": \"%s\",\n", device.name);
    std::printf("    \"compute_capability\": \"%d.%d\",\n", device.major, device.minor);
    print_driver();
    std::printf("    \"driver_supports_cuda\": \"%d.%d\",\n", supported / 1000,
                supported % 1000 / 10);
    std::printf("    \"cuda\": \"%d.%d\",\n", runtime / 1000, runtime % 1000 / 10);
    std::printf("    \"command\": \"launch_floor\",\n    \"date\": \"%s\"\n  },\n", date);
}

}  // namespace

int main() {
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::printf("{\n");
    print_environment();
    std::printf("  \"launches\": [");
    const char* separator = "\n";
    for (const int blocks : {1, 16, 132, 1024})
        for (const int threads : {32, 256, 1024}) {
            const std::vector<double> all = samples(stream, blocks, threads);
            std::printf(
                "%s    {\"blocks\": %d, \"threads\": %d, \"min_us\": %.3f, \"median_us\": %.3f}",
                separator, blocks, threads, all.front(), all[all.size() / 2]);
            separator = ",\n";
        }
    std::printf("\n  ]\n}\n");
    return 0;
}
