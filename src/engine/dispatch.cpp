// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/dispatch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

/// What is made for graphics too.
constexpr bool is_small(int capability) {
    return capability == 86 || capability == 89 || capability >= 120;
}

/// That a block can have: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr int most_shared_bytes(int capability) {
    return 1024 * (is_small(capability) ? 99 : capability < 90 ? 163 : 227);
}

/// costs.def would not tell: it is of an H200, whose rate is 16.
const char* rate_refusal(const KernelDefinition& kernel, const DeviceTraits& device) {
    if (kernel.arithmetic == Arithmetic::fp32 ||
        products_of(kernel.arithmetic) < device.tensor_rate)
        return nullptr;
    return "FP32's kernels are faster: this GPU's tensor cores are slow with FP32 sums";
}

/// A kernel is not taken in a mode that it does not serve.
const char* mode_refusal(Arithmetic kernels, Arithmetic mode) {
    if (serves(kernels, mode)) return nullptr;
    switch (kernels) {
        case Arithmetic::fp32:
            break;
        case Arithmetic::fp16x3:
            return "needs compute mode fp16x3";
        case Arithmetic::bf16x6:
            return "needs compute mode bf16x6";
        case Arithmetic::bf16x9:
            return "needs compute mode bf16x9";
        case Arithmetic::tf32x3:
            return "needs compute mode tf32x3";
        case Arithmetic::tf32:
            return "needs compute mode tf32";
    }
    return nullptr;
}

/// Any value that is not null: run() will be given the handle's counters.
unsigned* const kHandlesCounters = reinterpret_cast<unsigned*>(alignof(unsigned));

Execution execution_of(const DeviceTraits& device, const Choice& choice) {
    return {.multiprocessors = device.multiprocessors,
            .workspace_bytes = choice.workspace_bytes,
            .counters = kHandlesCounters,
            .splits = choice.splits};
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
        for (const KernelDefinition* kernel : kernels(of))
            for (const Variant& variant : kernel->variants)
                all.push_back({kernel, &variant, &cost_of(*kernel, variant)});
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
    Candidate candidate{.choice = {&kernel, &variant, splits}};
    const Execution whole = execution_of(device, candidate.choice);
    if ((candidate.refusal = mode_refusal(kernel.arithmetic, problem.arithmetic))) return candidate;
    if ((candidate.refusal = capability_refusal(kernel, device))) return candidate;
    if (variant.dynamic_shared_bytes > most_shared_bytes(device.compute_capability)) {
        candidate.refusal = "needs more shared memory than a block has there";
        return candidate;
    }
    if ((candidate.refusal = variant.refusal(problem, whole))) return candidate;
    int64_t& bytes = candidate.choice.workspace_bytes = variant.workspace_bytes(problem, whole);
    const int64_t least =
        variant.least_workspace_bytes ? variant.least_workspace_bytes(problem, whole) : bytes;
    if (least > workspace_bytes)
        candidate.refusal = "needs a larger workspace";
    else
        bytes = std::min(bytes, workspace_bytes);
    const Work work = variant.work(problem, execution_of(device, candidate.choice));
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
        if (!serves(entry.kernel->arithmetic, problem.arithmetic)) continue;
        Candidate whole = weigh(entry, 1, problem, device, workspace_bytes);
        if (!whole.refusal) whole.refusal = rate_refusal(*entry.kernel, device);
        f(whole);
        if (whole.refusal) continue;
        const Work work = entry.variant->work(problem, execution_of(device, whole.choice));
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

Choice fastest_predicted(const Problem& problem, const DeviceTraits& device,
                         int64_t workspace_bytes) {
    Choice best;
    for_each_candidate(problem, device, workspace_bytes, [&](const Candidate& candidate) {
        if (candidate.refusal) return;
        if (!best.kernel || candidate.choice.predicted_us < best.predicted_us)
            best = candidate.choice;
    });
    return best;
}

bool is_faster(const Candidate& a, const Candidate& b) {
    if ((a.refusal == nullptr) != (b.refusal == nullptr)) return a.refusal == nullptr;
    return a.refusal == nullptr && a.choice.predicted_us < b.choice.predicted_us;
}

std::string variant_name(const KernelDefinition& kernel, const Variant& variant) {
    return std::string(kernel.id) + '/' + variant.name;
}

// What may follow it in a name.
constexpr std::string_view kParts = " parts=";
std::string mode_word(const KernelDefinition& kernel) {
    if (kernel.arithmetic == Arithmetic::fp32) return "";
    return std::string(" compute=") + name_of(kernel.arithmetic);
}

/// "8.6"
std::string version_of(int capability) {
    return std::to_string(capability / 10) + '.' + std::to_string(capability % 10);
}

}  // namespace

int tensor_rate_of(int compute_capability, std::string_view name) {
    // NVIDIA's whitepapers on A100, H100, GA102, AD102 and RTX Blackwell.
    if (!is_small(compute_capability)) return 16;
    return name.find("GeForce") == name.npos ? 4 : 2;
}

