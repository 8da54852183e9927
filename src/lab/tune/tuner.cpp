// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "lab/interrupt.h"
#include "lab/timer.h"

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
constexpr const char* kTimeIsUp = "the time was up";
constexpr double kShareOfAll = 0.7;  // of the budget, for the stage in which all are tried
constexpr int kStarts = 4;  // of a child, which may lack memory for a moment

/// Nothing more can be tried; what was in progress has no result.
struct Stopped {
    std::string reason;
};

class Run {
  public:
    Run(Child& child, Journal& journal, const TuneSettings& settings)
        : child_(child), journal_(journal), settings_(settings) {}

    void try_all(const std::vector<TuneCandidate>& candidates);
    void try_finer(const Refine& refine);
    void repeat(const Stage& stage, int number);
    void check_best();
    void sort();

    Tuning result;

  private:
    double seconds_left(double share = 1) const {
        const std::chrono::duration<double> spent = Clock::now() - begin_;
        return settings_.budget * share - spent.count();
    }
    double seconds_to_try() const { return seconds_left(kShareOfAll); }
    void start_child();
    Json ask(const Tried& tried, Json question);
    /// False when the outcome is not ok: then it is set, with its reason.
    bool step(Tried& tried, const Json& question, Json& answer);
    bool time(Tried& tried, double seconds, std::vector<double>& samples);
    void try_one(Tried& tried);
    void fail(Tried& tried, Outcome outcome, const std::string& reason);
    /// Seconds of a stage that measures so many candidates, by its settings.
    double expected(const Stage& stage, int number, size_t candidates) const;
    /// Each of those that are left takes so many seconds, and what comes after them `then`.
    void tell(const char* what, const Tried& tried, size_t done, size_t all, double each,
              double then);
    /// Calls f(); false where that, or something before it, was the end.
    template <class Function>
    bool goes_on(const Function& f);
    std::vector<Tried*> best_for(const Stage& stage);
    /// To the journal, which an interrupted run has written when the stage had ended.
    bool is_known(std::span<Tried* const> again, int number) const;

    Child& child_;
    Journal& journal_;
    const TuneSettings& settings_;
    Clock::time_point begin_ = Clock::now();
    std::string stopped_;  ///< Why nothing more is tried for now.
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
    if (stopped_.empty()) return true;
    result.complete = false;
    if (result.stopped.empty()) result.stopped = stopped_;
    return false;
}

