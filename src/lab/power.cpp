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
}

Vitals mean_of(const std::vector<Vitals>& seen) {
    if (seen.empty()) return {};
    const auto count = static_cast<double>(seen.size());
    double sm_mhz = 0, watts = 0;
    Vitals mean = seen.back();
    mean.throttling.clear();
    for (const Vitals& each : seen) {
        sm_mhz += each.sm_mhz;
        watts += each.watts;
        for (const std::string& reason : each.throttling)
            if (std::find(mean.throttling.begin(), mean.throttling.end(), reason) ==
                mean.throttling.end())
                mean.throttling.push_back(reason);
    }
    mean.sm_mhz = static_cast<int>(std::lround(sm_mhz / count));
    mean.watts = watts / count;
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
    } else {
        power.joules = power.vitals.watts * seconds.count();
    }
    return power;
}

}  // namespace tilewright::lab
