// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The ladder's kernels as nvcc compiled them, found by the names it mangles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "tools/sass.h"

namespace tilewright::tools {

struct Kernel {
    const KernelDefinition* rung;
    const Variant* variant;
    std::string architecture;  ///< "90a"
    int registers = 0, shared_bytes = 0, spill_bytes = 0, stack_bytes = 0;
    std::optional<Sass> sass;  ///< None for an architecture whose instructions are not known.
};

/// The rung and the variant behind ...3gpu<length><name>5sgemm...TileConfig...Li<value>E...
std::optional<Kernel> kernel_of(const std::string& mangled);

/// The kernels in OBJECT: what ptxas said of each, from OBJECT.ptxas as ptxas_launcher.sh wrote it,
/// and its instructions. Throws a sentence where one of them is missing.
std::vector<Kernel> kernels_in(const std::string& object);

/// Configurations tuned for one GPU need not suit another: there only the default counts.
bool counts(const KernelDefinition& rung, const Variant& variant, const std::string& architecture);

}  // namespace tilewright::tools
