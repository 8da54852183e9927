// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How fast a kernel can be at most on a GPU, from what was counted and the GPU's public numbers:
// each resource gives a time that no run can be shorter than. Derived in docs/bound.md.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "lab/compiled.h"
#include "lab/counting.h"
#include "lab/gpus.h"

namespace tilewright::lab {

/// What a launch takes when the kernel does nothing, in us: in a graph of them, on an H200
/// (results/nvidia-h200-2026-11-29-launch.txt).
inline constexpr double kLaunchFloorUs = 0.5;

/// A lower bound of the time, in us.
struct BoundTerm {
    const char* key;
    const char* label;
    double us;  ///< kNone: what it takes to say was not recorded.
};

struct Bound {
    std::array<BoundTerm, 7> terms;
    const char* limiter;  ///< The key of the largest.
    const char* limiter_label() const;
    double us, gflops;  ///< kNone GFLOP/s where nothing is multiplied.
    double waves;  ///< The busiest multiprocessor's blocks over the mean.

    /// FLOP a byte, and bytes of a second, of the levels below.
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

Bound bound_of(const Count& count, const Built& built, const Gpu& gpu);

/// The kernel as the committed tables have it: texts of resources.json and sass.json.
Built built_for(const Gpu& gpu, const KernelDefinition& rung, const Variant& variant,
                std::string_view resources, std::string_view sass);

/// `measured`: GFLOP/s of a committed result.
nlohmann::ordered_json json_of(const Bound& bound, const Gpu& gpu, std::optional<double> measured);

}  // namespace tilewright::lab
