// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright explain: one kernel in its own words, how its tiles add up, what it costs a GPU, and what
// it claims beside what is counted.
#include "lab/explanation.h"
#include "lab/output.h"
#include "lab/registry.h"
#include "lab/selection.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

constexpr const char* kGpu = "h200";

}  // namespace

int run_explain(const Options& options) {
    const KernelDefinition& rung =
        select_kernel(registry(), engine_registry(), options.rungs.front());
    const Format format = format_of(options);
    if (format == Format::csv || format == Format::md)
        throw UsageError("--format: explain gives a page (table) or json");
    const Explanation explanation =
        explain(rung, options.variant, options.gpu.empty() ? kGpu : options.gpu);
    if (format == Format::json)
        deliver(options,
                json_of(explanation).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                    '\n');
    else
        deliver(options, page_of(explanation));
    return !explanation.variant || explanation.holds() ? kRight : kWrong;
}

}  // namespace tilewright::lab
