// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Runs a kernel in CPU mode for its counters alone: no data, no reference, nothing to compare.
#pragma once

#include <string>

#include "lab/device.h"
#include "lab/selection.h"
#include "lab/totals.h"

namespace tilewright::lab {

struct Count {
    const KernelDefinition* rung = nullptr;
    const Variant* variant = nullptr;
    std::string label;  ///< "k5", or "k9/a100" for another variant than the default.
    Case test;
    simt::Counters counters;
    Totals totals;
    std::string failure;  ///< Why there are no counters; empty where there are.

    bool ok() const { return failure.empty(); }
    /// Some blocks stood for others.
    bool sampled() const {
        return counters.blocks_run > 0 && counters.blocks_run < counters.blocks;
    }
};

/// On matrices of zeros that take memory only where they are written. Throws UsageError where the
/// shape does not fit into the address space; what the kernel does wrong is a failure.
Count count(Device& device, const Candidate& candidate, const Case& test);

/// The kernel's file relative to the project: "src/ladder/01_naive.cu"; or the shared header's that
/// simt::header_of() tells.
std::string file_of(const KernelDefinition& rung, uint32_t header = 0);

}  // namespace tilewright::lab
