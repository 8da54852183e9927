// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "lab/interrupt.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Of a stage: how many rounds, how many candidates at most, and how much slower than the best.
struct Stage {
    int rounds;
    size_t most;
    double factor;
};
constexpr Stage kAgain{3, 12, 1.25}, kFinal{5, 6, 1.05};
constexpr double kShareOfAll = 0.7;  // of the budget, for the stage in which all are tried
constexpr double kAboveLimit = 1.01;

/// Nothing more can be tried; what was in progress has no result.
struct Stopped {
    std::string reason;
};

class Run {
  public:
    Run(Child& child, Journal& journal, const TuneSettings& settings)
        : child_(child), journal_(journal), settings_(settings) {}

    void try_all(const std::vector<TuneCandidate>& candidates);
    void repeat(const Stage& stage, int number);
    void check_best();
    void sort();

    Tuning result;

  private:
    double seconds_left(double share = 1) const {
        const std::chrono::duration<double> spent = Clock::now() - begin_;
        return settings_.budget * share - spent.count();
    }
    Json ask(const Tried& tried, Json question);
    /// False when the outcome is not ok: then it is set, with its reason.
    bool step(Tried& tried, const Json& question, Json& answer);
    bool time(Tried& tried, double seconds, std::vector<double>& samples);
    void try_one(Tried& tried);
    void fail(Tried& tried, Outcome outcome, const std::string& reason);
    void tell(const char* what, const Tried& tried, size_t done, size_t all);
    /// Calls f(); false where that, or something before it, was the end.
    template <class Function>
    bool goes_on(const Function& f);

    Child& child_;
    Journal& journal_;
    const TuneSettings& settings_;
    Clock::time_point begin_ = Clock::now();
    std::string stopped_;  ///< Why nothing more is tried.
    double tried_seconds_ = 0;  ///< What trying has taken so far.
    size_t tried_count_ = 0;
};

bool is_better(const Tried& a, const Tried& b) {
    if (a.ok() != b.ok()) return a.ok();
    if (!a.ok()) return false;
    if (a.stage != b.stage) return a.stage > b.stage;
    return a.timing().median_us < b.timing().median_us;
}

/// Or as good as the best, as far as noise lets see.
bool is_near(const Tried& tried, const Tried& best, double factor) {
    return tried.stage == best.stage &&
           (tried.timing().median_us <= factor * best.timing().median_us ||
            interval_of(tried.samples).overlaps(interval_of(best.samples)));
}

void Run::sort() {
    std::stable_sort(result.tried.begin(), result.tried.end(), is_better);
}

void Run::fail(Tried& tried, Outcome outcome, const std::string& reason) {
    tried.outcome = outcome;
    tried.reason = reason;
    tried.samples.clear();
    // A device that it has spoilt must not be the next one's.
    if (outcome != Outcome::not_run) child_.stop();
}

template <class Function>
bool Run::goes_on(const Function& f) {
    if (!stopped_.empty()) return false;
    try {
        f();
    } catch (const Interrupted&) {
        result.interrupted = true;
        stopped_ = "interrupted";
    } catch (const Stopped& end) {
        stopped_ = end.reason;
    }
    result.complete = result.complete && stopped_.empty();
    return stopped_.empty();
}

Json Run::ask(const Tried& tried, Json question) {
    const Stopped time_is_up{"the time was up"};
    if (seconds_left() <= 0) throw time_is_up;
    try {
        child_.start(std::min(settings_.start_timeout, std::max(1.0, seconds_left())));
    } catch (const Interrupted&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw seconds_left() <= 0 ? time_is_up : Stopped{error.what()};
    }
    question["candidate"] = json_of(tried.candidate);
    Child::Reply reply =
        child_.ask(question, std::min(settings_.step_timeout, std::max(0.0, seconds_left())));
    if (!reply.answer && seconds_left() <= 0) throw time_is_up;
    if (reply.answer) return std::move(*reply.answer);
    return {{"outcome", name_of(Outcome::failed)}, {"reason", reply.reason}};
}

bool Run::step(Tried& tried, const Json& question, Json& answer) {
    answer = ask(tried, question);
    const std::string outcome = answer.value("outcome", "");
    if (const double ms = answer.value("compile_ms", 0.0); ms > 0) tried.compile_ms = ms;
    if (outcome == name_of(Outcome::ok)) {
        tried.outcome = Outcome::ok;
        return true;
    }
    fail(tried,
         outcome == name_of(Outcome::wrong)     ? Outcome::wrong
         : outcome == name_of(Outcome::not_run) ? Outcome::not_run
                                                : Outcome::failed,
         answer.value("reason", "it has no reason"));
    return false;
}

bool Run::time(Tried& tried, double seconds, std::vector<double>& samples) {
    Json answer;
    if (!step(tried, {{"do", "time"}, {"seconds", seconds}}, answer)) return false;
    for (const Json& each : answer["samples"])
        if (each.is_number()) samples.push_back(each);
    tried.cold = answer.value("cold", false), tried.graph = answer.value("graph", false);
    const double us = summarise(samples).median_us;
    const double gflops = us > 0 ? settings_.work / us * 1e-3 : 0;
    if (!(us > 0))
        fail(tried, Outcome::failed, "it took no time");
    else if (settings_.limit_gflops > 0 && gflops > settings_.limit_gflops * kAboveLimit)
        fail(tried, Outcome::failed,
             fmt::format("{:.0f} GFLOP/s would exceed the peak of {:.0f}: the time cannot be right",
                         gflops, settings_.limit_gflops));
    return tried.outcome == Outcome::ok;
}

