// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright bench: verifies and times rungs, in turns with cuBLAS.
#include "lab/bench_plan.h"
#include "lab/bench_tables.h"
#include "lab/environment.h"
#include "lab/interrupt.h"
#include "lab/output.h"
#include "lab/rerun.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

constexpr const char* kCpuNote =
    "Times are this processor's, of running the kernels' text in CPU mode.\n"
    "They say nothing about a GPU.\n";

std::string for_people(Device& device, Format format, std::span<const Row> rows) {
    std::string text = environment_line(device) + '\n';
    if (!device.info().gpu) text += kCpuNote;
    text += '\n' + bench_table(rows, format);
    if (const std::string power = power_table(rows, format); !power.empty()) text += '\n' + power;
    text += '\n' + bench_notes(rows, device.info().gpu);
    const std::string wrong = complaints(rows);
    return wrong.empty() ? text : text + '\n' + wrong;
}

}  // namespace

int run_bench(const Options& options) {
    const Format format = row_format_of(options);
    const OutputFile writable(options.output);
    if (!options.rerun.empty()) return run_rerun(options);
    BenchPlan plan = plan_bench(options);

    catch_interrupts();
    Report report(
        options, environment_of(*plan.device, options.command),
        [&](std::span<const Row> rows) { return for_people(*plan.device, format, rows); });
    {
        Progress progress(options.quiet);
        plan.settings.progress = std::ref(progress);
        plan.run([&](std::span<const Row> rows) { report.add(rows); });
    }
    report.finish();
    return interrupted() ? kInterrupted : exit_status(report.rows());
}

}  // namespace tilewright::lab
