// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/module.h"

#include "lab/tune/nvrtc.h"

#if TILEWRIGHT_WITH_CUDA
#include <unistd.h>

#include <map>

#include "lab/cuda_check.h"
#endif

namespace tilewright::lab {

#if TILEWRIGHT_WITH_CUDA

namespace {

/// A Variant has no place for it.
struct Present {
    const TuningSpace* space = nullptr;
    const void* kernel = nullptr;
    TileConfig config;
} present;

Status run_present(const Problem& problem, const Execution& execution) {
    return present.space->launch(present.kernel, present.config, problem, execution);
}

struct Loaded {
    std::string name;
    Variant variant;
    const void* kernel = nullptr;
};

const void* load(const Cubin& cubin) {
    cudaLibrary_t library = nullptr;  // stays, with its kernels, as long as the process
    CUDA_CHECK(cudaLibraryLoadData(&library, cubin.image.data(), nullptr, nullptr, 0, nullptr,
                                   nullptr, 0));
    cudaKernel_t kernel = nullptr;
    CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, cubin.symbol.c_str()));
    return kernel;
}

}  // namespace

Resolved resolve_compiled(Device& device, const TuneCandidate& wanted) try {
    static std::map<std::string, Loaded> all;
    const KernelDefinition* rung = nullptr;
    for (const KernelDefinition* each : device.kernels())
        if (each->id == wanted.kernel) rung = each;
    if (!rung || !rung->space || !wanted.config)
        return {{nullptr, nullptr}, "this program cannot compile it", 0};
    double compile_ms = 0;
    auto known = all.find(wanted.kernel + '/' + wanted.name);
    if (known == all.end()) {
        const std::string architecture = architecture_of(device.info());
        Cubin cubin = compile_kernel(*rung, *wanted.config, architecture);
        const void* kernel = nullptr;
        try {
            if (!cubin.image.empty()) kernel = load(cubin);
        } catch (const DeviceError&) {
            // What is in the cache may be another driver's or version's; what is fresh is not.
            if (cubin.compile_ms > 0 || unlink(cubin.path.c_str()) != 0) throw;
            cubin = compile_kernel(*rung, *wanted.config, architecture);
            if (!cubin.image.empty()) kernel = load(cubin);
        }
        if (cubin.image.empty()) return {{nullptr, nullptr}, cubin.reason, cubin.compile_ms};
        compile_ms = cubin.compile_ms;
        known =
            all.emplace(wanted.kernel + '/' + wanted.name, Loaded{wanted.name, {}, kernel}).first;
        known->second.variant = {known->second.name.c_str(), *wanted.config, run_present};
    }
    present = {rung->space, known->second.kernel, *wanted.config};
    return {{rung, &known->second.variant}, "", compile_ms};
} catch (const DeviceError& error) {
    return {{nullptr, nullptr}, error.what(), 0};
}

#else

Resolved resolve_compiled(Device&, const TuneCandidate&) {
    return {{nullptr, nullptr}, "a build without CUDA runs nothing that is compiled for a GPU", 0};
}

#endif

}  // namespace tilewright::lab
