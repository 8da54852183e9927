// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright bench: verifies and times rungs, in turns with cuBLAS.
#include <fmt/format.h>

#include <algorithm>

#include "lab/bench.h"
#include "lab/environment.h"
#include "lab/interrupt.h"
#include "lab/memory.h"
#include "lab/output.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

constexpr const char* kCpuNote =
    "Times are this processor's, of running the kernels' text in CPU mode.\n"
    "They say nothing about a GPU.\n";

std::string for_people(Device& device, Format format, std::span<const Row> rows) {
    const Table table = bench_table(rows);
    std::string text = environment_line(device) + '\n';
    if (!device.info().gpu) text += kCpuNote;
    text += '\n' + (format == Format::md ? table.markdown() : table.plain());
    if (device.info().gpu)
        text +=
            "\nmode: cold = operands from beyond the L2 cache, hot = the same ones again;\n"
            "+g = calls in a CUDA graph. +-% = quartile distance of the samples.\n";
    const std::string wrong = complaints(rows);
    return wrong.empty() ? text : text + '\n' + wrong;
}

}  // namespace

int run_bench(const Options& asked) {
    Options options = asked;
    std::vector<Case> cases = cases_of(options);
    const Format format = format_of(options);
    BenchOptions settings{.min_seconds = min_time_of(options), .rotate = !options.hot};
    const OutputFile writable(options.output);
    const auto device = open_device(options, CpuMode::fast);
    if (cases.empty()) {
        options.sizes = device->info().gpu ? "128:4096*2" : "256,512";
        cases = cases_of(options);
    }
    auto rungs = select_kernels(*device, options.rungs);
    // The opponent takes part whatever was asked for: rates are given in per cent of its own.
    const KernelDefinition* first = device->kernels().front();
    if (first->kind == Kind::baseline && rungs.front() != first) rungs.insert(rungs.begin(), first);
    const auto candidates = select_candidates(rungs, options.variant);
    require_plain(candidates, cases);
    require_memory(*device, cases);

    catch_interrupts();
    Report report(options, environment_of(*device, options.command),
                  [&](std::span<const Row> rows) { return for_people(*device, format, rows); });
    {
        Progress progress(options.quiet);
        settings.progress = std::ref(progress);
        for (const Case& test : cases) {
            if (interrupted()) break;
            report.add(bench(*device, candidates, test, settings));
        }
    }
    report.finish();
    return interrupted() ? kInterrupted : exit_status(report.rows());
}

}  // namespace tilewright::lab
