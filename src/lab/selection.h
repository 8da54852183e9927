// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Which kernels, and in which of their variants.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "lab/case.h"
#include "lab/device.h"

namespace tilewright::lab {

using KernelSpan = std::span<const KernelDefinition* const>;

/// The rungs that the words mean, all when there are none. Throws UsageError with the nearest names.
std::vector<const KernelDefinition*> select_rungs(KernelSpan rungs,
                                                  const std::vector<std::string>& words);
const KernelDefinition& select_rung(KernelSpan rungs, const std::string& word);

/// The same, but a word that means no rung may mean kernels of the engine: by id, by glob, or
/// "engine" for all of them. Rungs come first.
std::vector<const KernelDefinition*> select_kernels(KernelSpan rungs, KernelSpan engine,
                                                    const std::vector<std::string>& words);
std::vector<const KernelDefinition*> select_kernels(const Device& device,
                                                    const std::vector<std::string>& words);
const KernelDefinition& select_kernel(KernelSpan rungs, KernelSpan engine, const std::string& word);

/// One kernel built one way.
struct Candidate {
    const KernelDefinition* rung;
    const Variant* variant;
};

/// The variant of this name, or "all", of each of these kernels; a kernel without it is left out.
/// Throws UsageError when that leaves none.
std::vector<Candidate> select_candidates(const std::vector<const KernelDefinition*>& kernels,
                                         const std::string& variant);

/// Throws UsageError where a case is none for one of these kernels: a rung computes plain products.
void require_plain(std::span<const Candidate> candidates, std::span<const Case> cases);

}  // namespace tilewright::lab
