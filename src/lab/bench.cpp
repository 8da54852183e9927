// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <new>

#include "lab/interrupt.h"
#include "lab/library_kernel.h"
#include "lab/memory.h"
#include "lab/plausible.h"
#include "lab/power.h"
#include "lab/runner.h"
#include "lab/timer.h"
#include "lab/workload.h"

namespace tilewright::lab {

namespace {

struct Entrant {
    Entrant(Device& device, const Candidate& candidate, Workload& workload, Row& row,
            double min_seconds)
        : row(row),
          runner(device, candidate, workload),
          timer([this](int calls) { return runner.sample(calls); }, min_seconds) {}

    Row& row;
    Runner runner;
    Timer timer;
    std::vector<Vitals> seen;
    std::optional<Power> power;
};

class Race {
  public:
    Race(Device& device, const BenchOptions& options) : device_(device), options_(options) {}

    void verify_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                    std::vector<Row>& rows);
    void run_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                 double min_seconds, std::vector<Row>& rows);

  private:
    using Entrants = std::deque<Entrant>;  // their timers refer to them: they must not move

    /// Does the step unless the entrant is out, which it is after a failure.
    template <class Step>
    void attempt(Row& row, const char* what, const Step& step);
    template <class Verify>
    void verify_each(std::span<const Candidate> candidates, std::vector<Row>& rows,
                     const Verify& verify);
    void warm_up(Entrants& entrants);
    void take_turns(Entrants& entrants);
    void sustain(Entrants& entrants);
    void launch_once(Entrants& entrants);
    void record(Entrant& entrant, Workload& workload);
    void record_power(const Entrant& entrant);
    void note_if_lost(const Row& row);

    Device& device_;
    const BenchOptions& options_;
    std::string lost_;  ///< Why nothing can run on this device any more.
    bool stopped_ = false;
};

/// An illegal access makes each later call fail, whoever makes it: the culprit is named.
void Race::note_if_lost(const Row& row) {
    try {
        device_.synchronise();
    } catch (const DeviceError&) {
        lost_ =
            fmt::format("the GPU accepts no work since {} failed; run again without it", row.label);
    }
}

template <class Step>
void Race::attempt(Row& row, const char* what, const Step& step) {
    if (row.outcome != Outcome::ok || stopped_) return;
    if (!lost_.empty()) return set_failure(row, Outcome::not_run, lost_);
    options_.progress(fmt::format("{} {} {}", what, row.label, shape_label(row.test)));
    try {
        step();
    } catch (const Interrupted&) {
        stopped_ = true;
    } catch (const OutOfMemory& error) {
        set_failure(row, Outcome::not_run, error.what());
    } catch (const std::exception& error) {
        set_failure(row, Outcome::failed, error.what());
        note_if_lost(row);
    }
}

template <class Verify>
void Race::verify_each(std::span<const Candidate> candidates, std::vector<Row>& rows,
                       const Verify& verify) {
    for (size_t i = 0; i < rows.size(); ++i) {
        stopped_ = stopped_ || interrupted();
        if (stopped_ || !lost_.empty()) {
            set_failure(rows[i], Outcome::not_run, stopped_ ? "interrupted" : lost_);
            continue;
        }
        options_.progress(fmt::format("verifying {} {}", rows[i].label, shape_label(rows[i].test)));
        set_verdict(rows[i], verify(candidates[i]));
        if (rows[i].outcome == Outcome::failed) note_if_lost(rows[i]);
        if (rows[i].rung != kLibrary) continue;
        const LibraryChoice choice = library_choice(device_.info().gpu);
        rows[i].kernel = choice.kernel;
        if (!choice.kernel.empty()) rows[i].tuned = choice.tuned;
    }
}

/// Who has changed an input is looked for only if somebody has.
void Race::verify_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                      std::vector<Row>& rows) {
    std::string changed;
    {
        Verifier verifier(device_, prepared);
        verify_each(candidates, rows, [&](const Candidate& candidate) {
            return verifier.run(*candidate.variant, tolerance_of(*candidate.rung, prepared.test()));
        });
        if (lost_.empty()) changed = verifier.changed_inputs();
    }
    if (changed.empty()) return;
    verify_each(candidates, rows, [&](const Candidate& candidate) {
        return verify(device_, *candidate.variant, prepared,
                      tolerance_of(*candidate.rung, prepared.test()));
    });
}

void Race::run_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                   double min_seconds, std::vector<Row>& rows) {
    Workload workload(device_, prepared, options_.rotate);
    Entrants entrants;
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].outcome == Outcome::ok)
            entrants.emplace_back(device_, candidates[i], workload, rows[i], min_seconds);
    if (options_.manner == Manner::profiled) return launch_once(entrants);
    warm_up(entrants);
    if (options_.manner == Manner::sustained)
        sustain(entrants);
    else
        take_turns(entrants);
    for (Entrant& entrant : entrants) record(entrant, workload);
}

void Race::warm_up(Entrants& entrants) {
    for (Entrant& entrant : entrants)
        attempt(entrant.row, "warming up", [&] {
            const double call_us = entrant.timer.warm_up();
            if (call_us >= kLaunchBoundUs) return;
            entrant.runner.use_graph(call_us);
            if (entrant.runner.graph()) entrant.timer.warm_up();
        });
}

