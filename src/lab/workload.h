// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Operands for calls that are repeated: in turn past the L2 cache, and C never grows.
#pragma once

#include <limits>

#include "lab/device.h"
#include "lab/verify.h"

namespace tilewright::lab {

class Workload {
  public:
    /// `rotate` takes as many sets of operands as exceed the L2 cache twice, as far as memory and a
    /// reasonable number of sets allow.
    Workload(Device& device, const PreparedCase& prepared, bool rotate);

    int sets() const { return sets_; }
    /// No operand is still in the L2 cache when its turn comes again.
    bool cold() const { return cold_; }
    Problem problem(int set) const;
    const Case& test() const { return prepared_.test(); }
    int parts() const { return prepared_.test().parts; }

    /// With |beta| >= 1 each call would make C larger than the one before it, up to infinity: then
    /// every C is used once, and restored before it is used again.
    bool restores() const { return restores_; }
    /// Calls that may follow one another before restore().
    int most_calls() const { return restores_ ? sets_ : std::numeric_limits<int>::max(); }
    /// Puts C back to what it was before any call, for so many calls from set `first` on.
    void restore(int first, int calls);

    /// Compares C of a set, after one call on restored C, with the reference.
    bool is_right(int set, const reference::Tolerance& tolerance);

  private:
    struct Matrices {  // one operand of all sets
        DeviceBuffer memory;
        int64_t stride;  ///< Elements from set to set.
        int64_t offset;
        float* first(int64_t set) const { return memory.floats() + set * stride + offset; }
    };
    Matrices upload(Operand operand, int sets);
    size_t bytes_of(Operand operand) const;

    Device& device_;
    const PreparedCase& prepared_;
    int sets_;
    bool cold_, restores_;
    Matrices a_, b_, c_, fresh_c_;
    DeviceBuffer scalars_;
};

}  // namespace tilewright::lab
