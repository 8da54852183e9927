// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The words kernels are written in, and the only header a kernel includes.
//
// One kernel text has three targets, each in its own inline namespace so that all can live in one
// program; the build names one with -DTILEWRIGHT_TARGET:
//   gpu          nvcc: raw pointers, the hardware's own instructions
//   cpu_counted  CPU mode: every access is checked and recorded with its line and column
//   cpu_fast     CPU mode: raw pointers, for big shapes
#pragma once

#include "core/tile_config.h"
#include "device/arithmetic.h"

#if defined(__CUDACC__)
#include "device/gpu_mma.h"
#else
#include "device/cpu_mma.h"
#endif

#include "device/gemm.h"
