// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// From the word a person gives to a device.
#include "lab/device.h"

#include <fmt/format.h>

#include <charconv>

namespace tilewright::lab {

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
