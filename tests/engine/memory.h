// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Memory that a product can use and that a test can look at, in CPU mode and on a GPU: all that is
// not the operand is canaries, and in CPU mode a page without access lies on either side.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <sys/mman.h>

#include "tilewright/tilewright.h"
#if TILEWRIGHT_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace tilewright::test {

/// Whether handles belong to a GPU. Where a build for GPUs finds none, they are CPU mode's.
inline bool on_gpu() {
#if TILEWRIGHT_WITH_CUDA
    static const bool gpu = [] {
        const char* wish = std::getenv("TILEWRIGHT_DEVICE");
        if (wish && std::strcmp(wish, "cpu") == 0) return false;
        int count = 0;
        if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return true;
        setenv("TILEWRIGHT_DEVICE", "cpu", 1);
        return false;
    }();
    return gpu;
#else
    return false;
#endif
}

/// Until all work is done.
inline void wait() {
#if TILEWRIGHT_WITH_CUDA
    if (on_gpu()) {
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
#endif
}

class Handle {
  public:
    Handle() {
        on_gpu();
        EXPECT_EQ(tilewright_create(&handle_), TILEWRIGHT_STATUS_SUCCESS)
            << tilewright_last_error(nullptr);
    }
    ~Handle() { EXPECT_EQ(tilewright_destroy(handle_), TILEWRIGHT_STATUS_SUCCESS); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator tilewright_handle_t() const { return handle_; }

  private:
    tilewright_handle_t handle_ = nullptr;
};

/// Which end of an operand touches a page without access.
enum class Edge { back, front };

/// `elements` floats, `offset` of them behind the front page. All others on the operand's pages are
/// canaries. On a GPU the memory is managed, so that the host reads it too after wait().
class Memory {
  public:
    explicit Memory(int64_t elements, Edge edge = Edge::back, int64_t offset = 0)
        : elements_(elements) {
        const int64_t bytes = (elements + offset) * 4;
        inner_ = (bytes + kPage - 1) / kPage * kPage;
        if (inner_ == 0) inner_ = kPage;
        pages_ = static_cast<std::byte*>(allocate(inner_ + 2 * kPage));
        if (!on_gpu()) {
            mprotect(pages_, kPage, PROT_NONE);
            mprotect(pages_ + kPage + inner_, kPage, PROT_NONE);
        }
        room_ = reinterpret_cast<float*>(pages_ + kPage);
        const int64_t slack = inner_ / 4 - elements;
        data_ = room_ + (edge == Edge::back ? slack : offset);
        for (int64_t i = 0; i < inner_ / 4; ++i) room_[i] = canary(i);
        remember();
    }
    ~Memory() { release(); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    float* data() { return data_; }
    const float* data() const { return data_; }
    int64_t elements() const { return elements_; }

    /// A quiet NaN that tells its place: what reads it passes it on.
    static float canary(int64_t i) {
        return std::bit_cast<float>(0x7fd00000u | (static_cast<uint32_t>(i) * 2654435761u >> 12));
    }

    /// All of it as it is now: what was_changed() compares with, and what restore() gives back.
    void remember() { image_.assign(room_, room_ + inner_ / 4); }
    void restore() { std::memcpy(room_, image_.data(), inner_); }
    /// Since remember(), element i; those before and behind the operand count too.
    bool was_changed(int64_t i) const {
        const int64_t at = data_ - room_ + i;
        return std::bit_cast<uint32_t>(room_[at]) != std::bit_cast<uint32_t>(image_[at]);
    }
    int64_t first() const { return room_ - data_; }
    int64_t last() const { return first() + inner_ / 4; }
    float before(int64_t i) const { return image_[data_ - room_ + i]; }

    /// From now on writes are faults, in CPU mode: inputs are constant, even for a while.
    void make_read_only() {
        if (!on_gpu()) mprotect(room_, inner_, PROT_READ);
    }

  private:
    static constexpr int64_t kPage = 4096;

    static void* allocate(int64_t bytes) {
#if TILEWRIGHT_WITH_CUDA
        if (on_gpu()) {
            void* memory = nullptr;
            if (cudaMallocManaged(&memory, bytes) != cudaSuccess) throw std::bad_alloc();
            return memory;
        }
#endif
        void* memory =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        return memory;
    }
    void release() {
#if TILEWRIGHT_WITH_CUDA
        if (on_gpu()) {
            cudaFree(pages_);
            return;
        }
#endif
        munmap(pages_, inner_ + 2 * kPage);
    }

    int64_t elements_, inner_ = 0;  ///< inner_: bytes between the two pages.
    std::byte* pages_ = nullptr;
    float *room_ = nullptr, *data_ = nullptr;
    std::vector<float> image_;
};

}  // namespace tilewright::test
