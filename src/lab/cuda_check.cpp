// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#if TILEWRIGHT_WITH_CUDA

#include "lab/cuda_check.h"

#include <fmt/format.h>

#include <string_view>

#include "lab/device.h"

namespace tilewright::lab {

namespace {

const char* likely_cause(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return "; the GPU's memory is too small or used by another program";
        case cudaErrorIllegalAddress:
            return "; a kernel accessed memory outside its matrices: run it with --device cpu, "
                   "which names the place";
        case cudaErrorMisalignedAddress:
            return "; a kernel used a vector access at an address that is no multiple of it: run "
                   "it with --device cpu, which names the place";
        case cudaErrorNoKernelImageForDevice:
            return "; this program was built for other architectures than this GPU's";
        case cudaErrorInsufficientDriver:
            return "; the driver is older than the CUDA this program was built with";
        case cudaErrorLaunchTimeout:
            return "; the kernel ran longer than a GPU that also drives a screen allows";
        case cudaErrorDevicesUnavailable:
            return "; another program has this GPU for itself";
        default:
            return "";
    }
}

}  // namespace

void check_cuda(cudaError_t error, const char* call, const char* file, int line) {
    if (error == cudaSuccess) return;
    const std::string_view path = file;
    throw DeviceError(fmt::format("{}:{}: {}: {} ({}){}", path.substr(path.find_last_of('/') + 1),
                                  line, call, cudaGetErrorName(error), cudaGetErrorString(error),
                                  likely_cause(error)));
}

}  // namespace tilewright::lab

#endif
