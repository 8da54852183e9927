// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A place to run kernels: a GPU, or CPU mode. All that verify and bench need of either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.h"
#include "simt/counters.h"
#include "simt/hazard.h"

namespace tilewright::lab {

/// A device call failed: names the call, the place and the likely cause. After a sticky CUDA error
/// (an illegal access in a kernel) every later call on that device fails too.
class DeviceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Not enough memory on the device, which can go on with something smaller.
class OutOfMemory : public DeviceError {
  public:
    using DeviceError::DeviceError;
};

/// There is no such device, or no GPU or driver at all. The command line exits with 3.
class NoDevice : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The opponent that was found; all empty in CPU mode.
struct CublasInfo {
    std::string version, math_mode, library;  ///< Empty when there is none.
    std::string missing;  ///< Why there is none.
    std::vector<std::string> unset;  ///< Variables that change its arithmetic: taken out.
};

/// What every result records; what a GPU does not tell stays empty.
struct DeviceInfo {
    std::string name;  ///< "NVIDIA H200", or the processor's model in CPU mode.
    bool gpu = false;
    std::string compute_capability;  ///< "9.0"
    int multiprocessors = 0;  ///< SMs; worker threads in CPU mode.
    double peak_gflops = 0;  ///< FP32: SMs x lanes x 2 x highest clock; 0 in CPU mode.
    double tf32_peak_gflops = 0;  ///< Of tensor cores, likewise; 0 where it is not known.
    double memory_gb_s = 0;  ///< Of its own memory: twice the clock x the bus; 0 in CPU mode.
    int max_clock_mhz = 0;
    size_t memory_bytes = 0;
    size_t l2_bytes = 0;
    std::string driver, cuda;  ///< Driver version; CUDA runtime version.
    CublasInfo cublas;
};

/// What its code is compiled for, as NVRTC and the committed tables have it: "90a" of 9.0.
std::string architecture_of(const DeviceInfo& device);

/// What the GPU reports of itself while it works; absent what it does not tell.
struct Vitals {
    std::optional<int> sm_mhz, memory_mhz, celsius;
    std::optional<double> watts, watt_limit;
    std::optional<std::vector<std::string>> throttling;  ///< Why the clocks are held down just now.
};

enum class CpuMode { counted, fast };

/// SMs that CPU mode stands for: few, so that small problems fill them more than once.
inline constexpr int kCpuMultiprocessors = 6;

class DeviceBuffer;

class Device {
  public:
    Device();
    virtual ~Device();

    virtual const DeviceInfo& info() const = 0;

    /// The kernels built for this device in reading order; cuBLAS ("k0") first where it was found.
    virtual std::span<const KernelDefinition* const> kernels() const = 0;
    /// The engine's of those built for this device.
    virtual std::span<const KernelDefinition* const> engine_kernels() const { return {}; }
    /// cuBLAS by arithmetic, as far as it was found: in FP32 ("k0") and in TF32 ("k0_tf32").
    virtual std::span<const KernelDefinition* const> opponents() const { return {}; }

    /// Runs a variant, with the workspace that it asks for, on a GPU in this object's own
    /// non-blocking stream. Waits for nothing. `parts` of k where the kernel can.
    Status run(const Variant& variant, const Problem& problem, int parts = 1);
    /// The same without a workspace.
    virtual Execution execution() = 0;
    /// Counters that the engine's kernels were given and have not left at zero; waits.
    int64_t counters_left();

    virtual size_t free_memory() const = 0;
    /// At least 256-byte aligned, like cudaMalloc. Throws OutOfMemory with what was asked for.
    virtual void* allocate(size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;
    virtual void upload(void* to, const void* from, size_t bytes) = 0;
    virtual void download(void* to, const void* from, size_t bytes) = 0;
    /// Within the device, in order with the kernels.
    virtual void copy(void* to, const void* from, size_t bytes) = 0;

    /// Microseconds on the device from the first to the last of what `work` starts; waits for it.
    virtual double time(const std::function<void()>& work) = 0;

    /// What `work` starts, as one graph: calling it starts all without a launch for each. Empty
    /// where there is no such thing. What `work` uses must outlive it.
    virtual std::function<void()> capture(const std::function<void()>& work) = 0;

    /// What accesses came to since the last call; only CPU mode counts them.
    virtual simt::Counters take_counters() { return {}; }
    /// From now on, blocks that do the same work at other places may stand for each other in what
    /// is counted, and are then not run: C is not computed.
    virtual void sample_blocks(bool) {}

    /// What CPU mode found wrong since the last call, warnings too.
    virtual std::vector<simt::Hazard> take_hazards() { return {}; }

    /// This and the next may be called by another thread while kernels are started.
    virtual std::optional<Vitals> vitals() { return std::nullopt; }
    /// Energy that the GPU has taken since some moment in the past.
    virtual std::optional<double> joules() { return std::nullopt; }

    /// What `work` starts is what a profiler is to see; waits for it.
    virtual void profile(const std::function<void()>& work) {
        work();
        synchronise();
    }

    /// Waits for all work; throws DeviceError when a kernel faulted.
    virtual void synchronise() = 0;

    /// The next run gets another one, and counters, in which nothing is left of the last. Also for
    /// the destructors of devices: memory goes back while the device is there.
    void release_workspace();

  private:
    /// The last is the largest. Those that it outgrew stay, as graphs were captured with them.
    std::vector<DeviceBuffer> workspaces_;
    std::unique_ptr<DeviceBuffer> counters_;  ///< Execution::counters, as a handle gives them.
};

/// Device memory that is released with its owner.
class DeviceBuffer {
  public:
    DeviceBuffer(Device& device, size_t bytes)
        : device_(&device), memory_(device.allocate(bytes)), bytes_(bytes) {}
    ~DeviceBuffer() {
        if (memory_) device_->release(memory_);
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : device_(other.device_),
          memory_(std::exchange(other.memory_, nullptr)),
          bytes_(other.bytes_) {}
    DeviceBuffer& operator=(DeviceBuffer&&) = delete;

    float* floats() const { return static_cast<float*>(memory_); }
    size_t bytes() const { return bytes_; }

  private:
    Device* device_;
    void* memory_;
    size_t bytes_;
};

/// "cpu", or a GPU's number; nullopt takes the first GPU, else CPU mode. Throws NoDevice.
std::unique_ptr<Device> open_device(const std::optional<std::string>& word,
                                    CpuMode mode = CpuMode::counted);

/// CPU mode with so many workers (0: one a core), threads in the order this seed draws, and as many
/// SMs as the kernels are told: how some cut up their work.
std::unique_ptr<Device> open_cpu(CpuMode mode, unsigned workers = 0, uint64_t shuffle_seed = 0,
                                 int multiprocessors = kCpuMultiprocessors);

/// GPU `ordinal` as CUDA counts them. Throws NoDevice, also where this build has no CUDA.
std::unique_ptr<Device> open_gpu(int ordinal);

/// GPUs that CUDA sees; `why_none` then says why there is none.
int gpu_count(std::string& why_none);

}  // namespace tilewright::lab