void Race::take_turns(Entrants& entrants) {
    const auto running = [&](const Entrant& entrant) {
        return entrant.row.outcome == Outcome::ok && !stopped_ && !entrant.timer.done();
    };
    while (std::any_of(entrants.begin(), entrants.end(), running))
        for (Entrant& entrant : entrants)
            if (running(entrant))
                attempt(entrant.row, "timing", [&] {
                    entrant.timer.turn(entrants.size() > 1);
                    if (auto vitals = device_.vitals()) entrant.seen.push_back(std::move(*vitals));
                });
}

void Race::sustain(Entrants& entrants) {
    for (Entrant& entrant : entrants)
        attempt(entrant.row, "sustaining", [&] {
            std::optional<PowerWatch> watch;
            entrant.timer.sustain([&] { watch.emplace(device_); });
            entrant.power = watch->stop();
        });
}

void Race::launch_once(Entrants& entrants) {
    for (Entrant& entrant : entrants)
        attempt(entrant.row, "profiling", [&] { entrant.runner.profile(); });
    for (Entrant& entrant : entrants)
        if (entrant.row.outcome == Outcome::ok && stopped_)
            set_failure(entrant.row, Outcome::not_run, "interrupted");
}

/// The vitals of the middle clock.
std::optional<Vitals> middle(const std::vector<Vitals>& seen) {
    if (seen.empty()) return std::nullopt;
    std::vector<const Vitals*> sorted;
    for (const Vitals& each : seen) sorted.push_back(&each);
    const auto at = sorted.begin() + std::ssize(sorted) / 2;
    std::nth_element(sorted.begin(), at, sorted.end(),
                     [](const Vitals* a, const Vitals* b) { return a->sm_mhz < b->sm_mhz; });
    return **at;
}

void Race::record(Entrant& entrant, Workload& workload) {
    Row& row = entrant.row;
    if (row.outcome != Outcome::ok) return;
    const Timing timing = entrant.timer.timing();
    if (stopped_ && !entrant.timer.done()) return set_failure(row, Outcome::not_run, "interrupted");
    stopped_ = false;  // what was measured in full is also checked, and kept
    attempt(row, "checking", [&] {
        if (!entrant.runner.still_right())
            set_failure(row, Outcome::wrong, "right at first, wrong after it was timed");
    });
    stopped_ = interrupted();
    if (row.outcome != Outcome::ok) return;
    row.samples = timing.samples;
    row.median_us = timing.median_us;
    row.min_us = timing.min_us;
    row.spread_us = timing.spread_us;
    row.cold = workload.cold();
    row.graph = entrant.runner.graph();
    row.vitals = middle(entrant.seen);
    row.sustained = options_.manner == Manner::sustained;
    const Case& test = row.test;
    const double work = work_of(test);
    if (work > 0 && timing.median_us > 0) {
        row.gflops = work / timing.median_us * 1e-3;
        if (const double peak = peak_of(row.arithmetic, device_.info()); peak > 0)
            row.percent_of_peak = *row.gflops / peak * 100;
    }
    record_power(entrant);
    const std::string fault =
        implausible(test, row.arithmetic, workload.sets(), timing.median_us, device_.info());
    if (!fault.empty()) set_failure(row, Outcome::failed, fault);
}

void Race::record_power(const Entrant& entrant) {
    if (!entrant.power) return;
    Row& row = entrant.row;
    row.vitals = entrant.power->vitals;
    const auto calls = static_cast<double>(entrant.timer.calls_measured());
    if (!(entrant.power->joules > 0)) return;
    row.joules = entrant.power->joules / calls;
    if (row.gflops) row.gflops_per_watt = *row.gflops * *row.median_us * 1e-6 / *row.joules;
}

void fail_all(std::vector<Row>& rows, const std::string& reason) {
    for (Row& row : rows)
        if (row.outcome == Outcome::ok || row.outcome == Outcome::not_run)
            set_failure(row, Outcome::not_run, reason);
}

}  // namespace

std::vector<Row> bench(Device& device, std::span<const Candidate> candidates, const Case& test,
                       const BenchOptions& options) {
    std::vector<Row> rows;
    for (const Candidate& candidate : candidates) rows.push_back(row_for(candidate, test));
    double min_seconds = options.min_seconds;
    try {
        const std::string reason = memory_reason(device, test);
        if (reason.empty()) {
            if (options.budget) options.budget->begin(test);
            options.progress("preparing " + shape_label(test));
            const PreparedCase prepared(test);
            Race race(device, options);
            race.verify_all(candidates, prepared, rows);
            if (options.budget) min_seconds = options.budget->min_seconds();
            race.run_all(candidates, prepared, min_seconds, rows);
            options.opponents.compare(candidates, rows);
        } else {
            fail_all(rows, reason);
        }
    } catch (const std::bad_alloc&) {
        fail_all(rows, "the host's memory does not suffice");
    } catch (const DeviceError& error) {
        fail_all(rows, error.what());
    }
    if (options.command)
        for (Row& row : rows) row.command = options.command(row, min_seconds);
    return rows;
}

}  // namespace tilewright::lab
