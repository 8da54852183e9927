// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How often to measure, and what to make of it. Knows no device and no kernel.
#pragma once

#include <functional>
#include <vector>

namespace tilewright::lab {

/// Calls that were made back to back, and the time of all together.
struct Batch {
    double microseconds = 0;
    int calls = 1;
};

/// Shorter calls are timed within a graph: else their launch would be what is measured.
inline constexpr double kLaunchBoundUs = 100;

/// Makes about so many calls and takes their time; may make fewer or more.
using Sampler = std::function<Batch(int calls)>;

struct Timing {
    int samples = 0;
    double median_us = 0, min_us = 0;
    double spread_us = 0;  ///< Between the first and the third quartile.
};

/// Between neighbours, as most statistics programs do: a quarter of the samples lies below 0.25.
double quantile(const std::vector<double>& sorted, double part);

/// Of the times of a call.
Timing summarise(std::vector<double> samples);

/// Measures one thing, in turns with others. Repetitions follow from time: each sample is as many
/// calls as fill some milliseconds, and samples are taken until `min_seconds` are measured.
class Timer {
  public:
    Timer(Sampler sampler, double min_seconds);

    /// What a kernel of short calls takes altogether, about, before it has run: warming up in and
    /// outside a graph, turns and what precedes them. `draws_power` for calls above 100 us.
    static double expected_seconds(double min_seconds, bool draws_power);

    /// Calls until the time of a call has settled: modules are loaded, clocks have risen. Returns
    /// the microseconds of a call.
    double warm_up();

    /// Takes this turn's samples. Others have had theirs before: `among_others` starts with work of
    /// one's own, untimed, so that the clock is the one that this kernel's power draw earns.
    void turn(bool among_others);

    /// Calls without a pause: first until the GPU has found its power limit, then, after
    /// `measuring()`, for as long as is to be measured. To be called once, after warm_up().
    void sustain(const std::function<void()>& measuring);

    /// Calls that timing() is of.
    long long calls_measured() const { return calls_measured_; }

    /// Measured long enough. At least three samples, however long each takes.
    bool done() const;

    Timing timing() const { return summarise(samples_); }

  private:
    Batch run(double microseconds);
    double take_sample(double microseconds);
    double turns() const;

    Sampler sampler_;
    double min_us_;
    double call_us_ = 1;
    double measured_us_ = 0;
    long long calls_measured_ = 0;
    std::vector<double> samples_;
};

}  // namespace tilewright::lab
