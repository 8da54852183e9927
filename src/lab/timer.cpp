// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/timer.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lab {

namespace {

constexpr double kBatchUs = 3e3;  // against it the time to record an event is nothing
constexpr double kWarmUpBatchUs = 10e3;
constexpr double kLeastWarmUpUs = 50e3, kMostWarmUpUs = 1e6;
constexpr double kSettled = 0.02;  // relative change from one warm-up batch to the next
constexpr double kOwnWorkUs = 40e3;  // what clocks need to follow a change of power draw
constexpr double kDrawsPowerUs = 100;  // shorter calls leave the GPU idle for most of the time
constexpr double kTurns = 5, kFewTurns = 3;
constexpr double kShortUs = 100e3;  // measured in all: more turns would be spent before them
constexpr double kSettleUs = 1e6;  // a power limit is found in less
constexpr double kSustainedBatchUs = 50e3;  // the host's part between two is nothing
constexpr size_t kLeastSamples = 3, kMostSamplesPerTurn = 2000, kMostSamples = 10000;
constexpr double kMostCalls = 1e6;

}  // namespace

double quantile(const std::vector<double>& sorted, double part) {
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Timing summarise(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    return {.samples = static_cast<int>(samples.size()),
            .median_us = quantile(samples, 0.5),
            .min_us = samples.front(),
            .spread_us = quantile(samples, 0.75) - quantile(samples, 0.25)};
}

Timer::Timer(Sampler sampler, double min_seconds)
    : sampler_(std::move(sampler)), min_us_(min_seconds * 1e6) {}

Batch Timer::run(double microseconds) {
    const double calls = std::clamp(microseconds / call_us_, 1.0, kMostCalls);
    const Batch batch = sampler_(static_cast<int>(calls));
    call_us_ = std::max(batch.microseconds / batch.calls, 1e-3);
    return batch;
}

double Timer::turns() const {
    return min_us_ < kShortUs ? kFewTurns : kTurns;
}

double Timer::expected_seconds(double min_seconds, bool draws_power) {
    const Timer timer({}, min_seconds);
    const double warm_up = std::min(kLeastWarmUpUs, timer.min_us_);
    const double before =
        draws_power ? timer.turns() * std::min(kOwnWorkUs, timer.min_us_) : warm_up;
    return 1e-6 * (warm_up + before + timer.min_us_);
}

double Timer::take_sample(double microseconds) {
    const Batch batch = run(microseconds);
    samples_.push_back(batch.microseconds / batch.calls);
    calls_measured_ += batch.calls;
    return batch.microseconds;
}

void Timer::sustain(const std::function<void()>& measuring) {
    for (double spent = 0; spent < kSettleUs;) spent += run(kSustainedBatchUs).microseconds;
    measuring();
    do measured_us_ += take_sample(kSustainedBatchUs);
    while (!done());
}

double Timer::warm_up() {
    // Modules are loaded at the first call: it tells nothing.
    call_us_ = kMostCalls;
    run(0);
    const double least = std::min(kLeastWarmUpUs, min_us_);
    const double most = std::min(kMostWarmUpUs, 4 * min_us_);
    double spent = 0;
    int settled = 0;
    do {
        const double before = call_us_;
        spent += run(kWarmUpBatchUs).microseconds;
        settled = std::abs(call_us_ - before) <= kSettled * before ? settled + 1 : 0;
    } while (spent < least || (settled < 2 && spent < most));
    return call_us_;
}

void Timer::turn(bool among_others) {
    if (among_others && call_us_ >= kDrawsPowerUs && call_us_ < kOwnWorkUs)
        run(std::min(kOwnWorkUs, min_us_));
    double spent = 0;
    size_t taken = 0;
    do {
        spent += take_sample(kBatchUs);
        ++taken;
    } while (spent < min_us_ / turns() && taken < kMostSamplesPerTurn);
    measured_us_ += spent;
}

bool Timer::done() const {
    return samples_.size() >= kMostSamples ||
           (samples_.size() >= kLeastSamples && measured_us_ >= min_us_);
}

}  // namespace tilewright::lab