void Run::try_one(Tried& tried) {
    Json answer;
    std::vector<double> samples;
    if (!step(tried, {{"do", "verify"}, {"changed", false}}, answer)) return;
    if (!time(tried, settings_.seconds[0], samples)) return;
    if (!step(tried, {{"do", "verify"}, {"changed", true}}, answer)) {
        tried.reason = "right at first, not after it was timed: " + tried.reason;
        return;
    }
    tried.samples = std::move(samples);
}

void Run::tell(const char* what, const Tried& tried, size_t done, size_t all) {
    std::string text = fmt::format("{} {} of {}: {}", what, done + 1, all, tried.candidate.name);
    const auto best = std::min_element(result.tried.begin(), result.tried.end(), is_better);
    if (best != result.tried.end() && best->ok() && settings_.work > 0)
        text += fmt::format("; best {} {:.0f} GFLOP/s", best->candidate.name,
                            settings_.work / best->timing().median_us * 1e-3);
    // The stages that follow take about as long as ten candidates do.
    double left = tried_count_ > 0 ? tried_seconds_ / static_cast<double>(tried_count_) *
                                         static_cast<double>(all - done + 10)
                                   : INFINITY;
    left = std::min(left, seconds_left());
    if (std::isfinite(left)) text += fmt::format("; {:.0f} s left", std::max(0.0, left));
    settings_.progress(text);
}

void Run::try_all(const std::vector<TuneCandidate>& candidates) {
    for (size_t i = 0; i < candidates.size(); ++i) {
        Tried tried{.candidate = candidates[i]};
        if (const Tried* known = journal_.find(candidates[i])) {
            result.tried.push_back(*known);
            continue;
        }
        const bool done = goes_on([&] {
            if (seconds_left(kShareOfAll) <= 0) throw Stopped{"the time was up"};
            tell("trying", tried, i, candidates.size());
            const auto begin = Clock::now();
            try_one(tried);
            journal_.add(tried);
            const std::chrono::duration<double> took = Clock::now() - begin;
            tried_seconds_ += took.count();
            ++tried_count_;
        });
        if (!done) fail(tried, Outcome::not_run, stopped_);
        result.tried.push_back(std::move(tried));
    }
    if (stopped_ == "the time was up") stopped_.clear();  // there is some for the best
}

void Run::repeat(const Stage& stage, int number) {
    sort();
    std::vector<Tried*> again;
    for (Tried& tried : result.tried)
        if (tried.ok() && again.size() < stage.most &&
            (again.empty() || is_near(tried, *again[0], stage.factor)))
            again.push_back(&tried);
    // Of whole rounds alone: then all have as many samples, of the same minutes.
    std::vector<std::vector<double>> samples(again.size());
    for (int round = 0; round < stage.rounds; ++round) {
        std::vector<std::vector<double>> these = samples;
        const bool whole = goes_on([&] {
            for (size_t i = 0; i < again.size(); ++i) {
                if (again[i]->outcome != Outcome::ok) continue;
                tell(number == 1 ? "once more" : "the best again", *again[i],
                     static_cast<size_t>(round) * again.size() + i,
                     static_cast<size_t>(stage.rounds) * again.size());
                time(*again[i], settings_.seconds[number], these[i]);
            }
        });
        if (!whole) break;
        samples = std::move(these);
    }
    for (size_t i = 0; i < again.size(); ++i) {
        if (again[i]->outcome != Outcome::ok || samples[i].empty()) continue;
        again[i]->samples = std::move(samples[i]);
        again[i]->stage = number;
    }
    sort();
}

void Run::check_best() {
    for (Tried& tried : result.tried) {
        if (!tried.ok() || tried.stage == 0) continue;
        goes_on([&] {
            Json answer;
            if (!step(tried, {{"do", "verify"}, {"changed", true}}, answer))
                tried.reason = "right at first, not after it was timed: " + tried.reason;
        });
    }
    sort();
}

}  // namespace

Tuning tune(Child& child, Journal& journal, std::vector<TuneCandidate> candidates,
            const Refine& refine, const TuneSettings& settings) {
    Run run(child, journal, settings);
    run.try_all(candidates);
    if (refine) {
        run.sort();
        run.try_all(refine(run.result.tried));
    }
    run.repeat(kAgain, 1);
    run.repeat(kFinal, 2);
    run.check_best();
    child.stop();
    Tuning& result = run.result;
    if (const Tried* best = result.best())
        for (Tried& tried : result.tried)
            tried.tied = &tried != best && tried.ok() && tried.stage == best->stage &&
                         interval_of(tried.samples).overlaps(interval_of(best->samples));
    return std::move(result);
}

}  // namespace tilewright::lab
