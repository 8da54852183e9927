// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// CPU mode as a device: the heap is its memory, the CPU machine its processor.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "engine/kernels.h"
#include "lab/device.h"
#include "lab/host.h"
#include "ladder/ladder.h"
#include "simt/machine.h"

namespace tilewright::lab {

namespace {

class CpuDevice : public Device {
  public:
    CpuDevice(CpuMode mode, unsigned workers, uint64_t shuffle_seed, int multiprocessors)
        : machine_(workers), mode_(mode), multiprocessors_(multiprocessors) {
        machine_.shuffle(shuffle_seed);
        info_.name = host_processor();
        info_.multiprocessors = static_cast<int>(machine_.workers());
        info_.memory_bytes = host_memory().total;
    }

    ~CpuDevice() override { release_workspace(); }

    const DeviceInfo& info() const override { return info_; }

    std::span<const KernelDefinition* const> kernels() const override {
        return ladder::rungs(mode_ == CpuMode::fast ? ladder::Target::cpu_fast
                                                    : ladder::Target::cpu_counted);
    }

    std::span<const KernelDefinition* const> engine_kernels() const override {
        return engine::kernels(mode_ == CpuMode::fast ? Target::cpu_fast : Target::cpu_counted);
    }

    Execution execution() override {
        return {.stream = &machine_, .multiprocessors = multiprocessors_};
    }

    simt::Counters take_counters() override { return machine_.take_counters(); }
    void sample_blocks(bool on) override { machine_.sample_blocks(on); }
    std::vector<simt::Hazard> take_hazards() override { return machine_.take_hazards(); }

    size_t free_memory() const override { return host_memory().available; }

    void* allocate(size_t bytes) override {
        // aligned_alloc wants a multiple of the alignment, and memory even for nothing.
        const size_t rounded = (bytes / kAlignment + 1) * kAlignment;
        void* memory = rounded > bytes ? std::aligned_alloc(kAlignment, rounded) : nullptr;
        if (!memory)
            throw OutOfMemory(fmt::format("allocating {} bytes: {} bytes of memory are available",
                                          bytes, free_memory()));
        return memory;
    }
    void release(void* memory) noexcept override { std::free(memory); }

    void upload(void* to, const void* from, size_t bytes) override { copy(to, from, bytes); }
    void download(void* to, const void* from, size_t bytes) override { copy(to, from, bytes); }
    void copy(void* to, const void* from, size_t bytes) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }

    double time(const std::function<void()>& work) override {
        const auto start = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count();
    }
    std::function<void()> capture(const std::function<void()>&) override { return {}; }

    void synchronise() override {}

  private:
    static constexpr size_t kAlignment = 256;

    simt::Machine machine_;
    CpuMode mode_;
    int multiprocessors_;
    DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Device> open_cpu(CpuMode mode, unsigned workers, uint64_t shuffle_seed,
                                 int multiprocessors) {
    return std::make_unique<CpuDevice>(mode, workers, shuffle_seed, multiprocessors);
}

}  // namespace tilewright::lab
