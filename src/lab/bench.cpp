// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <new>

#include "lab/interrupt.h"
#include "lab/memory.h"
#include "lab/runner.h"
#include "lab/sizes.h"
#include "lab/timer.h"
#include "lab/workload.h"

namespace tilewright::lab {

namespace {

/// Tensor cores multiply FP16 and BF16 twice as fast as TF32, and pieces several times for a product.
double peak_of(Arithmetic arithmetic, const DeviceInfo& device) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            return device.peak_gflops;
        case Arithmetic::tf32:
        case Arithmetic::tf32x3:
            return device.tf32_peak_gflops / products_of(arithmetic);
        case Arithmetic::fp16x3:
        case Arithmetic::bf16x6:
        case Arithmetic::bf16x9:
            return device.tf32_peak_gflops * 2 / products_of(arithmetic);
    }
    return 0;
}

/// The engine has TF32's accuracy from FP16's tensor cores, so that its rate may exceed TF32's peak.
double limit_of(Arithmetic arithmetic, const DeviceInfo& device) {
    return peak_of(arithmetic, device) * (arithmetic == Arithmetic::tf32 ? 2 : 1);
}

constexpr double kLaunchBoundUs = 100;  // shorter calls are timed within a graph
constexpr double kAboveLimit = 1.01;

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
};

class Race {
  public:
    Race(Device& device, const BenchOptions& options) : device_(device), options_(options) {}

    void verify_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                    std::vector<Row>& rows);
    void time_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                  std::vector<Row>& rows);

  private:
    /// Does the step unless the entrant is out, which it is after a failure.
    template <class Step>
    void attempt(Row& row, const char* what, const Step& step);
    void record(Entrant& entrant, Workload& workload);
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
    } catch (const std::exception& error) {
        set_failure(row, Outcome::failed, error.what());
        note_if_lost(row);
    }
}

void Race::verify_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                      std::vector<Row>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
        stopped_ = stopped_ || interrupted();
        if (stopped_ || !lost_.empty()) {
            set_failure(rows[i], Outcome::not_run, stopped_ ? "interrupted" : lost_);
            continue;
        }
        options_.progress(
            fmt::format("verifying {} {}", rows[i].label, shape_label(prepared.test())));
        set_verdict(rows[i], verify(device_, *candidates[i].variant, prepared,
                                    candidates[i].rung->arithmetic));
        if (rows[i].outcome == Outcome::failed) note_if_lost(rows[i]);
    }
}

void Race::time_all(std::span<const Candidate> candidates, const PreparedCase& prepared,
                    std::vector<Row>& rows) {
    Workload workload(device_, prepared, options_.rotate);
    std::deque<Entrant> entrants;  // their timers refer to them: they must not move
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].outcome == Outcome::ok)
            entrants.emplace_back(device_, candidates[i], workload, rows[i], options_.min_seconds);
    for (Entrant& entrant : entrants)
        attempt(entrant.row, "warming up", [&] {
            const double call_us = entrant.timer.warm_up();
            if (call_us >= kLaunchBoundUs) return;
            entrant.runner.use_graph(call_us);
            if (entrant.runner.graph()) entrant.timer.warm_up();
        });
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
    for (Entrant& entrant : entrants) record(entrant, workload);
}

/// The vitals of the middle clock.
std::optional<Vitals> middle(std::vector<Vitals>& seen) {
    if (seen.empty()) return std::nullopt;
    const auto at = seen.begin() + std::ssize(seen) / 2;
    std::nth_element(seen.begin(), at, seen.end(),
                     [](const Vitals& a, const Vitals& b) { return a.sm_mhz < b.sm_mhz; });
    return *at;
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
    const Case& test = row.test;
    const double work = flops({test.m, test.n, test.k}) * static_cast<double>(test.batch);
    if (work == 0 || !(timing.median_us > 0)) return;
    row.gflops = work / timing.median_us * 1e-3;
    const double peak = peak_of(row.arithmetic, device_.info());
    if (peak <= 0) return;
    row.percent_of_peak = *row.gflops / peak * 100;
    const double limit = limit_of(row.arithmetic, device_.info());
    if (*row.gflops > limit * kAboveLimit)
        set_failure(row, Outcome::failed,
                    fmt::format("{:.0f} GFLOP/s would exceed the GPU's peak of {:.0f}: the time "
                                "cannot be right",
                                work / timing.median_us * 1e-3, limit));
}

/// cublasSgemm computes in FP32: a rate in another arithmetic is no per cent of its.
void compare_with_cublas(std::vector<Row>& rows) {
    const auto cublas = std::find_if(rows.begin(), rows.end(),
                                     [](const Row& row) { return row.rung == "k0" && row.gflops; });
    if (cublas == rows.end()) return;
    const double reference = *cublas->gflops;
    for (Row& row : rows)
        if (row.gflops && row.arithmetic == cublas->arithmetic)
            row.percent_of_cublas = *row.gflops / reference * 100;
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
    try {
        const std::string reason = memory_reason(device, test);
        if (!reason.empty()) {
            fail_all(rows, reason);
            return rows;
        }
        options.progress("preparing " + shape_label(test));
        const PreparedCase prepared(test);
        Race race(device, options);
        race.verify_all(candidates, prepared, rows);
        race.time_all(candidates, prepared, rows);
        compare_with_cublas(rows);
    } catch (const std::bad_alloc&) {
        fail_all(rows, "the host's memory does not suffice");
    } catch (const DeviceError& error) {
        fail_all(rows, error.what());
    }
    return rows;
}

}  // namespace tilewright::lab
