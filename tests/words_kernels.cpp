// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The kernels' text for CPU mode; CMake takes the .cu file for nvcc.
#include "tests/words_kernels.cu"
