// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How fast a kernel can be at most on a GPU, from what was counted and the GPU's public numbers:
// each resource gives a time that no run with cold operands can be shorter than. Derived, with what
// is assumed, in docs/bound.md.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "lab/compiled.h"
#include "lab/counting.h"
#include "lab/gpus.h"

namespace tilewright::lab {

/// A lower bound of the time, in us.
struct BoundTerm {
    const char* key;
    const char* label;
    double us;  ///< kNone: what it takes to say was not recorded or measured.
};

struct Bound {
    std::array<BoundTerm, 8> terms;
    const char* limiter;  ///< The key of the largest.
    const char* limiter_label() const;
    double us, gflops;  ///< kNone GFLOP/s where nothing is multiplied.
    double waves;  ///< The busiest multiprocessor's tiles over the mean, at least.

    /// FLOP a byte, and bytes of a second, of the levels below; DRAM's as its term counts them.
    double dram_intensity, l2_intensity, shared_intensity;
    double dram_gb_s, l2_gb_s, shared_gb_s;
    double ceiling_gflops;  ///< The roofline at the DRAM's intensity.
};

/// What the bound needs to know of the kernel besides its counts.
struct Built {
    int resident_blocks = 1;  ///< That a multiprocessor holds at once.
    std::optional<Compiled>
        compiled;  ///< Without it, scalar accesses to shared memory cost nothing.
};

/// `whole_tile`: what one whole tile of C takes, where not all tiles are whole (count_whole_tile).
/// Without it such a shape has the mean of all blocks only.
Bound bound_of(const Count& count, const Built& built, const Gpu& gpu,
               const std::optional<Count>& whole_tile = {});

/// The counts of one whole tile of this product, with its K, leading dimensions and offsets. None
/// where all tiles are whole, so that each does as much, or none is.
std::optional<Count> count_whole_tile(Device& device, const Candidate& candidate, const Case& test);

/// The kernel as the committed tables have it: texts of resources.json and sass.json.
Built built_for(const Gpu& gpu, const KernelDefinition& rung, const Variant& variant,
                std::string_view resources, std::string_view sass);

/// `measured`: GFLOP/s of a committed result.
nlohmann::ordered_json json_of(const Bound& bound, const Gpu& gpu, std::optional<double> measured);

}  // namespace tilewright::lab
