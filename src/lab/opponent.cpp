// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/opponent.h"

namespace tilewright::lab {

namespace {

/// Of the candidate among these, or of their end. A variant belongs to one kernel alone.
size_t place_of(std::span<const Candidate> candidates, const Candidate& wanted) {
    size_t i = 0;
    while (i < candidates.size() && candidates[i].variant != wanted.variant) ++i;
    return i;
}

}  // namespace

Opponents::Opponents(KernelSpan cublas) {
    for (const KernelDefinition* kernel : cublas)
        (kernel->arithmetic == Arithmetic::tf32 ? tf32_ : fp32_) =
            Candidate{kernel, &kernel->variants.front()};
}

void Opponents::join(std::vector<Candidate>& candidates) const {
    std::vector<Candidate> missing;
    for (const Candidate& candidate : candidates) {
        const auto opponent = of(candidate.rung->arithmetic);
        if (!opponent || place_of(candidates, *opponent) < candidates.size()) continue;
        if (place_of(missing, *opponent) == missing.size()) missing.push_back(*opponent);
    }
    candidates.insert(candidates.begin(), missing.begin(), missing.end());
}

void Opponents::compare(std::span<const Candidate> candidates, std::span<Row> rows) const {
    for (Row& row : rows) {
        const auto opponent = of(row.arithmetic);
        if (!opponent) continue;
        const size_t place = place_of(candidates, *opponent);
        if (place == candidates.size()) continue;
        const Row& other = rows[place];
        row.opponent = other.label;
        if (!row.gflops || !other.gflops) continue;
        row.percent_of_opponent = *row.gflops / *other.gflops * 100;
        if (opponent->rung->kind == Kind::baseline) row.percent_of_cublas = row.percent_of_opponent;
    }
}

}  // namespace tilewright::lab
