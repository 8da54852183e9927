// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/power.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>

namespace tilewright::lab {

namespace {

constexpr std::chrono::milliseconds kInterval{20};  // drivers renew their numbers less often

/// Of those that are known.
template <class Number>
std::optional<double> mean_of(const std::vector<Vitals>& seen,
                              std::optional<Number> Vitals::*number) {
    double sum = 0, count = 0;
    for (const Vitals& each : seen)
        if (each.*number) sum += *(each.*number), ++count;
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace

Vitals mean_of(const std::vector<Vitals>& seen) {
    if (seen.empty()) return {};
    Vitals mean = seen.back();
    if (const auto mhz = mean_of(seen, &Vitals::sm_mhz))
        mean.sm_mhz = static_cast<int>(std::lround(*mhz));
    mean.watts = mean_of(seen, &Vitals::watts);
    mean.throttling.reset();
    for (const Vitals& each : seen) {
        if (!each.throttling) continue;
        if (!mean.throttling) mean.throttling.emplace();
        for (const std::string& reason : *each.throttling)
            if (std::find(mean.throttling->begin(), mean.throttling->end(), reason) ==
                mean.throttling->end())
                mean.throttling->push_back(reason);
    }
    return mean;
}

PowerWatch::PowerWatch(Device& device)
    : device_(device),
      joules_(device.joules()),
      start_(std::chrono::steady_clock::now()),
      thread_([this](const std::stop_token& stopped) { watch(stopped); }) {}

void PowerWatch::watch(const std::stop_token& stopped) {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock lock(mutex);
    while (!stopped.stop_requested()) {
        if (auto vitals = device_.vitals())
            seen_.push_back(std::move(*vitals));
        else
            return;
        condition.wait_for(lock, stopped, kInterval, [] { return false; });
    }
}

std::optional<Power> PowerWatch::stop() {
    const std::optional<double> joules = device_.joules();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    if (seen_.empty()) return std::nullopt;
    Power power{.vitals = mean_of(seen_)};
    if (joules_ && joules && *joules > *joules_) {
        power.joules = *joules - *joules_;
        power.vitals.watts = power.joules / seconds.count();
    } else if (power.vitals.watts) {
        power.joules = *power.vitals.watts * seconds.count();
    }
    return power;
}

}  // namespace tilewright::lab
