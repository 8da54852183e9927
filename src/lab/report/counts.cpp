// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/text.h"

namespace tilewright::lab::report {

namespace {

double work_of(const CountedKernel& counted) {
    return static_cast<double>(counted.m) * static_cast<double>(counted.n) *
           static_cast<double>(counted.k);
}

void keep_larger(std::vector<CountedKernel>& all, const CountedKernel& counted) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const CountedKernel& each) {
        return each.rung == counted.rung && each.variant == counted.variant;
    });
    if (same == all.end())
        all.push_back(counted);
    else if (work_of(counted) > work_of(*same))
        *same = counted;
}

}  // namespace

std::vector<CountedKernel> counts_for(const std::vector<ResultsFile>& files, std::string& from) {
    std::vector<CountedKernel> all;
    std::vector<std::string> names;
    for (const ResultsFile& file : files) {
        for (const CountedKernel& counted : file.counts) keep_larger(all, counted);
        if (!file.counts.empty()) names.push_back(file.name);
    }
    const ResultsFile own = parse_results("results/counts.json", embedded_counts());
    bool needed = false;
    for (const CountedKernel& counted : own.counts)
        if (!counted_kernel(all, counted.rung, counted.variant)) {
            all.push_back(counted);
            needed = true;
        }
    if (needed) names.push_back("results/counts.json, which comes with the program");
    from = join(names, ", ");
    return all;
}

const CountedKernel* counted_kernel(const std::vector<CountedKernel>& counts, std::string_view rung,
                                    std::string_view variant) {
    for (const CountedKernel& each : counts)
        if (each.rung == rung && each.variant == variant) return &each;
    return nullptr;
}

}  // namespace tilewright::lab::report
