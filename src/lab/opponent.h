// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Whose rates others are given in per cent of.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lab/results.h"
#include "lab/selection.h"

namespace tilewright::lab {

/// The opponent of each arithmetic; none where the rates would say nothing of each other.
class Opponents {
  public:
    Opponents() = default;
    /// One for all: a person has chosen it.
    explicit Opponents(const Candidate& one) : fp32_(one), tf32_(one) {}
    /// Of Device::opponents(): cuBLAS in TF32 for what computes in TF32, and in FP32 for all that is
    /// as accurate as FP32.
    explicit Opponents(KernelSpan cublas);

    std::optional<Candidate> of(Arithmetic arithmetic) const {
        return arithmetic == Arithmetic::tf32 ? tf32_ : fp32_;
    }

    /// Sees to it that the opponents of these candidates are among them, in front.
    void join(std::vector<Candidate>& candidates) const;

    /// Gives each row its per cent of the opponent's rate; rows are those of the candidates on one
    /// case.
    void compare(std::span<const Candidate> candidates, std::span<Row> rows) const;

  private:
    std::optional<Candidate> fp32_, tf32_;
};

}  // namespace tilewright::lab
