// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/totals.h"

#include <algorithm>
#include <bit>
#include <string>

namespace tilewright::lab {

namespace {

using simt::Operation;
using simt::SiteCounters;

AccessTotals accesses_of(const SiteCounters& site) {
    AccessTotals totals{.requests = site.requests,
                        .bytes = site.bytes,
                        .sectors = site.sectors,
                        .wavefronts = site.wavefronts,
                        .ideal_wavefronts = site.ideal_wavefronts,
                        .words = static_cast<double>(site.requests) * site.width_bits / 32};
    const size_t width = std::countr_zero(std::max(site.width_bits, 32u) / 32);
    if (width < totals.requests_of_width.size()) totals.requests_of_width[width] = site.requests;
    return totals;
}

}  // namespace

AccessTotals operator+(AccessTotals a, const AccessTotals& b) {
    a.requests += b.requests;
    a.bytes += b.bytes;
    a.sectors += b.sectors;
    a.wavefronts += b.wavefronts;
    a.ideal_wavefronts += b.ideal_wavefronts;
    for (size_t i = 0; i < a.requests_of_width.size(); ++i)
        a.requests_of_width[i] += b.requests_of_width[i];
    a.words += b.words;
    return a;
}

Totals totals_of(const simt::Counters& counters, const Case& test, std::string_view operand) {
    const auto sum = [&](Operation operation) {
        AccessTotals all;
        for (const SiteCounters& site : counters.sites)
            if (site.operation == operation && (operand.empty() || site.operand == operand ||
                                                site.operand == std::string(operand) + 's'))
                all = all + accesses_of(site);
        return all;
    };
    const auto matrices = [&](Operand which) {  // that differ: one may serve all products
        const MatrixLayout layout = test.layout(which);
        return layout.stride == 0 ? 1.0 : static_cast<double>(layout.count);
    };
    const double batch = static_cast<double>(test.batch);
    const double m = static_cast<double>(test.m), n = static_cast<double>(test.n),
                 k = test.has_product() ? static_cast<double>(test.k) : 0;
    return {.global_load = sum(Operation::global_load),
            .global_store = sum(Operation::global_store),
            .shared_load = sum(Operation::shared_load),
            .shared_store = sum(Operation::shared_store),
            .copy_load = sum(Operation::copy_load),
            .copy_store = sum(Operation::copy_store),
            .global_atomic = sum(Operation::global_atomic),
            .shared_atomic = sum(Operation::shared_atomic),
            .ffma = counters.ffma,
            .mma = counters.mma,
            .mma_products = counters.mma_products,
            .barriers = counters.barriers,
            .blocks = counters.blocks,
            .steps = static_cast<double>(counters.warps) * static_cast<double>(test.k),
            .flop = 2 * batch * m * n * k,
            .results = batch * m * n,
            .compulsory_bytes = 4 * (matrices(Operand::A) * m * k + matrices(Operand::B) * k * n +
                                     batch * (test.beta != 0 ? 2 : 1) * m * n)};
}

}  // namespace tilewright::lab