void Run::start_child() {
    double pause = settings_.start_pause;
    const auto first = Clock::now();
    for (int i = 1;; ++i) {
        try {
            return child_.start(std::min(settings_.start_timeout, std::max(1.0, seconds_left())));
        } catch (const Interrupted&) {
            throw;
        } catch (const std::runtime_error& error) {
            if (seconds_left() <= 0) throw Stopped{kTimeIsUp};
            // One that hangs is not waited for several times.
            const std::chrono::duration<double> spent = Clock::now() - first;
            if (i == kStarts || spent.count() >= settings_.start_timeout)
                throw Stopped{error.what()};
        }
        const auto end = Clock::now() + std::chrono::duration<double>(pause);
        while (Clock::now() < end) {
            if (interrupted()) throw Interrupted();
            if (seconds_left() <= 0) throw Stopped{kTimeIsUp};
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        pause *= 2;
    }
}

Json Run::ask(const Tried& tried, Json question) {
    if (seconds_left() <= 0) throw Stopped{kTimeIsUp};
    start_child();
    question["candidate"] = json_of(tried.candidate);
    Child::Reply reply =
        child_.ask(question, std::min(settings_.step_timeout, std::max(0.0, seconds_left())));
    if (!reply.answer && seconds_left() <= 0) throw Stopped{kTimeIsUp};
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
    const std::string fault =
        us > 0 ? settings_.implausible(us, answer.value("sets", 1)) : "it took no time";
    if (!fault.empty()) fail(tried, Outcome::failed, fault);
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

double Run::expected(const Stage& stage, int number, size_t candidates) const {
    return static_cast<double>(stage.rounds) *
           static_cast<double>(std::min(stage.most, candidates)) *
           Timer::expected_seconds(settings_.seconds[number], false);
}

void Run::tell(const char* what, const Tried& tried, size_t done, size_t all, double each,
               double then) {
    std::string text = fmt::format("{} {} of {}: {}", what, done + 1, all, tried.candidate.name);
    const auto best = std::min_element(result.tried.begin(), result.tried.end(), is_better);
    if (best != result.tried.end() && best->ok() && settings_.work > 0)
        text += fmt::format("; best {} {:.0f} GFLOP/s", best->candidate.name,
                            settings_.work / best->timing().median_us * 1e-3);
    const double left = std::min(each * static_cast<double>(all - done) + then, seconds_left());
    if (std::isfinite(left)) text += fmt::format("; {:.0f} s left", std::max(0.0, left));
    settings_.progress(text);
}

void Run::try_all(const std::vector<TuneCandidate>& candidates) {
    const double then =
        expected(kAgain, 1, candidates.size()) + expected(kFinal, 2, candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
        Tried tried{.candidate = candidates[i]};
        if (const Tried* known = journal_.find(candidates[i])) {
            result.tried.push_back(*known);
            continue;
        }
        const bool done = goes_on([&] {
            if (seconds_to_try() <= 0) throw Stopped{kTimeIsUp};
            tell("trying", tried, i, candidates.size(),
                 tried_count_ > 0 ? tried_seconds_ / static_cast<double>(tried_count_) : INFINITY,
                 then);
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
    if (stopped_ == kTimeIsUp) stopped_.clear();  // there is some for the best
}

void Run::try_finer(const Refine& refine) {
    sort();
    std::vector<TuneCandidate> finer;
    goes_on([&] {
        if (seconds_to_try() <= 0) throw Stopped{kTimeIsUp};
        finer = refine(result.tried, seconds_to_try());
        if (interrupted()) throw Interrupted();
    });
    try_all(finer);
}

std::vector<Tried*> Run::best_for(const Stage& stage) {
    sort();
    std::vector<Tried*> best;
    for (Tried& tried : result.tried)
        if (tried.ok() && best.size() < stage.most &&
            (best.empty() || is_near(tried, *best[0], stage.factor)))
            best.push_back(&tried);
    return best;
}

bool Run::is_known(std::span<Tried* const> again, int number) const {
    return std::all_of(again.begin(), again.end(), [&](const Tried* tried) {
        return journal_.find(tried->candidate, number) != nullptr;
    });
}

void Run::repeat(const Stage& stage, int number) {
    const std::vector<Tried*> again = best_for(stage);
    if (is_known(again, number)) {
        for (Tried* tried : again) *tried = Tried(*journal_.find(tried->candidate, number));
        return sort();
    }
    // Of whole rounds alone: then all have as many samples, of the same minutes.
    std::vector<std::vector<double>> samples(again.size());
    bool whole = true;
    for (int round = 0; round < stage.rounds && whole; ++round) {
        std::vector<std::vector<double>> these = samples;
        whole = goes_on([&] {
            for (size_t i = 0; i < again.size(); ++i) {
                if (again[i]->outcome != Outcome::ok) continue;
                tell(number == 1 ? "once more" : "the best again", *again[i],
                     static_cast<size_t>(round) * again.size() + i,
                     static_cast<size_t>(stage.rounds) * again.size(),
                     Timer::expected_seconds(settings_.seconds[number], false),
                     number == 1 ? expected(kFinal, 2, again.size()) : 0);
                time(*again[i], settings_.seconds[number], these[i]);
            }
        });
        if (whole) samples = std::move(these);
    }
    for (size_t i = 0; i < again.size(); ++i) {
        if (again[i]->outcome != Outcome::ok || samples[i].empty()) continue;
        again[i]->enter(number, std::move(samples[i]));
        if (whole) journal_.add(*again[i]);
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
    // Near the best of some there is little to find, and the time is for measuring those again.
    if (refine && run.result.complete) run.try_finer(refine);
    run.repeat(kAgain, 1);
    run.repeat(kFinal, 2);
    run.check_best();
    child.stop();
    Tuning& result = run.result;
    if (const Tried* best = result.best())
        for (Tried& tried : result.tried)
            tried.tied = &tried != best && tried.ok() && are_tied(tried, *best);
    return std::move(result);
}

}  // namespace tilewright::lab
