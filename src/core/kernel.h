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
    int multiprocessors = 1;  ///< SMs: what a grid that fills the device once has in blocks.
    void* workspace = nullptr;  ///< 256-byte aligned.
    /// As much as Variant::workspace_bytes asks for, or less where Variant::least_workspace_bytes
    /// allows it. These two do not look at it.
    int64_t workspace_bytes = 0;
    /// Zeros, and zeros again when the launch has ended; kCounters of them. Null: the kernel sets
    /// what it needs to zero in its workspace.
    unsigned* counters = nullptr;
    int splits = 1;  ///< Parts of k for different blocks, where the kernel can.
    /// The launch may begin before what is before it in the stream has ended. The engine's kernels
    /// wait for that themselves, and then gain what a launch takes; others must not be told so. Needs
    /// compute capability 9.0.
    bool overlaps = false;
};

inline constexpr int kCounters = 1 << 16;

/// How a launch cuts up a problem: what its time depends on.
struct Work {
    int64_t tiles = 0;  ///< Of all matrices C.
    int64_t blocks = 0;
    int resident = 1;  ///< Blocks that an SM holds at a time.
    double steps = 0;  ///< k-tiles of the block that has most.
    int64_t prepared = 0;  ///< Bytes of operands that a pass converts before.
    int64_t exchanged = 0;  ///< Bytes that blocks leave for each other.
    int parts = 1;  ///< Of k, as many as Execution::splits or fewer.
    int sharing = 1;  ///< Blocks that share a tile, by parts or by stream-K.
    bool meet = true;  ///< One of them adds up what they have; else a kernel of its own does.
};

/// Makes of a whole A or B what products with it would make anew each time. Of the problem it looks at
/// that operand alone.
struct Preparation {
    int64_t (*bytes)(const Problem&, bool of_b);
    Status (*run)(const Problem&, bool of_b, void* memory, const Execution&);
};

/// A kernel built with one configuration.
struct Variant {
    const char* name;
    TileConfig config;
    Status (*run)(const Problem&, const Execution&);
    /// Shared memory whose size is the launch's, beside what the compiler reports.
    int dynamic_shared_bytes = 0;
    /// Device memory that run() may write to, when it runs there; its content means nothing before
    /// and after. Null: none.
    int64_t (*workspace_bytes)(const Problem&, const Execution&) = nullptr;
    /// The engine's kernels only: what running it comes to, and why it cannot; null where it can.
    Work (*work)(const Problem&, const Execution&) = nullptr;
    const char* (*refusal)(const Problem&, const Execution&) = nullptr;
    /// Of workspace_bytes, what run() can do with, in parts and with the same result. Null: all.
    int64_t (*least_workspace_bytes)(const Problem&, const Execution&) = nullptr;
};

/// A number that the header derives and CPU mode must count, by the default variant at
/// M = N = K = 256 with aligned operands. lab/quantities.h says which quantities there are.
struct Claim {
    const char* quantity;  ///< "sectors/load of A"
    double value;
};

/// What a tuner may choose for one size of a configuration.
struct Axis {
    const char* member;  ///< As for_each_member() names it.
    std::span<const int> values;  ///< The first is the usual one.
    bool fine = false;  ///< Others are tried with the best configurations alone.
};

/// The configurations of a rung beside those compiled in.
struct TuningSpace {
    std::span<const Axis> axes;
    TileConfig (*complete)(TileConfig);  ///< Sets what follows from the others.
    /// Launches the rung's kernel as its run() does, with a configuration for which it was compiled
    /// while the program runs: a cudaKernel_t.
    Status (*launch)(const void* kernel, const TileConfig&, const Problem&, const Execution&);
};

enum class Kind {
    rung,  ///< A step of the ladder: one idea more than its parent.
    detour,  ///< An idea worth seeing that later rungs do not build on.
    refactor,  ///< Moves code and changes nothing that can be counted.
    baseline,  ///< An opponent: measured, not explained.
    engine,  ///< One of the library's own, which takes any problem.
};

/// What a kernel's text is compiled for; device/kernel.h says more.
enum class Target { gpu, cpu_counted, cpu_fast };

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
    Arithmetic arithmetic = Arithmetic::fp32;
    /// The same for all kernels of an arithmetic; null where operands are taken as they are.
    const Preparation* preparation = nullptr;
    int compute_capability = 80;  ///< The least that a GPU needs, times ten.
    int last_compute_capability = 999;  ///< Newer GPUs lack its instructions.
    const TuningSpace* space = nullptr;  ///< Null: its variants alone.
};

}  // namespace tilewright
