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
#include "lab/interrupt.h"
#include "lab/memory.h"
#include "lab/plausible.h"
#include "lab/results.h"
#include "lab/text.h"
#include "lab/tune/compile_pool.h"
#include "lab/tune/context.h"
#include "lab/tune/database.h"
#include "lab/tune/nvrtc.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

/// So many of the best are varied in their fine sizes.
constexpr size_t kRefined = 4;
constexpr double kCompilersShare = 0.3;  // of the budget

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

TunedProblem problem_for(const KernelDefinition* rung, const Case& test, Arithmetic mode,
                         bool compiles, const engine::DeviceTraits& traits) {
    TunedProblem problem{.subject = rung ? rung->id : engine::kEngine, .test = test, .mode = mode};
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

/// Compiles before anything is measured: a compiler takes a core, and a GPU none.
class Compiler {
  public:
    Compiler(const Journal& journal, const DeviceInfo& device, const TuneSettings& settings)
        : journal_(journal), architecture_(architecture_of(device)), settings_(settings) {}

    /// Takes out what cannot be compiled.
    void compile(std::vector<TuneCandidate>& candidates, double seconds) {
        std::vector<TuneCandidate> missing;
        for (const TuneCandidate& each : candidates)
            if (!journal_.find(each)) missing.push_back(each);
        const auto results = compile_all(missing, {{kTuneCompiler, "--architecture", architecture_},
                                                   seconds,
                                                   settings_.step_timeout,
                                                   settings_.progress});
        std::erase_if(candidates, [&](const TuneCandidate& each) {
            const auto result = results.find(each.name);
            if (result == results.end()) return false;
            compile_ms_[each.name] = result->second.compile_ms;
            const std::string& failure = result->second.failure;
            if (!failure.empty())
                failed_.push_back(
                    {.candidate = each, .outcome = Outcome::failed, .reason = failure});
            return !failure.empty();
        });
    }
    /// Adds what it knows to what was measured.
    void complete(std::vector<Tried>& all) const {
        all.insert(all.end(), failed_.begin(), failed_.end());
        for (Tried& tried : all)
            if (const auto took = compile_ms_.find(tried.candidate.name);
                took != compile_ms_.end() && took->second > 0)
                tried.compile_ms = took->second;
    }

  private:
    const Journal& journal_;
    const std::string architecture_;
    const TuneSettings& settings_;
    std::vector<Tried> failed_;
    std::map<std::string, double> compile_ms_;
};

/// Why an entry would be taken for other problems than the one that was measured; "" where it would
/// not.
std::string not_kept(const Case& test) {
    std::vector<std::string> what;
    if (test.beta != 0) what.emplace_back("beta");
    if (test.slack_a || test.slack_b || test.slack_c) what.emplace_back("leading dimensions");
    if (test.gap_a || test.gap_b || test.gap_c) what.emplace_back("strides");
    if (test.device_scalars) what.emplace_back("scalars of the device");
    return what.empty() ? "" : "the tuning database has no place for " + join(what, ", ");
}

}  // namespace

MeasureSettings measure_settings_of(const Options& o) {
    MeasureSettings settings;
    if (!o.budget.empty()) settings.tuner.budget = parse_seconds(o.budget, "--budget");
    settings.tuner.step_timeout = parse_seconds(o.timeout, "--timeout");
    settings.rotate = !o.hot;
    settings.fresh = o.fresh;
    settings.device = device_of(o);
    return settings;
}

TunedProblem measure(Device& device, const KernelDefinition* rung, const Case& test,
                     Arithmetic mode, const MeasureSettings& settings, const Tell& progress) {
    const DeviceInfo& info = device.info();
    const bool compiles = rung && rung->space && nvrtc_missing().empty();
    TunedProblem problem =
        problem_for(rung, test, mode, compiles, traits_of(tuned_device_of(info)));
    problem.measured = true;
    Journal journal = journal_for(problem, info, settings.rotate);
    if (settings.fresh) {
        journal.remove();
        journal = journal_for(problem, info, settings.rotate);
    }
    if (const std::vector<Tried>* all = journal.finished()) {
        problem.tuning.tried = *all;
        return problem;
    }
    TuneSettings tuner = settings.tuner;
    tuner.work = work_of(test);
    tuner.implausible = [&](double microseconds, int sets) {
        return implausible(test, mode, sets, microseconds, info);
    };
    tuner.progress = [&](const std::string& step) {
        progress(fmt::format("{} {}: {}", problem.subject, shape_label(test), step));
    };
    const auto begin = std::chrono::steady_clock::now();
    Compiler compiler(journal, info, tuner);
    std::vector<TuneCandidate> candidates = problem.space.candidates;
    if (compiles) compiler.compile(candidates, kCompilersShare * tuner.budget);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    tuner.budget = std::max(1.0, tuner.budget - spent.count());
    Child child(child_arguments(test, settings));
    const Refine refine = [&](std::span<const Tried> best, double seconds) {
        std::vector<TuneCandidate> all = refined(*rung, best);
        compiler.compile(all, std::min(seconds, kCompilersShare * tuner.budget));
        return all;
    };
    problem.tuning = tune(child, journal, candidates, compiles ? refine : Refine(), tuner);
    compiler.complete(problem.tuning.tried);
    if (problem.tuning.complete) journal.finish(problem.tuning.tried);
    problem.not_resumable = journal.failure();
    return problem;
}

