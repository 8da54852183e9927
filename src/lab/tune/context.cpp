// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/context.h"

#include <fmt/format.h>

namespace tilewright::lab {

engine::TunedDevice tuned_device_of(const DeviceInfo& device) {
    if (!device.gpu) return {engine::kCpuDevice, kCpuMultiprocessors, 90};
    const size_t dot = device.compute_capability.find('.');
    const auto major = parse_number<int>(device.compute_capability.substr(0, dot), "capability"),
               minor = parse_number<int>(device.compute_capability.substr(dot + 1), "capability");
    return {device.name, device.multiprocessors, 10 * major + minor};
}

Problem problem_nowhere(const Case& test, Arithmetic mode) {
    constexpr uintptr_t kBoundary = 256;
    static const float one = 1.0f;
    const auto at = [](int offset) {
        return reinterpret_cast<float*>(kBoundary + sizeof(float) * static_cast<unsigned>(offset));
    };
    Problem problem = problem_of(test, at(test.offset_a), at(test.offset_b), at(test.offset_c),
                                 test.device_scalars ? &one : nullptr);
    problem.arithmetic = mode;
    return problem;
}

engine::DeviceTraits traits_of(const engine::TunedDevice& device) {
    // All targets hold the same kernels, and this one is in every build.
    return {Target::cpu_fast, device.multiprocessors, device.compute_capability,
            engine::tensor_rate_of(device.compute_capability, device.name)};
}

Arithmetic mode_of(const std::string& word) {
    for (const Arithmetic mode : kArithmetics)
        if (word == name_of(mode)) return mode;
    throw UsageError(
        fmt::format("--compute: '{}' is none of fp32, fp16x3, bf16x6, bf16x9 and tf32", word));
}

std::string database_path() {
    engine::TunedPlace place = engine::tuned_place();
    if (place.path.empty())
        throw UsageError(fmt::format("there is no tuning database: {}", place.why));
    return place.path;
}

}  // namespace tilewright::lab
