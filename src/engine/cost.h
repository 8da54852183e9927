// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How long a kernel will take, from what was measured of it on an H200 (costs.def) and from how it
// cuts up the problem.
//
// The model: blocks go round the SMs, as many at a time as fit on one. A block costs a fixed time,
// and for each k-tile the longer of two: what a k-tile takes a block alone (latency), and what it
// takes the SM with all blocks it holds (throughput). No problem is faster than its memory. Other
// GPUs of the same kinds of kernels differ in speed, but little in which kernel is faster.
#pragma once

#include "engine/dispatch.h"

namespace tilewright::engine {

/// Measured on an H200 at 1980 MHz.
struct Cost {
    const char *kernel, *variant;
    double fixed_us;  ///< A launch whose blocks do nothing along k.
    double alone_ns;  ///< A k-tile of a block that has its SM for itself.
    double busy_ns;  ///< A k-tile's share of an SM that is full.
};

/// The row of a variant. All variants have one.
const Cost& cost_of(const KernelDefinition& kernel, const Variant& variant);

/// Microseconds.
double predict(const Problem& problem, const Work& work, const Cost& cost, int multiprocessors);

}  // namespace tilewright::engine
