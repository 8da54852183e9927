// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// cuBLAS as the opponent: found when the program runs, never linked.
#pragma once

#include "core/kernel.h"
#include "lab/device.h"

namespace tilewright::lab {

/// cuBLAS's cublasSgemm, FP32 and nothing else, as a kernel of kind baseline: "k0".
const KernelDefinition& cublas_definition();
/// The same call where cuBLAS may round factors to TF32: "k0_tf32".
const KernelDefinition& cublas_tf32_definition();

/// Finds cuBLAS and makes a handle on the current device; both run on that device from then on.
/// TILEWRIGHT_CUBLAS in the environment names a library to be taken before all others.
CublasInfo start_cublas();

}  // namespace tilewright::lab
