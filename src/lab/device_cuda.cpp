// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A GPU as a device, through the CUDA runtime: everything goes to one non-blocking stream.
#include "lab/device.h"

#if TILEWRIGHT_WITH_CUDA

#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include "engine/kernels.h"
#include "lab/cublas.h"
#include "lab/cuda_check.h"
#include "lab/gpus.h"
#include "lab/nvml.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

/// FP32 lanes of a multiprocessor: CUDA C++ Programming Guide, arithmetic instructions.
int lanes_per_multiprocessor(int major, int minor) {
    if (major == 8 && minor == 0) return 64;
    if (major == 7 || (major == 6 && minor == 0)) return 64;
    return 128;
}

/// Products in TF32 that a multiprocessor's tensor cores make in a clock, dense: NVIDIA's whitepapers
/// on A100 and H100, whose peaks are these times SMs x 2 x boost clock. GeForce and RTX boards of
/// one compute capability differ.
int tf32_products(int major, int minor) {
    return minor != 0 ? 0 : major == 8 ? 512 : major == 9 ? 1024 : 0;
}

int attribute(cudaDeviceAttr which, int ordinal) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, ordinal));
    return value;
}

std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

struct StreamDeleter {
    void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using Stream = std::unique_ptr<CUstream_st, StreamDeleter>;

struct EventDeleter {
    void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
};
using Event = std::unique_ptr<CUevent_st, EventDeleter>;

Stream make_stream() {
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return Stream(stream);
}

Event make_event() {
    cudaEvent_t event = nullptr;
    CUDA_CHECK(cudaEventCreate(&event));
    return Event(event);
}

std::string bus_id(int ordinal) {
    char text[32] = "";
    CUDA_CHECK(cudaDeviceGetPCIBusId(text, sizeof text, ordinal));
    return text;
}

DeviceInfo describe(int ordinal) {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    int runtime = 0;
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    DeviceInfo info;
    info.name = properties.name;
    info.gpu = true;
    info.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
    info.multiprocessors = properties.multiProcessorCount;
    info.max_clock_mhz = attribute(cudaDevAttrClockRate, ordinal) / 1000;
    info.peak_gflops = 2e-3 * info.multiprocessors * info.max_clock_mhz *
                       lanes_per_multiprocessor(properties.major, properties.minor);
    info.tf32_peak_gflops = 2e-3 * info.multiprocessors * info.max_clock_mhz *
                            tf32_products(properties.major, properties.minor);
    // Both edges of the clock move data; it is in kHz, the bus in bits.
    info.memory_gb_s = 2e-6 / 8 * attribute(cudaDevAttrMemoryClockRate, ordinal) *
                       attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
    info.memory_bytes = properties.totalGlobalMem;
    info.l2_bytes = static_cast<size_t>(properties.l2CacheSize);
    info.cuda = version_text(runtime);
    return info;
}

class CudaDevice : public Device {
  public:
    explicit CudaDevice(int ordinal)
        : info_(select(ordinal)),
          capability_(10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
                      attribute(cudaDevAttrComputeCapabilityMinor, ordinal)),
          stream_(make_stream()),
          start_(make_event()),
          stop_(make_event()),
          nvml_(bus_id(ordinal)) {
        info_.cublas = start_cublas();
        if (info_.cublas.missing.empty()) {
            kernels_.push_back(&cublas_definition());
            opponents_ = {&cublas_definition(), &cublas_tf32_definition()};
        }
        info_.driver = nvml_.driver_version();
        for (const KernelDefinition* rung : ladder::rungs(ladder::Target::gpu))
            if (runs_on(*rung, capability_)) kernels_.push_back(rung);
        for (const KernelDefinition* kernel : engine::kernels(Target::gpu))
            if (runs_on(*kernel, capability_)) engine_kernels_.push_back(kernel);
    }
    ~CudaDevice() override { release_workspace(); }

    const DeviceInfo& info() const override { return info_; }
    std::span<const KernelDefinition* const> kernels() const override { return kernels_; }
    std::span<const KernelDefinition* const> engine_kernels() const override {
        return engine_kernels_;
    }
    std::span<const KernelDefinition* const> opponents() const override { return opponents_; }
    Execution execution() override {
        return {.stream = stream_.get(), .multiprocessors = info_.multiprocessors};
    }
    std::optional<Vitals> vitals() override { return nvml_.vitals(); }
    std::optional<double> joules() override { return nvml_.joules(); }
    void profile(const std::function<void()>& work) override {
        CUDA_CHECK(cudaProfilerStart());
        work();
        synchronise();
        CUDA_CHECK(cudaProfilerStop());
    }

