// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// From the word a person gives to a device, and what all devices do alike.
#include "lab/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace tilewright::lab {

std::string architecture_of(const DeviceInfo& device) {
    std::string digits = device.compute_capability;
    std::erase(digits, '.');
    return digits == "90" ? "90a" : digits;  // with the instructions that Hopper alone has
}

Device::Device() = default;
Device::~Device() = default;

Status Device::run(const Variant& variant, const Problem& problem, int parts) try {
    Execution where = execution();
    where.splits = parts;
    if (variant.work) {  // the library always has counters for its kernels
        if (!counters_) {
            counters_ = std::make_unique<DeviceBuffer>(*this, kCounters * sizeof(unsigned));
            const std::vector<unsigned> zeros(kCounters);
            upload(counters_->floats(), zeros.data(), counters_->bytes());
        }
        where.counters = reinterpret_cast<unsigned*>(counters_->floats());
    }
    const int64_t bytes = variant.workspace_bytes ? variant.workspace_bytes(problem, where) : 0;
    if (bytes > 0) {
        if (workspaces_.empty() || std::cmp_less(workspaces_.back().bytes(), bytes)) {
            workspaces_.emplace_back(*this, bytes);
            // Kernels must not rely on what it holds: bytes that make every float a NaN.
            constexpr int64_t kPiece = 1 << 24;
            const std::vector<std::byte> poison(std::min(bytes, kPiece), std::byte{0xff});
            for (int64_t done = 0; done < bytes; done += kPiece)
                upload(reinterpret_cast<std::byte*>(workspaces_.back().floats()) + done,
                       poison.data(), std::min(bytes - done, kPiece));
        }
        where.workspace = workspaces_.back().floats();
        where.workspace_bytes = bytes;
    }
    return variant.run(problem, where);
} catch (const OutOfMemory& error) {  // for a workspace
    return {StatusCode::allocation_failed, error.what()};
} catch (const DeviceError& error) {
    return {StatusCode::execution_failed, error.what()};
}

int64_t Device::counters_left() {
    if (!counters_) return 0;
    std::vector<unsigned> counters(kCounters);
    download(counters.data(), counters_->floats(), counters_->bytes());
    return kCounters - std::count(counters.begin(), counters.end(), 0u);
}

void Device::release_workspace() {
    workspaces_.clear();
    counters_.reset();
}

#if !TILEWRIGHT_WITH_CUDA
int gpu_count(std::string& why_none) {
    why_none = "this build has no CUDA (configure with -DTILEWRIGHT_CUDA=ON)";
    return 0;
}

std::unique_ptr<Device> open_gpu(int ordinal) {
    std::string why;
    gpu_count(why);
    throw NoDevice(fmt::format("no GPU {}: {}", ordinal, why));
}
#endif

std::unique_ptr<Device> open_device(const std::optional<std::string>& word, CpuMode mode) {
    if (!word || word->empty()) {
        std::string why;
        return gpu_count(why) > 0 ? open_gpu(0) : open_cpu(mode);
    }
    if (*word == "cpu") return open_cpu(mode);
    int ordinal = 0;
    const char* end = word->data() + word->size();
    const auto [at, error] = std::from_chars(word->data(), end, ordinal);
    if (error != std::errc{} || at != end || ordinal < 0)
        throw NoDevice(fmt::format("no device '{}': a device is cpu or a GPU's number", *word));
    return open_gpu(ordinal);
}

}  // namespace tilewright::lab
