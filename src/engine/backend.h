// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a handle asks of a GPU or of CPU mode, beside launching kernels.
#pragma once

#include <memory>
#include <string>

#include "engine/dispatch.h"
#include "engine/tuned_file.h"

namespace tilewright::engine {

class Backend {
  public:
    virtual ~Backend() = default;

    const DeviceTraits& traits() const { return traits_; }

    /// Makes this device the calling thread's current one for a while.
    class Scope {
      public:
        explicit Scope(const Backend& backend) : backend_(backend), before_(backend.enter()) {}
        ~Scope() { backend_.leave(before_); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        const Backend& backend_;
        int before_;
    };

    /// Device memory on 256 bytes, its first `zeros` bytes zero; null when there is none. Waits.
    virtual void* allocate(size_t bytes, size_t zeros) = 0;
    /// Waits for all work that may use it, whatever has become of the work's stream; of what
    /// allocate_in() gave, after something that allocate() did.
    virtual void release(void* memory) noexcept = 0;

    /// The same memory, with anything in it, for what a stream is given from now on; null when there
    /// is none. And back, after what it was given before. Neither waits; not while capturing.
    virtual void* allocate_in(void* stream, size_t bytes) = 0;
    virtual void release_in(void* stream, void* memory) noexcept = 0;

    /// Where kernels of a stream (a cudaStream_t) run.
    virtual Execution execution(void* stream) = 0;
    virtual bool is_capturing(void* stream) = 0;
    /// Remembers the work that the stream has been given, and lets a stream wait for what was
    /// remembered last.
    virtual Status remember(void* stream) = 0;
    virtual Status wait(void* stream) = 0;

  protected:
    /// Reads the tuning database.
    void take_tuned(const TunedDevice& device) {
        tuned_ = tuned_for(device);
        traits_.tuned = tuned_.get();
    }

    DeviceTraits traits_;

  private:
    virtual int enter() const { return 0; }
    virtual void leave(int) const {}

    std::unique_ptr<const Tuned> tuned_;
};

/// The current GPU's. Null with a sentence in `why`, where there is none.
std::unique_ptr<Backend> open_gpu_backend(Status& why);
std::unique_ptr<Backend> open_cpu_backend();

}  // namespace tilewright::engine
