// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

constexpr int kKiB = 1024;
constexpr size_t kMiB = 1024 * kKiB;
constexpr int kWarp = 32, kMostThreads = 1024;  // a block's

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Arithmetic
/// Instructions"; blocks as in cuda_occupancy.h.
struct Multiprocessor {
    const char* architecture;
    int fp32_lanes, threads, blocks, shared_bytes;
};
constexpr Multiprocessor kAmpere{"80", 64, 2048, 32, 164 * kKiB};
constexpr Multiprocessor kAmpereGeForce{"86", 128, 1536, 16, 100 * kKiB};
constexpr Multiprocessor kAda{"89", 128, 1536, 24, 100 * kKiB};
constexpr Multiprocessor kHopper{"90a", 128, 2048, 32, 228 * kKiB};
constexpr Multiprocessor kBlackwell{"100", 128, 2048, 32, 228 * kKiB};
constexpr Multiprocessor kBlackwellGeForce{"120", 128, 1536, 24, 100 * kKiB};

/// What differs between chips of one architecture; the rest is common to all since Ampere.
constexpr Gpu gpu(const char* word, const char* name, const Multiprocessor& sm, int multiprocessors,
                  int tf32_products, double clock_mhz, double dram_gb_s, size_t l2_bytes,
                  const char* source, double launch_us = 0) {
    constexpr int kReserved = kKiB;
    // Two sectors. NVIDIA does not say it for these chips: an assumption, the width that is usual.
    constexpr double kL2BytesPerClock = 64;
    return {.word = word,
            .name = name,
            .architecture = sm.architecture,
            .multiprocessors = multiprocessors,
            .fp32_lanes = sm.fp32_lanes,
            .tf32_products = tf32_products,
            .clock_mhz = clock_mhz,
            .dram_gb_s = dram_gb_s,
            .l2_bytes = l2_bytes,
            .l2_bytes_per_clock = kL2BytesPerClock,
            .registers = 64 * kKiB,
            .shared_bytes = sm.shared_bytes,
            .threads = sm.threads,
            .blocks = sm.blocks,
            .block_shared_bytes = sm.shared_bytes - kReserved,
            .reserved_shared_bytes = kReserved,
            .launch_us = launch_us,
            .source = source};
}

// Clocks are the highest that NVML reports: GeForce and RTX boards run above the boost clock of
// their whitepaper, which the source then names. Products in TF32: the whitepaper's or datasheet's
// dense TFLOP/s over 2 x SMs x boost clock, to the power of two that it is.
constexpr Gpu kGpus[] = {
    gpu("h200", "NVIDIA H200 SXM", kHopper, 132, 1024, 1980, 4800, 60 * kMiB,
        "NVIDIA H200 datasheet; SMs, clock and L2 as the device reports them; launch: "
        "results/nvidia-h200-2026-11-30-launch.json",
        0.497),
    gpu("h100", "NVIDIA H100 SXM 80 GB", kHopper, 132, 1024, 1980, 3352, 50 * kMiB,
        "NVIDIA H100 Tensor Core GPU Architecture whitepaper; clock: NVML"),
    gpu("a100", "NVIDIA A100 SXM 80 GB", kAmpere, 108, 512, 1410, 2039, 40 * kMiB,
        "NVIDIA A100 Tensor Core GPU Architecture whitepaper; NVIDIA A100 80GB datasheet"),
    gpu("3090", "NVIDIA GeForce RTX 3090", kAmpereGeForce, 82, 128, 2100, 936, 6 * kMiB,
        "NVIDIA Ampere GA102 GPU Architecture whitepaper (boost 1695 MHz); clock: NVML"),
    gpu("a6000", "NVIDIA RTX A6000", kAmpereGeForce, 84, 256, 2100, 768, 6 * kMiB,
        "NVIDIA Ampere GA102 GPU Architecture whitepaper (boost 1800 MHz); clock: NVML"),
    gpu("4090", "NVIDIA GeForce RTX 4090", kAda, 128, 128, 3105, 1008, 72 * kMiB,
        "NVIDIA Ada GPU Architecture whitepaper (boost 2520 MHz); clock: NVML"),
    gpu("l40s", "NVIDIA L40S", kAda, 142, 256, 2520, 864, 96 * kMiB,
        "NVIDIA L40S datasheet; NVIDIA Ada GPU Architecture whitepaper"),
    gpu("b200", "NVIDIA B200 SXM", kBlackwell, 148, 2048, 1965, 8000, 253 * kMiB / 2,
        "NVIDIA Blackwell HGX datasheet; SMs, clock and L2: NVML and device attributes"),
    gpu("5090", "NVIDIA GeForce RTX 5090", kBlackwellGeForce, 170, 128, 3090, 1792, 96 * kMiB,
        "NVIDIA RTX Blackwell GPU Architecture whitepaper (boost 2407 MHz); clock: NVML"),
};

constexpr int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

/// A multiprocessor is four parts with a quarter of the registers each, and a warp takes all of its
/// registers from one part.
int blocks_by_registers(const Gpu& gpu, int warps, int registers) {
    constexpr int kParts = 4, kUnit = 256;
    const int of_warp = round_up(std::max(registers, 1) * kWarp, kUnit);
    return gpu.registers / kParts / of_warp * kParts / warps;
}

int blocks_by_shared_memory(const Gpu& gpu, int bytes) {
    constexpr int kUnit = 128;
    if (bytes > gpu.block_shared_bytes) return 0;
    return gpu.shared_bytes / round_up(bytes + gpu.reserved_shared_bytes, kUnit);
}

}  // namespace

std::span<const Gpu> gpus() {
    return kGpus;
}

const Gpu& gpu_of(const std::string& word) {
    std::vector<std::string> words;
    for (const Gpu& each : kGpus) {
        if (word == each.word) return each;
        words.emplace_back(each.word);
    }
    throw UsageError(fmt::format("--gpu: no GPU '{}'; there are {}", word, join(words, ", ")));
}

bool runs_on(const KernelDefinition& rung, int capability) {
    return rung.compute_capability <= capability && capability <= rung.last_compute_capability;
}

std::string capability_text(const KernelDefinition& rung) {
    const int least = rung.compute_capability;
    return fmt::format("compute capability {}.{}{}", least / 10, least % 10,
                       rung.last_compute_capability == least ? "" : " or newer");
}

std::string reason_not_to_run(const Gpu& gpu, const KernelDefinition& rung) {
    const int capability = std::atoi(gpu.architecture);  // of "90a" too
    if (runs_on(rung, capability)) return {};
    return fmt::format("needs {}, and {} has {}.{}", capability_text(rung), gpu.name,
                       capability / 10, capability % 10);
}

Occupancy occupancy(const Gpu& gpu, int threads, int registers, int shared_bytes) {
    const int warps = round_up(threads, kWarp) / kWarp;
    struct Limit {
        int blocks;
        const char* name;
    };
    // Of equal limits the first is named: what no other kernel of this block size could exceed.
    const Limit limits[] = {
        {threads > kMostThreads ? 0 : gpu.threads / kWarp / warps, "threads"},
        {gpu.blocks, "blocks"},
        {blocks_by_registers(gpu, warps, registers), "registers"},
        {blocks_by_shared_memory(gpu, shared_bytes), "shared memory"},
    };
    const Limit least =
        *std::min_element(std::begin(limits), std::end(limits),
                          [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
    return {.blocks = least.blocks,
            .share = static_cast<double>(least.blocks * warps * kWarp) / gpu.threads,
            .limit = least.name};
}

}  // namespace tilewright::lab
