// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// engine_sweep: how long each of the engine's kernels takes for each of some shapes, as lines of CSV,
// with how it cuts up the problem. What costs.def says is fitted to this by fit_costs.py.
//
// Reads lines "N T M N K [batch]" from stdin; an argument leaves only variants whose name begins
// with it, as "tile/64x". After `--compute fp16x3` kernels of that arithmetic are measured too. Each kernel runs as a graph of calls over buffers that
// rotate through 200 MB, 64 sets at most; the time is the median of five graphs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/dispatch.h"

using namespace tilewright;

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

constexpr int64_t kRotated = 200 << 20;
constexpr int64_t kModesWorkspace = int64_t{8} << 30;  // for pieces of the largest operands
constexpr double kWorthTrying = 4;  // times the prediction of the best

struct Buffers {
    float *operands, *results;  ///< Apart, since what is computed from results may be Inf and NaN.
    float* workspace;
    unsigned* counters;
    int64_t elements;
};

Arithmetic mode_of(const std::string& word) {
    for (const Arithmetic mode : kArithmetics)
        if (word == name_of(mode)) return mode;
    std::fprintf(stderr, "--compute: '%s' is no compute mode\n", word.c_str());
    std::exit(2);
}

/// Microseconds a call; negative where it fails.
double time(const engine::Choice& choice, const Problem& first, const Buffers& buffers,
            const engine::DeviceTraits& device, cudaStream_t stream) {
    // Each on 16 bytes, as an allocation of its own would be.
    const auto fours = [](int64_t elements) { return (elements + 3) / 4 * 4; };
    const int64_t a = fours(first.m * first.k * first.batch),
                  b = fours(first.k * first.n * first.batch),
                  c = fours(first.m * first.n * first.batch), all = a + b + c;
    const int64_t sets = std::clamp<int64_t>(kRotated / 4 / all, 1, 64);
    const int calls =
        static_cast<int>(std::clamp(1000.0 / std::max(choice.predicted_us, 0.5), 1.0, 200.0));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int i = 0; i < calls; ++i) {
        Problem p = first;
        p.A = buffers.operands + i % sets * (a + b), p.B = p.A + a;
        p.C = buffers.results + i % sets * c;
        const Status status = choice.variant->run(p, {.stream = stream,
                                                      .multiprocessors = device.multiprocessors,
                                                      .workspace = buffers.workspace,
                                                      .workspace_bytes = choice.workspace_bytes,
                                                      .counters = buffers.counters,
                                                      .splits = choice.splits,
                                                      .overlaps = device.compute_capability >= 90});
        if (!status.ok()) {
            std::fprintf(stderr, "%s: %s\n", engine::name_of(choice).c_str(),
                         status.reason.c_str());
            cudaStreamEndCapture(stream, &graph);
            return -1;
        }
    }
    check(cudaStreamEndCapture(stream, &graph), "end of capture");
    check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int i = 0; i < 6; ++i) {
        cudaEventRecord(begin, stream);
        check(cudaGraphLaunch(executable, stream), "launch");
        cudaEventRecord(end, stream);
        check(cudaEventSynchronize(end), engine::name_of(choice).c_str());
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        if (i > 0) times.push_back(ms);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3 / calls;
}

}  // namespace

int main(int argc, char** argv) {
    std::string wanted;
    Arithmetic mode = Arithmetic::fp32;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--compute" && i + 1 < argc)
            mode = mode_of(argv[++i]);
        else
            wanted = argv[i];
    }
    int multiprocessors = 0, major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "device");
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    const engine::DeviceTraits traits{Target::gpu, multiprocessors, 10 * major + minor};
    if (const std::string why = engine::refusal_of(mode, traits); !why.empty()) {
        std::fprintf(stderr, "%s\n", why.c_str());
        return 1;
    }
    const int64_t workspace = std::min(engine::own_workspace_bytes(mode), kModesWorkspace);
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    Buffers buffers{};
    buffers.elements = int64_t{1} << 30;
    check(cudaMalloc(&buffers.operands, buffers.elements * 4), "operands");
    check(cudaMalloc(&buffers.results, buffers.elements * 4), "results");
    check(cudaMalloc(&buffers.workspace, workspace), "workspace");
    check(cudaMalloc(&buffers.counters, kCounters * sizeof(unsigned)), "counters");
    check(cudaMemset(buffers.counters, 0, kCounters * sizeof(unsigned)), "counters");
    std::vector<float> noise(1 << 24);
    unsigned x = 1;
    for (float& value : noise) {
        x = x * 1664525u + 1013904223u;
        value = static_cast<float>(static_cast<int>(x)) * 0x1p-31f;
    }
    for (int64_t i = 0; i < buffers.elements; i += static_cast<int64_t>(noise.size()))
        check(cudaMemcpy(buffers.operands + i, noise.data(), noise.size() * 4,
                         cudaMemcpyHostToDevice),
              "fill");
    std::puts(
        "ta,tb,m,n,k,batch,kernel,variant,parts,us,predicted_us,blocks,resident,steps,exchanged,"
        "sharing,meet,prepared");
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        char ta, tb;
        Problem p;
        if (!(words >> ta >> tb >> p.m >> p.n >> p.k)) continue;
        words >> p.batch;
        p.batch = std::max<int64_t>(p.batch, 1);
        p.transpose_a = ta == 'T', p.transpose_b = tb == 'T';
        p.lda = p.transpose_a ? p.m : p.k, p.ldb = p.transpose_b ? p.k : p.n, p.ldc = p.n;
        p.stride_a = p.m * p.k, p.stride_b = p.k * p.n, p.stride_c = p.m * p.n;
        p.A = p.B = buffers.operands, p.C = buffers.results;
        p.arithmetic = mode;
        if (std::max(p.m * p.k + p.k * p.n, p.m * p.n) * p.batch > buffers.elements - 16) {
            std::fprintf(stderr, "too large: %s\n", line.c_str());
            continue;
        }
        const auto all = engine::candidates(p, traits, workspace);
        for (const engine::Candidate& candidate : all) {
            const engine::Choice& choice = candidate.choice;
            if (candidate.refusal) continue;
            if (!engine::name_of(choice).starts_with(wanted)) continue;
            if (wanted.empty() &&
                choice.predicted_us > kWorthTrying * all.front().choice.predicted_us)
                continue;
            const double us = time(choice, p, buffers, traits, stream);
            const Work work = choice.variant->work(p, {.multiprocessors = multiprocessors,
                                                       .workspace_bytes = choice.workspace_bytes,
                                                       .counters = buffers.counters,
                                                       .splits = choice.splits});
            std::printf("%c,%c,%ld,%ld,%ld,%ld,%s,%s,%d,%.3f,%.3f,%ld,%d,%g,%ld,%d,%d,%ld\n", ta,
                        tb, p.m, p.n, p.k, p.batch, choice.kernel->id, choice.variant->name,
                        choice.splits, us, choice.predicted_us, work.blocks, work.resident,
                        work.steps, work.exchanged, work.sharing, work.meet, work.prepared);
        }
        std::fflush(stdout);
    }
}
