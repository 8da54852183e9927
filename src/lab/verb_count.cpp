// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright count: what the accesses of some rungs add up to, and in which lines of their source.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "lab/count_report.h"
#include "lab/environment.h"
#include "lab/interrupt.h"
#include "lab/output.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kShape = "256x256x256";

/// In the order that was asked for: the first is what the others are compared with.
std::vector<const KernelDefinition*> rungs_as_asked(Device& device, const Options& options) {
    std::vector<const KernelDefinition*> rungs;
    for (const std::string& word : options.rungs)
        for (const KernelDefinition* rung : select_rungs(device.kernels(), {word}))
            if (std::find(rungs.begin(), rungs.end(), rung) == rungs.end()) rungs.push_back(rung);
    return rungs;
}

std::string rendered(std::span<const std::vector<Count>> counts, const Json& environment,
                     Format format) {
    std::vector<Count> all;
    for (const auto& some : counts) all.insert(all.end(), some.begin(), some.end());
    if (format == Format::csv) return csv_table(all).csv();
    if (format == Format::json) {
        Json json{{"environment", environment}, {"counts", Json::array()}};
        for (const Count& count : all) json["counts"].push_back(json_of(count));
        return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    }
    std::string text;
    for (const auto& some : counts) text += (text.empty() ? "" : "\n") + text_of(some, format);
    return text;
}

}  // namespace

int run_count(const Options& asked) {
    Options options = asked;
    if (!options.device.empty() && options.device != "cpu")
        throw UsageError(
            fmt::format("--device: count runs in CPU mode, not on GPU '{}'", options.device));
    if (options.shapes.empty() && options.sizes.empty()) options.shapes = {kShape};
    const std::vector<Case> cases = cases_of(options);
    const Format format = format_of(options);
    const OutputFile file(options.output);
    const auto device = open_cpu(CpuMode::counted);
    const auto candidates = select_candidates(rungs_as_asked(*device, options), options.variant);
    catch_interrupts();

    Progress progress(options.quiet);
    std::vector<std::vector<Count>> counts;
    bool failed = false;
    for (const Case& test : cases) {
        counts.emplace_back();
        for (const Candidate& candidate : candidates) {
            if (interrupted()) break;
            progress(fmt::format("counting {} {}", candidate.rung->id, shape_label(test)));
            counts.back().push_back(count(*device, candidate, test));
            failed = failed || !counts.back().back().ok();
        }
    }
    progress.clear();
    const Json environment = environment_of(*device, options.command);
    file.write(rendered(counts, environment, format));
    if (!file || !options.quiet)
        fmt::print("{}", rendered(counts, environment, file ? Format::table : format));
    return interrupted() ? kInterrupted : failed ? kWrong : kRight;
}

}  // namespace tilewright::lab
