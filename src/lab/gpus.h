// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Public numbers of GPUs, for occupancy and bounds on machines that do not have one.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/kernel.h"

namespace tilewright::lab {

struct Gpu {
    const char* word;  ///< What --gpu takes: "h200".
    const char* name;  ///< "NVIDIA H200 SXM"
    const char* architecture;  ///< As the compiler names it: "80", "86", "90a", ...
    int multiprocessors;
    int fp32_lanes;  ///< A multiprocessor's; FFMAs of one clock.
    int tf32_products;  ///< Of tensor cores in one clock, dense, with sums in FP32.
    double clock_mhz;  ///< The highest: a bound must not be below what a GPU reaches.
    double dram_gb_s;
    size_t l2_bytes;
    double l2_bytes_per_clock;  ///< Into one multiprocessor: assumed, see docs/bound.md.
    int registers, shared_bytes, threads, blocks;  ///< A multiprocessor's.
    int block_shared_bytes;  ///< What one block may have.
    int reserved_shared_bytes;  ///< What the driver keeps of each block's.
    double launch_us;  ///< The least that an empty kernel took in a graph; 0: not measured.
    const char* source;
};

std::span<const Gpu> gpus();

/// Throws UsageError with the words there are.
const Gpu& gpu_of(const std::string& word);

/// Whether a GPU of this compute capability, times ten, has the rung's instructions.
bool runs_on(const KernelDefinition& rung, int capability);
/// "compute capability 9.0 or newer"
std::string capability_text(const KernelDefinition& rung);
/// Why a rung cannot run there; empty where it can.
std::string reason_not_to_run(const Gpu& gpu, const KernelDefinition& rung);

/// Which limit ends first, and where.
struct Occupancy {
    int blocks = 0;  ///< On one multiprocessor; 0 when a block does not fit at all.
    double share = 0;  ///< Resident threads of those that it holds.
    /// "registers", "shared memory", "threads", "blocks"; or the compute "capability".
    const char* limit = "";
};

/// CUDA's occupancy rules: registers are given out by the warp in units of 256, shared memory by
/// the block in units of its architecture.
Occupancy occupancy(const Gpu& gpu, int threads, int registers, int shared_bytes);

}  // namespace tilewright::lab