    size_t free_memory() const override {
        size_t free = 0, total = 0;
        CUDA_CHECK(cudaMemGetInfo(&free, &total));
        return free;
    }

    void* allocate(size_t bytes) override {
        void* memory = nullptr;
        // Even an empty matrix gets an address, as in CPU mode.
        const cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
        if (error == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());
            throw OutOfMemory(fmt::format("cudaMalloc of {} bytes: {} bytes of GPU memory are free",
                                          bytes, free_memory()));
        }
        check_cuda(error, "cudaMalloc", __FILE__, __LINE__);
        return memory;
    }
    void release(void* memory) noexcept override { static_cast<void>(cudaFree(memory)); }

    void upload(void* to, const void* from, size_t bytes) override {
        transfer(to, from, bytes, cudaMemcpyHostToDevice);
        synchronise();  // the caller may change its memory as soon as this returns
    }
    void download(void* to, const void* from, size_t bytes) override {
        transfer(to, from, bytes, cudaMemcpyDeviceToHost);
        synchronise();
    }
    void copy(void* to, const void* from, size_t bytes) override {
        transfer(to, from, bytes, cudaMemcpyDeviceToDevice);
    }

    double time(const std::function<void()>& work) override {
        CUDA_CHECK(cudaEventRecord(start_.get(), stream_.get()));
        work();
        CUDA_CHECK(cudaEventRecord(stop_.get(), stream_.get()));
        CUDA_CHECK(cudaEventSynchronize(stop_.get()));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
        return 1e3 * milliseconds;
    }

    std::function<void()> capture(const std::function<void()>& work) override;

    void synchronise() override { CUDA_CHECK(cudaStreamSynchronize(stream_.get())); }

  private:
    static DeviceInfo select(int ordinal) {
        CUDA_CHECK(cudaSetDevice(ordinal));
        return describe(ordinal);
    }

    void transfer(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
        if (bytes > 0) CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream_.get()));
    }

    DeviceInfo info_;
    int capability_;  ///< Times ten.
    Stream stream_;
    Event start_, stop_;
    Nvml nvml_;
    std::vector<const KernelDefinition*> kernels_, engine_kernels_, opponents_;
};

std::function<void()> CudaDevice::capture(const std::function<void()>& work) {
    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
    try {
        work();
    } catch (...) {  // a stream left capturing would refuse everything that follows
        static_cast<void>(cudaStreamEndCapture(stream_.get(), &graph));
        if (graph) static_cast<void>(cudaGraphDestroy(graph));
        static_cast<void>(cudaGetLastError());
        throw;
    }
    CUDA_CHECK(cudaStreamEndCapture(stream_.get(), &graph));
    cudaGraphExec_t executable = nullptr;
    const cudaError_t error = cudaGraphInstantiate(&executable, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));
    check_cuda(error, "cudaGraphInstantiate", __FILE__, __LINE__);
    const std::shared_ptr<CUgraphExec_st> owner(
        executable, [](cudaGraphExec_t exec) { static_cast<void>(cudaGraphExecDestroy(exec)); });
    return [owner, stream = stream_.get()] { CUDA_CHECK(cudaGraphLaunch(owner.get(), stream)); };
}

}  // namespace

int gpu_count(std::string& why_none) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) return count;
    static_cast<void>(cudaGetLastError());
    if (error == cudaErrorInsufficientDriver)
        why_none =
            "there is no NVIDIA driver, or it is older than the CUDA this program was "
            "built with";
    else if (error == cudaSuccess || error == cudaErrorNoDevice)
        why_none = "the driver sees no GPU (is CUDA_VISIBLE_DEVICES set?)";
    else
        why_none = fmt::format("cudaGetDeviceCount: {} ({})", cudaGetErrorName(error),
                               cudaGetErrorString(error));
    return 0;
}

std::unique_ptr<Device> open_gpu(int ordinal) {
    std::string why;
    const int count = gpu_count(why);
    if (count == 0) throw NoDevice(fmt::format("no GPU {}: {}", ordinal, why));
    if (ordinal >= count)
        throw NoDevice(
            fmt::format("no GPU {}: this machine has {}, numbered from 0", ordinal, count));
    return std::make_unique<CudaDevice>(ordinal);
}

}  // namespace tilewright::lab

#endif
