// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <new>

#include "engine/backend.h"
#include "simt/machine.h"

namespace tilewright::engine {

namespace {

/// As many as make small problems fill them more than once.
constexpr int kMultiprocessors = 6;
constexpr std::align_val_t kAlignment{256};

class CpuBackend : public Backend {
  public:
    CpuBackend() {
        traits_ = {Target::cpu_fast, kMultiprocessors, 90};
        take_tuned({kCpuDevice, kMultiprocessors, 90});
    }

    void* allocate(size_t bytes, size_t zeros) override {
        void* memory = ::operator new(bytes, kAlignment, std::nothrow);
        if (memory) std::memset(memory, 0, zeros);
        return memory;
    }
    void release(void* memory) noexcept override { ::operator delete(memory, kAlignment); }
    void* allocate_in(void*, size_t bytes) override { return allocate(bytes, 0); }
    void release_in(void*, void* memory) noexcept override { release(memory); }

    Execution execution(void*) override {
        return {.stream = &machine_, .multiprocessors = kMultiprocessors};
    }
    // A launch returns when it is done.
    bool is_capturing(void*) override { return false; }
    Status remember(void*) override { return {}; }
    Status wait(void*) override { return {}; }

  private:
    simt::Machine machine_;
};

}  // namespace

std::unique_ptr<Backend> open_cpu_backend() {
    return std::make_unique<CpuBackend>();
}

#if !TILEWRIGHT_WITH_CUDA
std::unique_ptr<Backend> open_gpu_backend(Status& why) {
    why = {StatusCode::not_initialized,
           "this build has no CUDA; TILEWRIGHT_DEVICE=cpu runs on the processor"};
    return nullptr;
}
#endif

}  // namespace tilewright::engine
