// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/dispatch.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/cost.h"
#include "engine/kernels.h"

namespace tilewright::engine {

namespace {

const char* capability_refusal(const KernelDefinition& kernel, const DeviceTraits& device) {
    if (device.compute_capability < kernel.compute_capability) return "needs a newer GPU";
    if (device.compute_capability > kernel.last_compute_capability)
        return "uses instructions that this GPU no longer has";
    return nullptr;
}

/// Any value that is not null: run() will be given the handle's counters.
unsigned* const kHandlesCounters = reinterpret_cast<unsigned*>(alignof(unsigned));

Execution execution_of(const DeviceTraits& device, int splits) {
    return {
        .multiprocessors = device.multiprocessors, .counters = kHandlesCounters, .splits = splits};
}

/// A variant and what it costs, looked up once.
struct Entry {
    const KernelDefinition* kernel;
    const Variant* variant;
    const Cost* cost;
};

const std::vector<Entry>& entries(Target target) {
    const auto collect = [](Target of) {
        std::vector<Entry> all;
        for (const KernelDefinition* kernel : kernels(of)) {
            if (kernel->arithmetic != Arithmetic::fp32) continue;  // no compute mode chooses yet
            for (const Variant& variant : kernel->variants)
                all.push_back({kernel, &variant, &cost_of(*kernel, variant)});
        }
        return all;
    };
    // Never destroyed: a program's own destructors may call when the process ends.
    static const auto& all = *new std::array<std::vector<Entry>, 3>{
        collect(Target::gpu), collect(Target::cpu_counted), collect(Target::cpu_fast)};
    return all[static_cast<int>(target)];
}

Candidate weigh(const Entry& entry, int splits, const Problem& problem, const DeviceTraits& device,
                int64_t workspace_bytes) {
    const KernelDefinition& kernel = *entry.kernel;
    const Variant& variant = *entry.variant;
    const Execution execution = execution_of(device, splits);
    Candidate candidate{.choice = {&kernel, &variant, splits}};
    if ((candidate.refusal = capability_refusal(kernel, device))) return candidate;
    if ((candidate.refusal = variant.refusal(problem, execution))) return candidate;
    candidate.choice.workspace_bytes = variant.workspace_bytes(problem, execution);
    if (candidate.choice.workspace_bytes > workspace_bytes)
        candidate.refusal = "needs a larger workspace";
    const Work work = variant.work(problem, execution);
    if (splits > 1) candidate.choice.splits = work.parts;
    candidate.choice.predicted_us = predict(problem, work, *entry.cost, device.multiprocessors);
    return candidate;
}

/// Calls f(Candidate) for each variant and each number of parts of k that may be worth it: none,
/// one block for each SM, and as many as the SMs hold.
template <class Function>
void for_each_candidate(const Problem& problem, const DeviceTraits& device, int64_t workspace_bytes,
                        const Function& f) {
    constexpr int64_t kMost = 1 << 16;  // parts
    for (const Entry& entry : entries(device.target)) {
        const Candidate whole = weigh(entry, 1, problem, device, workspace_bytes);
        f(whole);
        if (whole.refusal) continue;
        const Work work = entry.variant->work(problem, execution_of(device, 1));
        const int64_t room = int64_t{device.multiprocessors} * work.resident;
        int before = 1;
        for (const int64_t blocks : {int64_t{device.multiprocessors}, room}) {
            const auto splits = static_cast<int>(std::min<int64_t>(blocks / work.tiles, kMost));
            if (splits <= before) continue;
            const Candidate parted = weigh(entry, splits, problem, device, workspace_bytes);
            if (parted.choice.splits <= before) continue;  // k has no more parts
            before = parted.choice.splits;
            f(parted);
        }
    }
}

bool is_faster(const Candidate& a, const Candidate& b) {
    if ((a.refusal == nullptr) != (b.refusal == nullptr)) return a.refusal == nullptr;
    return a.refusal == nullptr && a.choice.predicted_us < b.choice.predicted_us;
}

}  // namespace

Choice choose(const Problem& problem, const DeviceTraits& device, int64_t workspace_bytes) {
    Choice best;
    for_each_candidate(problem, device, workspace_bytes, [&](const Candidate& candidate) {
        if (candidate.refusal) return;
        if (!best.kernel || candidate.choice.predicted_us < best.predicted_us)
            best = candidate.choice;
    });
    return best;
}

std::vector<Candidate> candidates(const Problem& problem, const DeviceTraits& device,
                                  int64_t workspace_bytes) {
    std::vector<Candidate> all;
    for_each_candidate(problem, device, workspace_bytes,
                       [&](const Candidate& candidate) { all.push_back(candidate); });
    std::stable_sort(all.begin(), all.end(), is_faster);
    return all;
}

std::optional<Candidate> named(std::string_view name, const Problem& problem,
                               const DeviceTraits& device, int64_t workspace_bytes) {
    int splits = 1;
    const size_t space = name.find(' ');
    if (space != name.npos) {
        constexpr std::string_view kParts = "parts=";
        const std::string_view word = name.substr(space + 1);
        if (!word.starts_with(kParts)) return std::nullopt;
        const char* end = word.data() + word.size();
        const auto [rest, error] = std::from_chars(word.data() + kParts.size(), end, splits);
        if (error != std::errc() || rest != end || splits < 1) return std::nullopt;
        name = name.substr(0, space);
    }
    for (const Entry& entry : entries(device.target))
        if (name == std::string(entry.kernel->id) + '/' + entry.variant->name)
            return weigh(entry, splits, problem, device, workspace_bytes);
    return std::nullopt;
}

std::string name_of(const Choice& choice) {
    if (!choice.kernel) return "none";
    std::string name = std::string(choice.kernel->id) + '/' + choice.variant->name;
    if (choice.splits > 1) name += " parts=" + std::to_string(choice.splits);
    return name;
}

std::string command_of(const Problem& p) {
    std::string text = "tilewright dispatch ";
    text += p.transpose_a ? "T " : "N ";
    text += p.transpose_b ? "T" : "N";
    for (const int64_t size : {p.m, p.n, p.k}) text += ' ' + std::to_string(size);
    const auto option = [&](const char* name, int64_t value, int64_t usual) {
        if (value != usual) text += std::string(" --") + name + ' ' + std::to_string(value);
    };
    option("lda", p.lda, p.transpose_a ? p.m : p.k);
    option("ldb", p.ldb, p.transpose_b ? p.k : p.n);
    option("ldc", p.ldc, p.n);
    option("batch", p.batch, 1);
    if (p.batch > 1) {
        option("stride-a", p.stride_a, (p.transpose_a ? p.k : p.m) * p.lda);
        option("stride-b", p.stride_b, (p.transpose_b ? p.n : p.k) * p.ldb);
        option("stride-c", p.stride_c, p.m * p.ldc);
    }
    const auto offset = [&](const char* name, const float* data) {
        option(name, static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) % 16 / 4), 0);
    };
    offset("offset-a", p.A);
    offset("offset-b", p.B);
    offset("offset-c", p.C);
    if (p.device_alpha) text += " --device-scalars";
    if (!p.device_alpha && p.alpha == 0.0f) text += " --alpha 0";
    return text;
}

}  // namespace tilewright::engine
