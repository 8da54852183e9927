// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright tune: the fastest configuration of a rung, or the engine's fastest kernel for a shape.
#include <fmt/format.h>

#include <algorithm>

#include "lab/environment.h"
#include "lab/interrupt.h"
#include "lab/memory.h"
#include "lab/output.h"
#include "lab/tune/context.h"
#include "lab/tune/database.h"
#include "lab/tune/fallback.h"
#include "lab/tune/measure.h"
#include "lab/tune/report.h"
#include "lab/tune/transfer.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

/// Null for the engine.
const KernelDefinition* subject_of(const Device& device, const Options& o) {
    if (o.engine == !o.rungs.empty())
        throw UsageError("tune takes a rung, such as k9, or --engine");
    if (o.engine) return nullptr;
    const KernelDefinition& rung = select_rung(device.kernels(), o.rungs.front());
    if (rung.kind == Kind::baseline) throw UsageError("there is nothing to tune in cuBLAS");
    return &rung;
}

/// Without a product there is nothing to choose.
void require_product(std::span<const Case> cases) {
    for (const Case& test : cases)
        if (!test.has_product() || test.m == 0 || test.n == 0 || test.batch == 0)
            throw UsageError(fmt::format("shape {}: nothing is multiplied{}", shape_label(test),
                                         test.alpha == 0 ? " with --alpha 0" : ""));
}

std::string text_of(std::span<const TunedProblem> problems, const Options& o, const Gpu* gpu,
                    Format format) {
    std::string text;
    for (const TunedProblem& problem : problems) {
        const Table table = table_of(problem);
        if (format == Format::csv) {
            text += table.csv();
            continue;
        }
        text += fmt::format("\n{} at {}, {}\n\n", problem.subject, shape_label(problem.test),
                            name_of(problem.mode));
        if (problem.reason.empty())
            text += (format == Format::md ? table.markdown() : table.plain()) + '\n';
        text += summary_of(problem, gpu);
        if (o.why) text += why_of(problem);
    }
    return text;
}

std::string json_text(std::span<const TunedProblem> problems, const Json& environment, bool why) {
    Json json{{"environment", environment}, {"tuning", Json::array()}};
    for (const TunedProblem& problem : problems) json["tuning"].push_back(json_of(problem, why));
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

int explain_all(const Options& o, std::span<const Case> cases) {
    const auto device = open_device(o);
    std::string text;
    for (const Case& test : cases)
        text +=
            (text.empty() ? "" : "\n") + explain_choice(test, mode_of(o.compute), device->info());
    deliver(o, text);
    return kRight;
}

}  // namespace

int run_tune(const Options& asked) {
    Options options = asked;
    if (!options.export_to.empty()) return export_database(options.export_to);
    if (!options.import_from.empty()) return import_database(options.import_from, false);
    if (!options.merge_from.empty()) return import_database(options.merge_from, true);
    std::vector<Case> cases = cases_of(options);
    const MeasureSettings settings = measure_settings_of(options);
    const Gpu& gpu = gpu_of(options.gpu.empty() ? "h200" : options.gpu);
    const Format format = format_of(options);
    const OutputFile file(options.output);
    auto device = open_device(options);
    const bool measures = device->info().gpu;
    if (!measures) device = open_cpu(CpuMode::counted, 0, 0, gpu.multiprocessors);
    if (cases.empty()) {
        options.sizes = measures ? "4096" : "1024";
        cases = cases_of(options);
    }
    if (options.explain) return explain_all(options, cases);
    const KernelDefinition* rung = subject_of(*device, options);
    const Arithmetic mode = rung ? rung->arithmetic : mode_of(options.compute);
    if (rung &&
        !std::all_of(cases.begin(), cases.end(), [](const Case& c) { return c.is_plain(); }))
        throw UsageError("a rung computes plain products only; --engine takes the others");
    require_product(cases);
    if (measures) require_memory(*device, cases);

    catch_interrupts();
    Measured all;
    {
        Progress progress(options.quiet);
        if (measures)
            all = measure_all(*device, rung, cases, mode, settings, std::ref(progress));
        else
            for (const Case& test : cases)
                if (!interrupted())
                    all.problems.push_back(
                        bound(*device, rung, test, mode, gpu, std::ref(progress)));
    }
    const std::span<const TunedProblem> problems = all.problems;
    for (const std::string& remark : all.remarks) fmt::print(stderr, "tilewright: {}\n", remark);
    const Json environment = environment_of(*device, options.command);
    deliver(file, format, options.quiet, [&](Format each) {
        if (each == Format::json) return json_text(problems, environment, options.why);
        const std::string text = text_of(problems, options, &gpu, each);
        return each == Format::csv ? text : environment_line(*device) + '\n' + text;
    });
    if (all.done) forget_journals(problems, device->info(), settings);
    if (interrupted()) return kInterrupted;
    const bool found = std::all_of(problems.begin(), problems.end(), [](const TunedProblem& each) {
        return each.tuning.best() || (!each.bounds.empty() && each.bounds.front().bound);
    });
    return found ? kRight : kWrong;
}

}  // namespace tilewright::lab
