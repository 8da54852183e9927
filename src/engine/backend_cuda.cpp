// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "engine/backend.h"

namespace tilewright::engine {

namespace {

/// Lets this thread allocate while others capture.
class RelaxedCapture {
  public:
    RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

Status failure(const char* call, cudaError_t error) {
    return {error == cudaErrorMemoryAllocation ? StatusCode::allocation_failed
                                               : StatusCode::execution_failed,
            std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                ")"};
}

class CudaBackend : public Backend {
  public:
    CudaBackend(int device, const DeviceTraits& traits, bool overlaps, const TunedDevice& tuned)
        : device_(device), overlaps_(overlaps) {
        traits_ = traits;
        take_tuned(tuned);
    }
    ~CudaBackend() override {
        const Scope scope(*this);
        if (event_) cudaEventDestroy(event_);
    }

    void* allocate(size_t bytes, size_t zeros) override {
        const RelaxedCapture relaxed;
        void* memory = nullptr;
        if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
        // In a stream of its own: the default one may be captured, or wait for others.
        cudaStream_t stream = nullptr;
        if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
            cudaMemsetAsync(memory, 0, zeros, stream) == cudaSuccess &&
            cudaStreamSynchronize(stream) == cudaSuccess) {
            cudaStreamDestroy(stream);
            return memory;
        }
        if (stream) cudaStreamDestroy(stream);
        cudaFree(memory);
        return nullptr;
    }
    void release(void* memory) noexcept override {
        const Scope scope(*this);
        const RelaxedCapture relaxed;
        // For cudaMalloc's memory the driver waits for the device, for cudaMallocAsync's it does not. At
        // the end of the process the driver may be gone: nothing to do then.
        cudaFree(memory);
    }
    void* allocate_in(void* stream, size_t bytes) override {
        void* memory = nullptr;
        if (cudaMallocAsync(&memory, bytes, static_cast<cudaStream_t>(stream)) == cudaSuccess)
            return memory;
        cudaGetLastError();  // no failure of the call's: it works in what there is
        return nullptr;
    }
    void release_in(void* stream, void* memory) noexcept override {
        cudaFreeAsync(memory, static_cast<cudaStream_t>(stream));
    }

    Execution execution(void* stream) override {
        return {
            .stream = stream, .multiprocessors = traits_.multiprocessors, .overlaps = overlaps_};
    }
    bool is_capturing(void* stream) override {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        const cudaError_t error = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
        return error == cudaSuccess && status == cudaStreamCaptureStatusActive;
    }
    Status remember(void* stream) override {
        if (!event_) {
            const cudaError_t error = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
            if (error != cudaSuccess) return failure("cudaEventCreateWithFlags", error);
        }
        const cudaError_t error = cudaEventRecord(event_, static_cast<cudaStream_t>(stream));
        return error == cudaSuccess ? Status{} : failure("cudaEventRecord", error);
    }
    Status wait(void* stream) override {
        if (!event_) return {};
        const cudaError_t error = cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), event_, 0);
        return error == cudaSuccess ? Status{} : failure("cudaStreamWaitEvent", error);
    }

  private:
    int enter() const override {
        int current = device_;
        cudaGetDevice(&current);
        if (current != device_) cudaSetDevice(device_);
        return current;
    }
    void leave(int before) const override {
        if (before != device_) cudaSetDevice(before);
    }

    int device_;
    bool overlaps_;
    cudaEvent_t event_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> open_gpu_backend(Status& why) {
    const auto refuse = [&](const char* call, cudaError_t error) {
        why = {StatusCode::not_initialized,
               failure(call, error).reason + "; TILEWRIGHT_DEVICE=cpu runs on the processor"};
        return nullptr;
    };
    int device = 0, multiprocessors = 0, major = 0, minor = 0;
    if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess)
        return refuse("cudaGetDevice", error);
    for (const auto& [value, attribute] :
         {std::pair(&multiprocessors, cudaDevAttrMultiProcessorCount),
          {&major, cudaDevAttrComputeCapabilityMajor},
          {&minor, cudaDevAttrComputeCapabilityMinor}})
        if (const cudaError_t error = cudaDeviceGetAttribute(value, attribute, device);
            error != cudaSuccess)
            return refuse("cudaDeviceGetAttribute", error);
    if (major < 8) {
        why = {StatusCode::architecture_mismatch,
               "the device's compute capability is " + std::to_string(major) + '.' +
                   std::to_string(minor) + "; the kernels need 8.0"};
        return nullptr;
    }
    // A 9.0 without 90a's own code runs what an 8.9 can.
    const int capability = 10 * major + minor;
    const bool own_code = capability == 90 && TILEWRIGHT_CODE_90A;
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, device);
        error != cudaSuccess)
        return refuse("cudaGetDeviceProperties", error);
    const DeviceTraits traits{Target::gpu, multiprocessors,
                              capability == 90 && !own_code ? 89 : capability,
                              tensor_rate_of(capability, properties.name)};
    const bool overlaps = own_code || (capability >= 90 && TILEWRIGHT_CODE_90);
    return std::make_unique<CudaBackend>(device, traits, overlaps,
                                         TunedDevice{properties.name, multiprocessors, capability});
}

}  // namespace tilewright::engine
