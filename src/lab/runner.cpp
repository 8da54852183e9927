// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/runner.h"

#include <algorithm>

#include "lab/interrupt.h"

namespace tilewright::lab {

namespace {
constexpr double kGraphUs = 3000;
constexpr double kMostCallsInGraph = 500;
}  // namespace

Batch Runner::sample(int calls) {
    if (interrupted()) throw Interrupted();
    if (!graph_) {
        calls = std::min(calls, workload_.most_calls());
        if (workload_.restores()) workload_.restore(set_, calls);
        return {device_.time([&] { start(calls); }), calls};
    }
    if (workload_.restores()) workload_.restore(0, graph_calls_);
    const int replays = workload_.restores() ? 1 : std::max(1, calls / graph_calls_);
    const double time = device_.time([&] {
        for (int i = 0; i < replays; ++i) graph_();
    });
    return {time, replays * graph_calls_};
}

void Runner::use_graph(double call_us) {
    const double calls = std::clamp(kGraphUs / call_us, 1.0, kMostCallsInGraph);
    graph_calls_ = workload_.sets();
    if (!workload_.restores()) graph_calls_ = std::max(graph_calls_, static_cast<int>(calls));
    set_ = 0;
    graph_ = device_.capture([this] { start(graph_calls_); });
}

void Runner::profile() {
    if (interrupted()) throw Interrupted();
    workload_.restore(set_, 1);
    device_.synchronise();
    device_.profile([this] { start(1); });
}

bool Runner::still_right() {
    set_ = 0;
    workload_.restore(set_, 1);
    start(1);
    device_.synchronise();
    return workload_.is_right(0, tolerance_);
}

void Runner::start(int calls) {
    for (int i = 0; i < calls; ++i) {
        const Status status = device_.run(variant_, workload_.problem(set_), workload_.parts());
        if (!status.ok()) throw DeviceError(status.reason);
        set_ = (set_ + 1) % workload_.sets();
    }
}

}  // namespace tilewright::lab