TunedProblem bound(Device& device, const KernelDefinition* rung, const Case& test, Arithmetic mode,
                   const Gpu& gpu, const Tell& progress) {
    const std::string architecture = gpu.architecture;
    const engine::DeviceTraits traits = traits_of(
        {gpu.name, gpu.multiprocessors,
         parse_number<int>(architecture.substr(0, architecture.find_first_not_of("0123456789")),
                           "--gpu")});
    TunedProblem problem = problem_for(rung, test, mode, false, traits);
    problem.bounds = rank_by_bound(device, problem.space.candidates, test, gpu, progress);
    return problem;
}

Remembered remember(const TunedProblem& problem, const DeviceInfo& device,
                    const MeasureSettings& settings) {
    const auto told = [&](const std::string& sentence, bool done) {
        return Remembered{
            {fmt::format("{} at {}: {}", problem.subject, shape_label(problem.test), sentence)},
            done};
    };
    const Tuning& tuning = problem.tuning;
    const Tried* best = tuning.best();
    if (tuning.interrupted)
        return told(problem.not_resumable.empty()
                        ? "interrupted; the same command goes on from there"
                        : "interrupted; what was measured is lost: " + problem.not_resumable,
                    false);
    if (!best) return {{}, tuning.complete};
    if (!settings.rotate)
        return told("not kept: the tuning database is for cold operands, not --hot",
                    tuning.complete);
    if (const std::string why = not_kept(problem.test); !why.empty())
        return told("not kept: " + why, tuning.complete);
    const engine::TunedPlace place = engine::tuned_place();
    if (place.path.empty()) return told("not kept: " + place.why, tuning.complete);
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
        const Written written =
            add_to_database(place.path, {entry}, tuning.complete ? Merge::given : Merge::first);
        const bool kept = tuning.complete || written.added > 0;
        Remembered result =
            told(kept ? fmt::format("{} is kept in {}", entry.kernel, place.path)
                      : fmt::format("not kept: {} has an entry already, and this run was cut short",
                                    place.path),
                 tuning.complete);
        result.remarks.insert(result.remarks.begin(), written.remarks.begin(),
                              written.remarks.end());
        return result;
    } catch (const std::runtime_error& error) {
        return told(fmt::format("not kept: {}", error.what()), false);
    }
}

Measured measure_all(Device& device, const KernelDefinition* rung, std::span<const Case> cases,
                     Arithmetic mode, const MeasureSettings& settings, const Tell& progress) {
    Measured all{.problems = {}, .remarks = {}, .done = true};
    if (const engine::TunedPlace place = engine::tuned_place(); !place.path.empty())
        remove_stale_journals(place.path);
    for (const Case& test : cases) {
        if (interrupted()) {
            all.done = false;
            break;
        }
        const std::string reason = memory_reason(device, test);
        all.problems.push_back(reason.empty()
                                   ? measure(device, rung, test, mode, settings, progress)
                                   : TunedProblem{.subject = rung ? rung->id : engine::kEngine,
                                                  .test = test,
                                                  .mode = mode,
                                                  .reason = reason,
                                                  .measured = true});
        Remembered remembered = remember(all.problems.back(), device.info(), settings);
        const TunedProblem& problem = all.problems.back();
        if (!problem.tuning.interrupted && !problem.tuning.complete &&
            !problem.not_resumable.empty())
            remembered.remarks.push_back("the same command will not go on from there: " +
                                         problem.not_resumable);
        all.done = all.done && remembered.done;
        for (std::string& remark : remembered.remarks) all.remarks.push_back(std::move(remark));
    }
    return all;
}

void forget_journals(std::span<const TunedProblem> problems, const DeviceInfo& device,
                     const MeasureSettings& settings) {
    for (const TunedProblem& problem : problems)
        journal_for(problem, device, settings.rotate).remove();
}

}  // namespace tilewright::lab
