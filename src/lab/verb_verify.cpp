// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright verify: right or wrong, at the shapes asked for or at shapes that hurt.
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "lab/environment.h"
#include "lab/hard_cases.h"
#include "lab/interrupt.h"
#include "lab/memory.h"
#include "lab/output.h"
#include "lab/registry.h"
#include "lab/row_command.h"
#include "lab/usage.h"
#include "lab/verbs.h"
#include "lab/verify.h"

namespace tilewright::lab {

namespace {

/// One line for each kernel: its cases together.
Table summary_table(std::span<const Row> rows) {
    std::vector<Table::Column> columns{{"rung", Align::left}, {"name", Align::left}};
    const bool mixed = mixes_arithmetic(rows);
    if (mixed) columns.push_back({"in", Align::left});
    for (const char* name : {"cases", "ok", "worst error", "of its bound"})
        columns.push_back({name});
    columns.push_back({"result", Align::left});
    Table table(std::move(columns));
    for (auto first = rows.begin(); first != rows.end();) {
        const auto same = [&](const Row& row) { return row.label == first->label; };
        const auto last = std::find_if_not(first, rows.end(), same);
        double error = 0, part = 0;
        for (auto row = first; row != last; ++row) {
            error = std::max(error, row->max_error.value_or(0));
            if (row->bound.value_or(0) > 0) part = std::max(part, *row->max_error / *row->bound);
        }
        const auto ok =
            std::count_if(first, last, [](const Row& row) { return row.outcome == Outcome::ok; });
        const auto bad =
            std::find_if(first, last, [](const Row& row) { return row.outcome != Outcome::ok; });
        std::vector<std::string> cells{first->label, first->name};
        if (mixed) cells.emplace_back(name_of(first->arithmetic));
        for (const std::string& cell :
             {std::to_string(last - first), std::to_string(ok), fmt::format("{:.1e}", error),
              fmt::format("{:.0f}%", part * 100),
              std::string(bad == last ? "ok" : name_of(bad->outcome))})
            cells.push_back(cell);
        table.add(std::move(cells));
        first = last;
    }
    return table;
}

std::string for_people(Device& device, Format format, std::span<const Row> rows) {
    const Table table = summary_table(rows);
    std::string text = environment_line(device) + "\n\n";
    text += format == Format::md ? table.markdown() : table.plain();
    const std::string wrong = complaints(rows);
    return wrong.empty() ? text : text + '\n' + wrong;
}

Row verify_one(Device& device, const Candidate& candidate, const Case& test,
               const Options& options) {
    Row row = row_for(candidate, test);
    row.command = command_of("verify", row, device_word(device, options));
    if (options.fast) row.command += " --fast";
    if (const uint64_t shuffle = shuffle_of(options))
        row.command += fmt::format(" --shuffle {}", shuffle);
    const std::string reason = memory_reason(device, test);
    if (!reason.empty())
        set_failure(row, Outcome::not_run, reason);
    else
        set_verdict(row, verify(device, *candidate.variant, test, candidate.rung->arithmetic));
    return row;
}

void verify_all(Device& device, const std::vector<Candidate>& candidates,
                const std::vector<Case>& cases, const Options& options, Progress& progress,
                Report& report) {
    Effort effort = options.thorough ? kThorough : kQuick;
    effort.many_tiles = device.info().gpu;  // CPU mode takes minutes for so many blocks
    for (const Candidate& candidate : candidates) {
        effort.any_problem = candidate.rung->kind == Kind::engine;
        const std::vector<Case> own =
            cases.empty()
                ? accepted(device, *candidate.variant,
                           hard_cases(candidate.variant->config, effort, seed_of(options)))
                : cases;
        for (size_t i = 0; i < own.size(); ++i) {
            if (interrupted()) return;
            progress(fmt::format("verifying {} {}/{}: {}", candidate.rung->id, i + 1, own.size(),
                                 describe(own[i])));
            const Row row = verify_one(device, candidate, own[i], options);
            report.add({&row, 1});
        }
    }
}

}  // namespace

int run_verify(const Options& options) {
    const std::vector<Case> cases = cases_of(options);
    const uint64_t shuffle = shuffle_of(options);
    if (options.thorough && !cases.empty())
        throw UsageError("--thorough: it chooses shapes, and --sizes or --shape has chosen them");
    const Format format = row_format_of(options);
    const OutputFile writable(options.output);
    const CpuMode mode = options.fast ? CpuMode::fast : CpuMode::counted;
    auto device = open_device(options, mode);
    if (device->info().gpu && (options.fast || shuffle))
        throw UsageError("--fast, --shuffle: these are choices of CPU mode, and this is a GPU");
    if (shuffle) device = open_cpu(mode, 0, shuffle);
    const auto candidates =
        select_candidates(select_kernels(*device, options.rungs), options.variant);
    require_plain(candidates, cases);
    require_memory(*device, cases);

    catch_interrupts();
    Report report(options, environment_of(*device, options.command),
                  [&](std::span<const Row> rows) { return for_people(*device, format, rows); });
    {
        Progress progress(options.quiet);
        verify_all(*device, candidates, cases, options, progress, report);
    }
    report.finish();
    return interrupted() ? kInterrupted : exit_status(report.rows());
}

}  // namespace tilewright::lab
