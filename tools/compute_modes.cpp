// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// compute_modes: what compute modes are worth, in time and in energy, beside cuBLAS's, as a table.
//
//     compute_modes [SIZE]...     squares of these sizes, 1024 to 8192 if there is none
//
// burst: the median of calls that follow 80 ms of rest, so that clocks are high. sustained: calls without
// a pause, as many as fill a second, in which the GPU finds its power limit; energy is the driver's
// counter over them. All take turns. "B prepared": its pieces were made before, by tilewright_prepare.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lab/library.h"
#include "tilewright/tilewright.h"

namespace {

using tilewright::lab::Library;

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "compute_modes: %s\n", why.c_str());
    std::exit(1);
}
void check(cudaError_t error) {
    if (error != cudaSuccess) fail(cudaGetErrorString(error));
}

/// Operands of one size, and a result.
struct Matrices {
    explicit Matrices(int size) : n(size) {
        const size_t count = static_cast<size_t>(n) * static_cast<size_t>(n);
        std::vector<float> host(count);
        std::mt19937 generator(1);
        std::normal_distribution<float> normal;
        for (float** matrix : {&A, &B, &C}) {
            for (size_t i = 0; i < count; ++i)  // enough that no two rows are alike
                host[i] = i < (1 << 22) ? normal(generator) : host[i - (1 << 22) + 1];
            check(cudaMalloc(reinterpret_cast<void**>(matrix), count * sizeof(float)));
            check(cudaMemcpy(*matrix, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
        }
    }
    ~Matrices() {
        for (float* matrix : {A, B, C}) cudaFree(matrix);
    }
    Matrices(const Matrices&) = delete;
    Matrices& operator=(const Matrices&) = delete;

    std::vector<float> result() const {
        std::vector<float> host(static_cast<size_t>(n) * static_cast<size_t>(n));
        check(cudaDeviceSynchronize());
        check(cudaMemcpy(host.data(), C, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

    int n;
    float *A = nullptr, *B = nullptr, *C = nullptr;
};

/// One row of the table. run() may say something about it, as which kernel ran.
struct Way {
    std::string name;
    std::function<std::string()> run;
};

class Cublas {
  public:
    explicit Cublas(cudaStream_t stream) {
        for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
            if (!library_) library_ = Library(name);
        int (*create)(Handle*);
        int (*set_stream)(Handle, cudaStream_t);
        found_ = library_.find(create, "cublasCreate_v2") &&
                 library_.find(set_stream, "cublasSetStream_v2") &&
                 library_.find(set_math_mode_, "cublasSetMathMode") &&
                 library_.find(sgemm_, "cublasSgemm_v2") && create(&handle_) == 0 &&
                 set_stream(handle_, stream) == 0;
        // Emulation also where cuBLAS does not think it faster; since 13.0.
        int (*set_strategy)(Handle, int);
        emulates_ = found_ && library_.find(set_strategy, "cublasSetEmulationStrategy") &&
                    set_strategy(handle_, kEager) == 0;
    }

    void add_ways(const Matrices& m, std::vector<Way>& ways) const {
        if (!found_) return;
        const auto add = [&](const char* name, int mode, const std::string& remark) {
            ways.push_back({name, [this, &m, mode, remark] {
                                multiply(m, mode);
                                return remark;
                            }});
        };
        add("cuBLAS FP32", kPedantic, "");
        add("cuBLAS TF32", kTf32, "");
        if (!emulates_) return;
        multiply(m, kPedantic);
        const std::vector<float> fp32 = m.result();
        multiply(m, kBf16x9);
        const bool same = fp32 == m.result();
        add("cuBLAS BF16x9, eager", kBf16x9, same ? "the bits of FP32" : "other bits than FP32");
    }

  private:
    using Handle = struct cublasContext*;
    void multiply(const Matrices& m, int mode) const {
        const float one = 1, zero = 0;
        if (set_math_mode_(handle_, mode) != 0) fail("cublasSetMathMode failed");
        // Column-major: C^T = B^T A^T.
        if (sgemm_(handle_, 0, 0, m.n, m.n, m.n, &one, m.B, m.n, m.A, m.n, &zero, m.C, m.n) != 0)
            fail("cublasSgemm failed");
    }

    static constexpr int kPedantic = 2, kTf32 = 3, kBf16x9 = 4, kEager = 2;
    Library library_;
    Handle handle_ = nullptr;
    bool found_ = false, emulates_ = false;
    int (*set_math_mode_)(Handle, int) = nullptr;
    int (*sgemm_)(Handle, int, int, int, int, int, const float*, const float*, int, const float*,
                  int, const float*, float*, int) = nullptr;
};

/// A handle in one mode, with or without prepared operands.
class Mode {
  public:
    Mode(cudaStream_t stream, tilewright_compute_t mode, const Matrices& m, bool prepare_a,
         bool prepare_b)
        : m_(m) {
        call(tilewright_create(&handle_));
        call(tilewright_set_stream(handle_, stream));
        call(tilewright_set_compute(handle_, mode));
        if (prepare_a) prepare(TILEWRIGHT_LEFT, m.A, a_);
        if (prepare_b) prepare(TILEWRIGHT_RIGHT, m.B, b_);
    }
    ~Mode() {
        tilewright_release(handle_, a_);
        tilewright_release(handle_, b_);
        tilewright_destroy(handle_);
    }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

    std::string run() {
        const float one = 1, zero = 0;
        call(tilewright_sgemm_prepared(handle_, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N,
                                       TILEWRIGHT_OP_N, m_.n, m_.n, m_.n, &one, m_.A, m_.n, a_,
                                       m_.B, m_.n, b_, &zero, m_.C, m_.n));
        return std::string("`") + tilewright_last_kernel(handle_) + "`";
    }

  private:
    void call(tilewright_status_t status) {
        if (status != TILEWRIGHT_STATUS_SUCCESS) fail(tilewright_last_error(handle_));
    }
    void prepare(tilewright_side_t side, const float* X, tilewright_operand_t& operand) {
        call(tilewright_prepare(handle_, TILEWRIGHT_ROW_MAJOR, side, TILEWRIGHT_OP_N, m_.n, m_.n, X,
                                m_.n, &operand));
    }

    const Matrices& m_;
    tilewright_handle_t handle_ = nullptr;
    tilewright_operand_t a_ = nullptr, b_ = nullptr;
};

/// The driver's counter of energy, in mJ, since 2017.
class Energy {
  public:
    Energy() {
        int (*initialise)();
        int (*handle)(const char*, void**);
        char address[32];
        int device = 0;
        check(cudaGetDevice(&device));
        check(cudaDeviceGetPCIBusId(address, sizeof(address), device));
        if (!library_.find(initialise, "nvmlInit_v2") || initialise() != 0 ||
            !library_.find(handle, "nvmlDeviceGetHandleByPciBusId_v2") ||
            handle(address, &device_) != 0 ||
            !library_.find(read_, "nvmlDeviceGetTotalEnergyConsumption"))
            read_ = nullptr;
    }
    double joules() const {
        unsigned long long millijoules = 0;
        return read_ && read_(device_, &millijoules) == 0 ? 1e-3 * static_cast<double>(millijoules)
                                                          : 0;
    }

  private:
    Library library_{"libnvidia-ml.so.1"};
    void* device_ = nullptr;
    int (*read_)(void*, unsigned long long*) = nullptr;
};

class Stopwatch {
  public:
    explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
        for (cudaEvent_t* event : {&begin_, &end_}) check(cudaEventCreate(event));
    }
    /// Of so many calls.
    double us(const Way& way, int calls) {
        check(cudaEventRecord(begin_, stream_));
        for (int i = 0; i < calls; ++i) way.run();
        check(cudaEventRecord(end_, stream_));
        check(cudaEventSynchronize(end_));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin_, end_));
        return 1e3 * static_cast<double>(ms);
    }

  private:
    cudaStream_t stream_;
    cudaEvent_t begin_, end_;
};

struct Figures {
    std::string remark;
    double burst_us, sustained_us, joules;  ///< Of a call.
};

Figures measure(const Way& way, Stopwatch& stopwatch, const Energy& energy) {
    Figures figures{};
    figures.remark = way.run();
    stopwatch.us(way, 2);
    const int calls = std::max(3, static_cast<int>(4000 / (stopwatch.us(way, 3) / 3)));
    std::vector<double> bursts(5);
    for (double& burst : bursts) {
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
        burst = stopwatch.us(way, calls) / calls;
    }
    std::nth_element(bursts.begin(), bursts.begin() + 2, bursts.end());
    figures.burst_us = bursts[2];
    const int many = static_cast<int>(1e6 / figures.burst_us) + 1;
    stopwatch.us(way, many / 2);  // until clocks are what they will be
    const double before = energy.joules();
    figures.sustained_us = stopwatch.us(way, many) / many;
    figures.joules = (energy.joules() - before) / many;
    return figures;
}

void measure_size(int size, cudaStream_t stream, const Cublas& cublas) {
    const Matrices matrices(size);
    std::vector<Way> ways;
    cublas.add_ways(matrices, ways);
    constexpr const char* kModes[] = {"FP32", "FP16X3", "BF16X6", "BF16X9", "TF32"};
    constexpr const char* kPrepared[] = {"", ", B prepared", ", both prepared"};
    for (int mode = TILEWRIGHT_COMPUTE_FP32; mode <= TILEWRIGHT_COMPUTE_TF32; ++mode)
        for (int prepared = 0; prepared < (mode == TILEWRIGHT_COMPUTE_FP32 ? 1 : 3); ++prepared) {
            const auto handle =
                std::make_shared<Mode>(stream, static_cast<tilewright_compute_t>(mode), matrices,
                                       prepared > 1, prepared > 0);
            ways.push_back({std::string(kModes[mode]) + kPrepared[prepared],
                            [handle] { return handle->run(); }});
        }
    Stopwatch stopwatch(stream);
    const Energy energy;
    const double gflop = 2e-9 * size * size * size;
    for (const Way& way : ways) {
        const Figures f = measure(way, stopwatch, energy);
        std::printf("| %d | %s | %.1f | %.1f | %.1f | %.1f | ", size, way.name.c_str(), f.burst_us,
                    gflop / f.burst_us * 1e3, f.sustained_us, gflop / f.sustained_us * 1e3);
        if (f.joules > 0)
            std::printf("%.0f", gflop / f.joules);
        else
            std::printf("-");
        std::printf(" | %s |\n", f.remark.c_str());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** words) {
    std::vector<int> sizes;
    for (int i = 1; i < count; ++i) {
        char* end = nullptr;
        const long size = std::strtol(words[i], &end, 10);
        if (*end || size < 1 || size > 32768)
            fail(std::string(words[i]) + " is no size: 1 to 32768");
        sizes.push_back(static_cast<int>(size));
    }
    if (sizes.empty()) sizes = {1024, 2048, 4096, 8192};
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const Cublas cublas(stream);
    std::printf(
        "| size | | burst us | TFLOP/s | sustained us | TFLOP/s | GFLOP/J | |\n"
        "|--:|---|--:|--:|--:|--:|--:|---|\n");
    for (const int size : sizes) measure_size(size, stream, cublas);
}
