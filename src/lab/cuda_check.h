// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// CUDA_CHECK: a failed CUDA call becomes a DeviceError that names the call, the place and the
// cause.
#pragma once

#include <cuda_runtime_api.h>

namespace tilewright::lab {

/// Throws DeviceError unless `error` is cudaSuccess.
void check_cuda(cudaError_t error, const char* call, const char* file, int line);

}  // namespace tilewright::lab

#define CUDA_CHECK(call) ::tilewright::lab::check_cuda((call), #call, __FILE__, __LINE__)
