// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a kernel says of itself. List, explain, verify, bench, tests and documentation all read it
// here, so that a new kernel is one file and one line in ladder.def.
#pragma once

#include <span>

#include "core/problem.h"
#include "core/status.h"
#include "core/tile_config.h"

namespace tilewright {

/// Where a launch runs.
struct Execution {
    void* stream = nullptr;  ///< cudaStream_t on a GPU, simt::Machine* in CPU mode.
};

/// A kernel built with one configuration.
struct Variant {
    const char* name;
    TileConfig config;
    Status (*run)(const Problem&, const Execution&);
};

/// A number that the header derives and CPU mode must count, by the default variant at
/// M = N = K = 256 with aligned operands. lab/quantities.h says which quantities there are.
struct Claim {
    const char* quantity;  ///< "sectors/load of A"
    double value;
};

enum class Kind {
    rung,  ///< A step of the ladder: one idea more than its parent.
    detour,  ///< An idea worth seeing that later rungs do not build on.
    refactor,  ///< Moves code and changes nothing that can be counted.
    baseline,  ///< An opponent: measured, not explained.
};

struct KernelDefinition {
    const char* file;  ///< __FILE__ of the rung: its stem is NN_name.
    const char* id;  ///< The name in the source texts, such as "k5".
    std::span<const char* const> aliases;
    const char* parent;  ///< The id this kernel grew from; "" for the first.
    Kind kind;
    const char* title;  ///< A noun phrase: the parent plus what?
    const char* idea;  ///< One sentence.
    /// What the fast path asks of a problem, and what happens otherwise.
    const char* requirements;
    std::span<const Variant> variants;  ///< The default first.
    std::span<const Claim> claims = {};  ///< Empty for a baseline only.
};

}  // namespace tilewright
