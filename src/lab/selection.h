// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Which kernels, and in which of their variants.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/kernel.h"

namespace tilewright::lab {

/// The device's kernels that the words mean, all when there are none. Throws UsageError with the
/// nearest names.
std::vector<const KernelDefinition*> select_rungs(std::span<const KernelDefinition* const> all,
                                                  const std::vector<std::string>& words);
const KernelDefinition& select_rung(std::span<const KernelDefinition* const> all,
                                    const std::string& word);

/// One kernel built one way.
struct Candidate {
    const KernelDefinition* rung;
    const Variant* variant;
};

/// The variant of this name, or "all", of each of these rungs; a rung without it is left out.
/// Throws UsageError when that leaves none.
std::vector<Candidate> select_candidates(const std::vector<const KernelDefinition*>& rungs,
                                         const std::string& variant);

}  // namespace tilewright::lab