std::string refusal_of(Arithmetic mode, const DeviceTraits& device) {
    if (mode == Arithmetic::fp32) return "";  // whatever can run is its
    std::string others;
    for (const KernelDefinition* kernel : kernels(device.target)) {
        if (kernel->arithmetic != mode) continue;
        if (!capability_refusal(*kernel, device)) return "";
        const int first = kernel->compute_capability, last = kernel->last_compute_capability;
        others += (others.empty() ? ": " : ", ") + std::string(kernel->id) + " needs " +
                  version_of(first);
        if (last > first) others += last < 999 ? " to " + version_of(last) : " or later";
    }
    std::string text = std::string("this build has no kernel for ") + name_of(mode);
    if (!others.empty())
        text += " on compute capability " + version_of(device.compute_capability) + others;
    return text;
}

const Preparation* preparation_of(Arithmetic mode, const DeviceTraits& device) {
    for (const KernelDefinition* kernel : kernels(device.target))
        if (kernel->arithmetic == mode && !capability_refusal(*kernel, device))
            return kernel->preparation;
    return nullptr;
}

std::vector<TunedStep> tuned_steps(const Problem& problem, const DeviceTraits& device,
                                   int64_t workspace_bytes) {
    std::vector<TunedStep> steps;
    // Without a product nothing is as it was measured.
    const bool has_product = problem.device_alpha || problem.alpha != 0.0f;
    if (!device.tuned || device.tuned->empty() || !has_product) return steps;
    const ProblemClass of = class_of(problem);
    /// Whether this was the last.
    const auto take = [&](const TunedEntry& entry, double most_us) {
        auto candidate = named(entry.kernel, problem, device, workspace_bytes);
        if (!candidate) candidate.emplace().refusal = "is no kernel of this library";
        if (!candidate->refusal && !(candidate->choice.predicted_us <= most_us))
            candidate->refusal = "is for another size, and predicted to be far slower here";
        candidate->choice.tuned = !candidate->refusal;
        steps.push_back({&entry, *candidate});
        return !candidate->refusal;
    };
    if (const TunedEntry* exact = device.tuned->exact(of); exact && take(*exact, INFINITY))
        return steps;
    const auto near = device.tuned->near(of);
    if (near.empty()) return steps;
    const double predicted = fastest_predicted(problem, device, workspace_bytes).predicted_us;
    for (const TunedEntry* entry : near)
        if (take(*entry, kNearFactor * predicted)) break;
    return steps;
}

Choice choose(const Problem& problem, const DeviceTraits& device, int64_t workspace_bytes) {
    const auto steps = tuned_steps(problem, device, workspace_bytes);
    if (!steps.empty() && !steps.back().candidate.refusal) return steps.back().candidate.choice;
    return fastest_predicted(problem, device, workspace_bytes);
}

std::vector<Candidate> candidates(const Problem& problem, const DeviceTraits& device,
                                  int64_t workspace_bytes) {
    std::vector<Candidate> all;
    for_each_candidate(problem, device, workspace_bytes,
                       [&](const Candidate& candidate) { all.push_back(candidate); });
    std::stable_sort(all.begin(), all.end(), is_faster);
    const auto steps = tuned_steps(problem, device, workspace_bytes);
    if (steps.empty() || steps.back().candidate.refusal) return all;
    const Candidate& tuned = steps.back().candidate;
    std::erase_if(all, [&](const Candidate& each) {
        return each.choice.variant == tuned.choice.variant &&
               each.choice.splits == tuned.choice.splits;
    });
    all.insert(all.begin(), tuned);
    return all;
}

std::optional<Candidate> named(std::string_view name, const Problem& problem,
                               const DeviceTraits& device, int64_t workspace_bytes) {
    for (const Entry& entry : entries(device.target)) {
        const std::string whole = variant_name(*entry.kernel, *entry.variant);
        if (!name.starts_with(whole)) continue;
        std::string_view rest = name.substr(whole.size());
        const std::string mode = mode_word(*entry.kernel);
        if (rest.ends_with(mode)) rest.remove_suffix(mode.size());
        int splits = 1;
        if (rest.starts_with(kParts)) {
            rest.remove_prefix(kParts.size());
            const char* end = rest.data() + rest.size();
            const auto [stop, error] = std::from_chars(rest.data(), end, splits);
            if (error != std::errc() || splits < 1) continue;
            rest = {stop, end};
        }
        if (rest.empty()) return weigh(entry, splits, problem, device, workspace_bytes);
    }
    return std::nullopt;
}

std::string name_of(const Choice& choice) {
    if (!choice.kernel) return "none";
    std::string name = variant_name(*choice.kernel, *choice.variant);
    if (choice.splits > 1) name += std::string(kParts) + std::to_string(choice.splits);
    return name + mode_word(*choice.kernel);
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
    if (p.arithmetic != Arithmetic::fp32)
        text += std::string(" --compute ") + name_of(p.arithmetic);
    if (p.prepared_a) text += " --prepared-a";
    if (p.prepared_b) text += " --prepared-b";
    if (p.device_alpha) text += " --device-scalars";
    if (!p.device_alpha && p.alpha == 0.0f) text += " --alpha 0";
    return text;
}

}  // namespace tilewright::engine
