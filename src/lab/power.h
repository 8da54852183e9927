// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Power, clocks and energy while kernels run without a pause.
#pragma once

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "lab/device.h"

namespace tilewright::lab {

/// What a stretch of work took.
struct Power {
    Vitals vitals;  ///< Means of clocks and power; all reasons that held the clock down.
    double joules = 0;  ///< By the GPU's counter, else mean power times duration; 0 without either.
};

/// Looks at a device from a thread of its own, as the one that starts kernels must not wait for
/// answers: the GPU would rest meanwhile.
class PowerWatch {
  public:
    explicit PowerWatch(Device& device);

    /// From the beginning until now; empty where nothing measures it. Ends the watch.
    std::optional<Power> stop();

  private:
    void watch(const std::stop_token& stopped);

    Device& device_;
    std::optional<double> joules_;  ///< At the beginning.
    std::chrono::steady_clock::time_point start_;
    std::vector<Vitals> seen_;  ///< The thread's until it has ended.
    std::jthread thread_;
};

/// Of what was seen at equal intervals: clock and power are means, with all reasons; the rest is as it
/// was seen last.
Vitals mean_of(const std::vector<Vitals>& seen);

}  // namespace tilewright::lab
