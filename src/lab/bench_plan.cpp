// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/bench_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/interrupt.h"
#include "lab/library_kernel.h"
#include "lab/row_command.h"
#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

constexpr const char* kGpuSizes = "128:4096*2";
constexpr const char* kCpuSizes = "256,512";

std::vector<Arithmetic> modes_of(const std::string& list) {
    std::vector<Arithmetic> modes;
    std::vector<std::string> names;
    for (const Arithmetic mode : kArithmetics) names.emplace_back(name_of(mode));
    for (size_t begin = 0; begin <= list.size() && !list.empty();) {
        const size_t end = std::min(list.find(',', begin), list.size());
        const std::string word = list.substr(begin, end - begin);
        const auto place = std::find(names.begin(), names.end(), word);
        if (place == names.end())
            throw UsageError(fmt::format("--compute: '{}' is none of {}", word, join(names, ", ")));
        modes.push_back(kArithmetics[place - names.begin()]);
        begin = end + 1;
    }
    return modes;
}

bool serves_any(const KernelDefinition& kernel, const std::vector<Arithmetic>& modes) {
    return std::any_of(modes.begin(), modes.end(),
                       [&](Arithmetic mode) { return serves(kernel.arithmetic, mode); });
}

/// Takes out the words that mean this one thing, and says whether there were any.
bool take_word(std::vector<std::string>& words, std::initializer_list<std::string_view> names) {
    return std::erase_if(words, [&](const std::string& word) {
               return std::find(names.begin(), names.end(), word) != names.end();
           }) > 0;
}

/// Of kernels of the engine that a list or glob names, those that serve a mode; one that is named
/// itself must.
void keep_serving(std::vector<const KernelDefinition*>& kernels,
                  const std::vector<std::string>& words, const std::vector<Arithmetic>& modes,
                  const std::string& list) {
    std::erase_if(kernels, [&](const KernelDefinition* kernel) {
        if (kernel->kind != Kind::engine || serves_any(*kernel, modes)) return false;
        if (std::find(words.begin(), words.end(), kernel->id) != words.end())
            throw UsageError(fmt::format("--compute: {} computes in {}, which does not serve {}",
                                         kernel->id, name_of(kernel->arithmetic), list));
        return true;
    });
}

const KernelDefinition* cublas_in_tf32(const Device& device) {
    for (const KernelDefinition* kernel : device.opponents())
        if (kernel->arithmetic == Arithmetic::tf32) return kernel;
    throw UsageError(
        "'k0_tf32' takes part on a GPU only, in a build with CUDA, where libcublas is "
        "found");
}

std::vector<Candidate> candidates_of(const Device& device, const Options& options) {
    std::vector<std::string> words = options.rungs;
    std::vector<Arithmetic> modes = modes_of(options.compute_modes);
    const bool library = take_word(words, {kLibrary});
    std::vector<const KernelDefinition*> kernels;
    if (take_word(words, {"k0_tf32", "cublas_tf32"})) kernels.push_back(cublas_in_tf32(device));
    if (options.rungs.empty() || !words.empty())
        for (const KernelDefinition* kernel : select_kernels(device, words))
            kernels.push_back(kernel);
    if (!modes.empty()) keep_serving(kernels, words, modes, options.compute_modes);
    const auto first_of_engine = [](const auto& all, const auto& kind_of) {
        return std::find_if(all.begin(), all.end(),
                            [&](const auto& each) { return kind_of(each) == Kind::engine; });
    };
    const auto kind = [](const KernelDefinition* kernel) { return kernel->kind; };
    if (!modes.empty() && !library && first_of_engine(kernels, kind) == kernels.end())
        throw UsageError(
            "--compute is for library and the engine's kernels; a rung computes as it "
            "does");
    auto candidates = select_candidates(kernels, options.variant);
    if (!library) return candidates;
    if (modes.empty()) modes = {Arithmetic::fp32};
    std::vector<Candidate> whole;
    for (const Arithmetic mode : modes) {
        const KernelDefinition& one = library_definition(mode, device.info().gpu);
        whole.push_back({&one, &one.variants.front()});
    }
    candidates.insert(
        first_of_engine(candidates, [](const Candidate& each) { return each.rung->kind; }),
        whole.begin(), whole.end());
    return candidates;
}

/// "k9", "k9/a100" or "tile/64x64" of one kernel.
Candidate one_candidate(const Device& device, const Options& options) {
    const size_t slash = options.against.find('/');
    Options one;
    one.rungs = {options.against.substr(0, slash)};
    if (slash != options.against.npos) one.variant = options.against.substr(slash + 1);
    std::vector<Candidate> found;
    try {
        found = candidates_of(device, one);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("--against: {}", error.what()));
    }
    if (found.size() == 1) return found.front();
    throw UsageError(
        fmt::format("--against: '{}' means {} kernels; the opponent is one, none or cublas",
                    options.against, found.size()));
}

Opponents opponents_of(const Device& device, const Options& options) {
    if (options.against == "none" || (options.against.empty() && options.profile)) return {};
    if (!options.against.empty() && options.against != "cublas" && options.against != "k0")
        return Opponents(one_candidate(device, options));
    if (!options.against.empty() && device.opponents().empty())
        throw UsageError(
            "--against: cuBLAS takes part on a GPU only, in a build with CUDA, where "
            "libcublas is found");
    return Opponents(device.opponents());
}

}  // namespace

BenchPlan plan_bench(const Options& asked) {
    Options options = asked;
    BenchPlan plan;
    plan.cases = cases_of(options);
    static_cast<void>(modes_of(options.compute_modes));
    const std::optional<double> budget = budget_of(options);
    if (budget && (options.sustained || options.profile))
        throw UsageError(
            "--budget is for kernels that take turns, not for --sustained and --profile");
    BenchOptions& settings = plan.settings;
    settings.min_seconds = min_time_of(options);
    settings.rotate = !options.hot;
    if (options.sustained) settings.manner = Manner::sustained;
    if (options.profile) settings.manner = Manner::profiled;
    plan.device = open_device(options, CpuMode::fast);
    const bool gpu = plan.device->info().gpu;
    if (plan.cases.empty()) {
        options.sizes = gpu ? kGpuSizes : kCpuSizes;
        plan.cases = cases_of(options);
    }
    if (options.sustained && std::any_of(plan.cases.begin(), plan.cases.end(),
                                         [](const Case& test) { return std::abs(test.beta) >= 1; }))
        throw UsageError(
            "--sustained: with |beta| >= 1 C would grow from call to call, and putting "
            "it back would be a pause");
    plan.candidates = candidates_of(*plan.device, options);
    settings.opponents = opponents_of(*plan.device, options);
    settings.opponents.join(plan.candidates);
    require_plain(plan.candidates, plan.cases);
    settings.command = [options, device = device_word(*plan.device, options)](const Row& row,
                                                                              double min_seconds) {
        return bench_command_of(row, min_seconds, options, device);
    };
    if (budget) {
        plan.budget = std::make_unique<Budget>(*budget, plan.candidates.size(), plan.cases);
        settings.budget = plan.budget.get();
    }
    return plan;
}

void BenchPlan::run(const std::function<void(std::span<const Row>)>& take) {
    for (const Case& test : cases) {
        if (interrupted()) return;
        take(bench(*device, candidates, test, settings));
    }
}

}  // namespace tilewright::lab
