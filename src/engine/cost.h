// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How long a kernel will take, from what was measured of it on an H200 (costs.def) and from how it
// cuts up the problem.
//
// The model: blocks go round the SMs, as many at a time as fit on one. A round takes as long as its
// slowest resource: a block by itself (a time for its beginning and end, and one for each k-tile), or
// the SM, which all its blocks share. No problem is faster than its memory. A pass that converts operands
// first costs what it reads, and parts of k what it takes to add them up. Other GPUs use the same numbers, which were not measured on them: what they
// differ in most, SMs, is known.
#pragma once

#include "engine/dispatch.h"

namespace tilewright::engine {

/// Microseconds on an H200 at 1980 MHz.
struct Cost {
    const char *kernel, *variant;
    double block_us;  ///< A block's beginning and end.
    double step_us;  ///< A k-tile of a block that has its SM for itself.
    double busy_block_us, busy_step_us;  ///< Their shares of an SM that is full.
};

/// The row of a variant; each has one, says a test.
const Cost& cost_of(const KernelDefinition& kernel, const Variant& variant);

/// Microseconds.
double predict(const Problem& problem, const Work& work, const Cost& cost, int multiprocessors);

}  // namespace tilewright::engine
