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

// Of an H200; fitted with costs.def, by tools/fit_costs.py.
constexpr double kLaunchUs = 0.642;
constexpr double kBytesPerUs = 3.51e+06;
constexpr double kMeetUs = 2.3;  // blocks that share a tile find out who is last,
constexpr double kMeetBytesPerUs = 6e+04;  // who then reads what all have;
constexpr double kAddUs = 2.14;  // or another kernel does, on the whole GPU:
constexpr double kAddBytesPerUs = 4.68e+06;  // it reads what all have,
constexpr double kAddStoreBytesPerUs = 4.02e+05;  // and writes C in the order of registers
constexpr double kPassUs = 2.16;  // to make pieces of operands,
constexpr double kPassBytesPerUs = 1.51e+06;  // counting what is read
constexpr double kExposed = 0.05;  // of the lesser of computing and reading: chosen, not fitted

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
    assert(!"a variant without a row in costs.def");
    return kCosts[0];
}

double predict(const Problem& problem, const Work& work, const Cost& cost, int multiprocessors) {
    const int64_t on_one_sm = (work.blocks + multiprocessors - 1) / multiprocessors;
    const int64_t rounds = on_one_sm / work.resident, rest = on_one_sm % work.resident;
    const double block = cost.block_us + work.steps * cost.step_us;
    const double share = cost.busy_block_us + work.steps * cost.busy_step_us;
    const auto round = [&](int64_t blocks) {
        return std::max(block, static_cast<double>(blocks) * share);
    };
    double us = kLaunchUs + static_cast<double>(rounds) * round(work.resident) +
                (rest > 0 ? round(rest) : 0.0);
    if (work.prepared > 0) us += kPassUs + static_cast<double>(work.prepared) / kPassBytesPerUs;
    const auto exchanged = static_cast<double>(work.exchanged);
    if (work.sharing > 1 && work.meet)
        us +=
            kMeetUs + exchanged / static_cast<double>(work.blocks) * work.sharing / kMeetBytesPerUs;
    else if (work.sharing > 1)
        us += kAddUs + exchanged / kAddBytesPerUs +
              4.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                  static_cast<double>(problem.batch) / kAddStoreBytesPerUs;
    const double read = kLaunchUs + cost.block_us + bytes_of(problem) / kBytesPerUs;
    return std::max(us, read) + kExposed * std::min(us, read);
}

}  // namespace tilewright::engine
