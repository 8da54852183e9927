// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright count: what the accesses of some rungs add up to, and in which lines of their source.
#include <fmt/format.h>

#include <algorithm>

#include "lab/count_report.h"
#include "lab/environment.h"
#include "lab/interrupt.h"
#include "lab/lesson.h"
#include "lab/measured.h"
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
        for (const KernelDefinition* rung : select_kernels(device, {word}))
            if (std::find(rungs.begin(), rungs.end(), rung) == rungs.end()) rungs.push_back(rung);
    return rungs;
}

std::string rendered(std::span<const std::vector<CountRow>> counts, const Gpu* gpu,
                     const Json& environment, Format format) {
    std::vector<CountRow> all;
    for (const auto& some : counts) all.insert(all.end(), some.begin(), some.end());
    if (format == Format::csv) return csv_table(all).csv();
    if (format == Format::json) {
        Json json{{"environment", environment}, {"counts", Json::array()}};
        for (const CountRow& row : all) json["counts"].push_back(json_of(row, gpu));
        return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    }
    std::string text;
    for (const auto& some : counts) text += (text.empty() ? "" : "\n") + text_of(some, gpu, format);
    return text;
}

void add_bound(CountRow& row, Device& device, const Gpu& gpu, std::span<const Measured> measured) {
    const KernelDefinition& rung = *row.count.rung;
    const Variant& variant = *row.count.variant;
    if (!reason_not_to_run(gpu, rung).empty()) return;
    const Built built = built_for(gpu, rung, variant, embedded_resources(), embedded_sass());
    row.compiled = built.compiled;
    row.bound = bound_of(row.count, built, gpu,
                         count_whole_tile(device, {&rung, &variant}, row.count.test));
    row.measured = measured_gflops(measured, rung.id, variant.name, row.count.test);
}

}  // namespace

int run_count(const Options& asked) {
    Options options = asked;
    if (!options.device.empty() && options.device != "cpu")
        throw UsageError(
            fmt::format("--device: count runs in CPU mode, not on GPU '{}'", options.device));
    if (options.shapes.empty() && options.sizes.empty()) options.shapes = {kShape};
    const std::vector<Case> cases = cases_of(options);
    const Gpu* gpu = options.gpu.empty() ? nullptr : &gpu_of(options.gpu);
    const Format format = format_of(options);
    const OutputFile file(options.output);
    const auto device =
        open_cpu(CpuMode::counted, 0, 0, gpu ? gpu->multiprocessors : kCpuMultiprocessors);
    const auto candidates = select_candidates(rungs_as_asked(*device, options), options.variant);
    require_plain(candidates, cases);
    catch_interrupts();

    const std::vector<Measured> measured =
        gpu ? measured_on(*gpu, embedded_results()) : std::vector<Measured>();
    Progress progress(options.quiet);
    std::vector<std::vector<CountRow>> counts;
    bool failed = false;
    for (const Case& test : cases) {
        counts.emplace_back();
        for (const Candidate& candidate : candidates) {
            if (interrupted()) break;
            // Blocks that divide up the work among them do not stand for each other.
            progress(fmt::format("counting {} {}{}", candidate.rung->id, shape_label(test),
                                 candidate.variant->workspace_bytes ? ", all blocks" : ""));
            counts.back().push_back({.count = count(*device, candidate, test)});
            CountRow& row = counts.back().back();
            failed = failed || !row.count.ok();
            if (!row.count.ok()) continue;
            if (gpu)
                add_bound(row, *device, *gpu, measured);
            else
                row.compiled = compiled_of(embedded_sass(), candidate.rung->id,
                                           candidate.variant->name, kArchitecture);
        }
    }
    progress.clear();
    const Json environment = environment_of(*device, options.command);
    deliver(file, format, options.quiet,
            [&](Format each) { return rendered(counts, gpu, environment, each); });
    return interrupted() ? kInterrupted : failed ? kWrong : kRight;
}

}  // namespace tilewright::lab
