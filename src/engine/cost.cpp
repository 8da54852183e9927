// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/cost.h"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace tilewright::engine {

namespace {

constexpr Cost kCosts[] = {
#include "engine/costs.def"
};

// Of an H200. Bytes a microsecond.
constexpr double kMemoryRate = 4.2e6;
constexpr double kExchangeRate = 2.0e6;  // partial sums, written and read again in the L2 cache
constexpr double kMeetingUs = 1.0;  // blocks that share a tile find out who is last

double bytes_of(const Problem& p) {
    const auto matrix = [&](double elements, int64_t stride) {
        return elements * (stride == 0 ? 1 : static_cast<double>(p.batch));
    };
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
               k = static_cast<double>(p.k);
    return 4 * (matrix(m * k, p.stride_a) + matrix(k * n, p.stride_b) +
                m * n * static_cast<double>(p.batch));
}

}  // namespace

const Cost& cost_of(const KernelDefinition& kernel, const Variant& variant) {
    for (const Cost& cost : kCosts)
        if (std::string_view(cost.kernel) == kernel.id &&
            std::string_view(cost.variant) == variant.name)
            return cost;
    assert(!"a variant without a cost: costs.def");
    return kCosts[0];
}

double predict(const Problem& problem, const Work& work, const Cost& cost, int multiprocessors) {
    const int64_t on_one_sm = (work.blocks + multiprocessors - 1) / multiprocessors;
    const int64_t rounds = on_one_sm / work.resident, rest = on_one_sm % work.resident;
    const auto round_us = [&](int64_t blocks) {
        const double step_ns = std::max(cost.alone_ns, static_cast<double>(blocks) * cost.busy_ns);
        return static_cast<double>(work.steps) * step_ns * 1e-3;
    };
    // A full SM does not wait for the slowest of a round: what one block leaves, the next one takes.
    double us = cost.fixed_us + static_cast<double>(rounds) * round_us(work.resident) +
                (rest ? round_us(rest) : 0.0);
    if (rounds > 1) us += 0.5 * static_cast<double>(rounds - 1) * cost.fixed_us / work.resident;
    if (work.parts > 1)
        us += kMeetingUs + static_cast<double>(work.exchanged) / kExchangeRate + 0.01 * work.parts;
    return std::max(us, cost.fixed_us + bytes_of(problem) / kMemoryRate);
}

}  // namespace tilewright::engine
