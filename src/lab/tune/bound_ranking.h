// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Candidates by how fast they can be at most, for machines that cannot measure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/bound.h"
#include "lab/tune/candidate.h"

namespace tilewright::lab {

struct Bounded {
    TuneCandidate candidate;
    std::optional<Bound> bound;
    std::string reason;  ///< Why there is none.
};

/// Counts each in CPU mode and bounds it on the GPU; the highest bound first. After Ctrl-C the others
/// have none.
std::vector<Bounded> rank_by_bound(Device& device, const std::vector<TuneCandidate>& candidates,
                                   const Case& test, const Gpu& gpu,
                                   const std::function<void(const std::string&)>& progress);

}  // namespace tilewright::lab
