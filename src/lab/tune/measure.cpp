// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "lab/environment.h"
#include "lab/results.h"
#include "lab/sizes.h"
#include "lab/tune/compile_pool.h"
#include "lab/tune/context.h"
#include "lab/tune/database.h"
#include "lab/tune/module.h"
#include "lab/tune/nvrtc.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

/// So many of the best are varied in their fine sizes.
constexpr size_t kRefined = 4;
constexpr double kCompilersShare = 0.3;  // of the budget

/// "60s", "2m", "90".
double seconds_in(std::string text, const char* option) {
    double unit = 1;
    if (text.ends_with('m')) unit = 60;
    if (text.ends_with('s') || text.ends_with('m')) text.pop_back();
    const double seconds = parse_number<double>(text, option) * unit;
    if (!(seconds > 0 && seconds <= 1e6))
        throw UsageError(fmt::format("{}: {} is not between 0 and 10^6 s", option, text));
    return seconds;
}

/// What no kernel of this mode can exceed; the engine has TF32's accuracy from FP16's tensor cores.
double limit_of(const DeviceInfo& device, Arithmetic mode) {
    if (mode == Arithmetic::fp32) return device.peak_gflops;
    return std::max(device.peak_gflops, device.tf32_peak_gflops * 2 / products_of(mode));
}

std::vector<std::string> child_arguments(const Case& test, const MeasureSettings& settings) {
    std::vector<std::string> words{kTuneChild};
    if (!settings.device.empty()) words.insert(words.end(), {"--device", settings.device});
    if (!settings.rotate) words.emplace_back("--hot");
    std::istringstream options(describe(test));
    for (std::string word; options >> word;) words.push_back(word);
    return words;
}

Journal journal_for(const TunedProblem& problem, const DeviceInfo& info, bool rotate) {
    const engine::TunedPlace place = engine::tuned_place();
    if (place.path.empty()) return {};
    const engine::TunedDevice device = tuned_device_of(info);
    const nlohmann::ordered_json key{
        problem.subject,       device.name,    device.multiprocessors, device.compute_capability,
        info.driver,           version_text(), program_stamp(),        describe(problem.test),
        name_of(problem.mode), rotate};
    const std::string text = key.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return {fmt::format("{}.{}.journal", place.path, digest_of(text).substr(0, 12)), text};
}

TunedProblem problem_for(Device& device, const KernelDefinition* rung, const Case& test,
                         Arithmetic mode, bool compiles, const engine::DeviceTraits& traits) {
    TunedProblem problem{.subject = rung ? rung->id : engine::kEngine, .test = test, .mode = mode};
    static_cast<void>(device);
    problem.space =
        rung ? space_of(*rung, compiles) : engine_space(problem_nowhere(test, mode), traits);
    return problem;
}

/// The best of those whose configuration is known.
std::vector<TuneCandidate> refined(const KernelDefinition& rung, std::span<const Tried> best) {
    std::vector<TuneCandidate> all;
    size_t looked_at = 0;
    for (const Tried& tried : best) {
        if (!tried.ok() || looked_at++ == kRefined) break;
        std::optional<TileConfig> config = tried.candidate.config;
        for (const Variant& variant : rung.variants)
            if (variant.name == tried.candidate.variant) config = variant.config;
        if (!config) continue;
        for (TuneCandidate& each : finer(rung, *config)) {
            const auto is_same = [&](const TuneCandidate& other) {
                return other.name == each.name;
            };
            const bool known = std::any_of(all.begin(), all.end(), is_same) ||
                               std::any_of(best.begin(), best.end(), [&](const Tried& other) {
                                   return is_same(other.candidate);
                               });
            if (!known) all.push_back(std::move(each));
        }
    }
    return all;
}

}  // namespace

MeasureSettings measure_settings_of(const Options& o) {
    MeasureSettings settings;
    if (!o.budget.empty()) settings.tuner.budget = seconds_in(o.budget, "--budget");
    settings.tuner.step_timeout = seconds_in(o.timeout, "--timeout");
    settings.rotate = !o.hot;
    settings.fresh = o.fresh;
    settings.device = device_of(o);
    return settings;
}

