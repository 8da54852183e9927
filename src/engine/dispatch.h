// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// From a problem to the kernel that computes it: candidates -> legality -> predicted time -> the
// fastest. Everything here is a plain value, and nothing touches a device.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"
#include "engine/tuned.h"

namespace tilewright::engine {

/// Of a handle that was given no other workspace, in FP32.
inline constexpr int64_t kWorkspaceBytes = 32 << 20;

/// The same in any mode: in the others it grows to what the fastest kernel wants.
constexpr int64_t own_workspace_bytes(Arithmetic mode) {
    return mode == Arithmetic::fp32 ? kWorkspaceBytes : INT64_MAX;
}

/// What dispatch knows of a device.
struct DeviceTraits {
    Target target = Target::cpu_fast;
    int multiprocessors = 1;
    int compute_capability = 90;  ///< Times ten; CPU mode runs what a 9.0 does.
    /// Products of FP16 or BF16 that tensor cores add up in FP32 while FP32's units make one.
    int tensor_rate = 16;
    const Tuned* tuned = nullptr;  ///< What was measured there; null: nothing.
};

/// Of a GPU, by its name too: compute capability does not tell GeForce chips, which add up in FP32 at half
/// the rate, from an A10 or an L40S.
int tensor_rate_of(int compute_capability, std::string_view name);

/// A kernel's variant, and how many parts of k it is to make.
struct Choice {
    const KernelDefinition* kernel = nullptr;  ///< Null: nothing runs this problem.
    const Variant* variant = nullptr;
    int splits = 1;
    int64_t workspace_bytes = 0;  ///< What it wants, or what there is of it.
    double predicted_us = 0;
    bool tuned = false;  ///< Measured to be the fastest, whatever is predicted.
};

struct Candidate {
    Choice choice;
    const char* refusal = nullptr;  ///< Why it cannot run, or is not to; null where it can.
};

/// Why no handle of the device can have this compute mode; "" where one can.
std::string refusal_of(Arithmetic mode, const DeviceTraits& device);

/// How operands are prepared for this mode; null where they are taken as they are.
const Preparation* preparation_of(Arithmetic mode, const DeviceTraits& device);

/// Of all that serve the problem's compute mode and can run with so much workspace: what was measured
/// to be the fastest for such a problem, else the fastest by prediction.
Choice choose(const Problem& problem, const DeviceTraits& device, int64_t workspace_bytes);

/// All that was weighed: the choice first, then by prediction, and those that cannot run last.
std::vector<Candidate> candidates(const Problem& problem, const DeviceTraits& device,
                                  int64_t workspace_bytes);

/// An entry of the tuning database that was looked at for a problem.
struct TunedStep {
    const TunedEntry* entry;
    Candidate candidate;  ///< Its refusal says why the entry is not taken; null where it is.
};
/// From the nearest to the first that is taken: none, where prediction decides.
std::vector<TunedStep> tuned_steps(const Problem& problem, const DeviceTraits& device,
                                   int64_t workspace_bytes);

/// The variant of this name, as name_of() makes it, or without its compute mode, as it would run the
/// problem, if only slowly; none if there is no such variant.
std::optional<Candidate> named(std::string_view name, const Problem& problem,
                               const DeviceTraits& device, int64_t workspace_bytes);

/// "tile/64x64 parts=4", "tensor_tile/128x128-32 compute=fp16x3"; "none" for no kernel.
std::string name_of(const Choice& choice);

/// The problem as a command that explains the choice: "tilewright dispatch N T 128 4096 4096 --lda
/// 4100". It says whether operands lie off 16-byte boundaries, not where.
std::string command_of(const Problem& problem);

}  // namespace tilewright::engine
