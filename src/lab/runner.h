// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Makes one variant's calls on a workload and takes their time.
#pragma once

#include <functional>

#include "lab/device.h"
#include "lab/selection.h"
#include "lab/timer.h"
#include "lab/workload.h"

namespace tilewright::lab {

class Runner {
  public:
    Runner(Device& device, const Candidate& candidate, Workload& workload)
        : device_(device),
          variant_(*candidate.variant),
          tolerance_(tolerance_of(*candidate.rung, workload.test())),
          workload_(workload) {}

    /// A Sampler. Throws DeviceError, and Interrupted after Ctrl-C.
    Batch sample(int calls);

    /// For calls that are shorter than their launch: from now on a graph makes them, with each set
    /// of operands at least once. Without graphs on this device nothing changes.
    void use_graph(double call_us);
    bool graph() const { return graph_ != nullptr; }

    /// One call, which a profiler sees.
    void profile();

    /// One more call, on fresh C: what was timed must still be right.
    bool still_right();

  private:
    void start(int calls);

    Device& device_;
    const Variant& variant_;
    reference::Tolerance tolerance_;
    Workload& workload_;
    int set_ = 0;
    std::function<void()> graph_;
    int graph_calls_ = 0;
};

}  // namespace tilewright::lab