TunedProblem measure(Device& device, const KernelDefinition* rung, const Case& test,
                     Arithmetic mode, const MeasureSettings& settings, const Tell& progress) {
    const DeviceInfo& info = device.info();
    const bool compiles = rung && rung->space && nvrtc_missing().empty();
    TunedProblem problem = problem_for(device, rung, test, mode, compiles, traits_of(info));
    TuneSettings tuner = settings.tuner;
    tuner.work = flops({test.m, test.n, test.k}) * static_cast<double>(test.batch);
    tuner.limit_gflops = limit_of(info, mode);
    tuner.progress = [&](const std::string& step) {
        progress(fmt::format("{} {}: {}", problem.subject, shape_label(test), step));
    };
    Journal journal = journal_for(problem, info, settings.rotate);
    if (settings.fresh) {
        journal.remove();
        journal = journal_for(problem, info, settings.rotate);
    }
    // A compiler takes a core, and a GPU none: the configurations are compiled before.
    std::map<std::string, double> compile_ms;
    const auto compile = [&](const std::vector<TuneCandidate>& candidates) {
        std::vector<TuneCandidate> missing;
        for (const TuneCandidate& each : candidates)
            if (!journal.find(each)) missing.push_back(each);
        compile_ms.merge(
            compile_all(missing, {{kTuneCompiler, "--architecture", architecture_of(info)},
                                  kCompilersShare * tuner.budget,
                                  tuner.step_timeout,
                                  tuner.progress}));
    };
    const auto begin = std::chrono::steady_clock::now();
    compile(problem.space.candidates);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    tuner.budget = std::max(1.0, tuner.budget - spent.count());
    Child child(child_arguments(test, settings));
    const Refine refine = [&](std::span<const Tried> best) {
        std::vector<TuneCandidate> all = refined(*rung, best);
        compile(all);
        return all;
    };
    problem.tuning =
        tune(child, journal, problem.space.candidates, compiles ? refine : Refine(), tuner);
    for (Tried& tried : problem.tuning.tried)
        if (const auto took = compile_ms.find(tried.candidate.name); took != compile_ms.end())
            tried.compile_ms = took->second;
    if (problem.tuning.complete) journal.remove();
    return problem;
}

TunedProblem bound(Device& device, const KernelDefinition* rung, const Case& test, Arithmetic mode,
                   const Gpu& gpu, const Tell& progress) {
    const std::string architecture = gpu.architecture;
    const engine::DeviceTraits traits{
        Target::cpu_counted, gpu.multiprocessors,
        parse_number<int>(architecture.substr(0, architecture.find_first_not_of("0123456789")),
                          "--gpu")};
    TunedProblem problem = problem_for(device, rung, test, mode, false, traits);
    problem.bounds = rank_by_bound(device, problem.space.candidates, test, gpu, progress);
    return problem;
}

std::vector<std::string> remember(const TunedProblem& problem, const DeviceInfo& device,
                                  const MeasureSettings& settings) {
    const Tried* best = problem.tuning.best();
    if (problem.tuning.interrupted)
        return {fmt::format("{} at {} was interrupted: the same command goes on from there",
                            problem.subject, shape_label(problem.test))};
    if (!best) return {};
    if (!settings.rotate)
        return {"--hot: not added to the tuning database, which is for cold operands"};
    const engine::TunedPlace place = engine::tuned_place();
    if (place.path.empty()) return {fmt::format("nothing is kept: {}", place.why)};
    const Timing timing = best->timing();
    const engine::TunedEntry entry{
        .subject = problem.subject,
        .device = tuned_device_of(device),
        .version = engine::kernels_version(),
        .problem = engine::class_of(problem_nowhere(problem.test, problem.mode)),
        .kernel = best->candidate.name,
        .median_us = timing.median_us,
        .spread_us = timing.spread_us,
        .samples = timing.samples,
        .date = date_now()};
    try {
        std::vector<std::string> remarks =
            add_to_database(place.path, {entry}, Merge::newest).remarks;
        remarks.push_back(fmt::format("{} at {}: {} is kept in {}", problem.subject,
                                      shape_label(problem.test), entry.kernel, place.path));
        return remarks;
    } catch (const std::runtime_error& error) {
        return {fmt::format("not kept: {}", error.what())};
    }
}

}  // namespace tilewright::lab
