// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright ladder: all rungs, verified and compared. On a GPU by their speed, in CPU mode by what
// their accesses add up to.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/bench.h"
#include "lab/environment.h"
#include "lab/hard_cases.h"
#include "lab/interrupt.h"
#include "lab/ladder_tables.h"
#include "lab/memory.h"
#include "lab/output.h"
#include "lab/row_command.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

constexpr Effort kHardCases{.cases = 12, .work = 1 << 20};
constexpr const char* kGpuSizes = "128:4096*2";
constexpr const char* kCpuSize = "256";
constexpr double kSecondsAShape = 10;  // the whole ladder over six sizes in a minute

constexpr const char* kCountedNote =
    "What the accesses in the kernels' text add up to. A GPU's speed is not shown.\n"
    "loads: a warp's requests to global memory. sectors: 32-byte pieces each touches.\n"
    "B/result: bytes of all sectors for an element of C. wavefronts: passes through\n"
    "the banks for each load from shared memory. words: what a lane loads from there\n"
    "for each multiply-add. barriers: of each block.\n";

std::string printed(const Table& table, Format format) {
    return format == Format::md ? table.markdown() : table.plain();
}

class LadderRun {
  public:
    LadderRun(Device& device, std::vector<const KernelDefinition*> rungs, std::vector<Case> cases,
              const Options& options)
        : device_(device),
          rungs_(std::move(rungs)),
          cases_(std::move(cases)),
          options_(options),
          format_(row_format_of(options)),
          device_word_(device_word(device, options)),
          progress_(options.quiet),
          report_(options, environment_of(device, options.command),
                  [this](std::span<const Row> rows) { return for_people(rows); }) {}

    int run();

  private:
    void verify_hard_cases(const Candidate& candidate);
    void count_all(std::span<const Candidate> candidates, const Case& test);
    void count(const Candidate& candidate, const PreparedCase& prepared);
    void time_all(std::span<const Candidate> candidates);
    std::string for_people(std::span<const Row> rows);
    std::string speed(std::span<const Row> rows);

    Device& device_;
    std::vector<const KernelDefinition*> rungs_;
    std::vector<Case> cases_;
    const Options& options_;
    Format format_;
    std::string device_word_;
    double begun_ = Budget::steady_seconds();
    Progress progress_;
    Report report_;
    size_t verified_ = 0;
    std::set<const KernelDefinition*> kernels_;  ///< Of which a case was verified.
};

/// Only what is not right becomes a row: shapes that hurt are not there to be compared.
void LadderRun::verify_hard_cases(const Candidate& candidate) {
    for (const Case& test : hard_cases(candidate.variant->config, kHardCases, 1)) {
        if (interrupted()) return;
        progress_(fmt::format("verifying {}: {}", candidate.rung->id, describe(test)));
        Row row = row_for(candidate, test);
        row.command = command_of("verify", row, device_word_);
        set_verdict(row, verify(device_, *candidate.variant, test, candidate.rung->arithmetic));
        kernels_.insert(candidate.rung);
        if (row.outcome == Outcome::ok)
            ++verified_;
        else
            report_.add({&row, 1});
    }
}

void LadderRun::count_all(std::span<const Candidate> candidates, const Case& test) {
    const std::string reason = memory_reason(device_, test);
    if (reason.empty()) {
        const PreparedCase prepared(test);
        for (const Candidate& candidate : candidates) count(candidate, prepared);
        return;
    }
    for (const Candidate& candidate : candidates) {
        Row row = row_for(candidate, test);
        row.command = command_of("ladder", row, device_word_);
        set_failure(row, Outcome::not_run, reason);
        report_.add({&row, 1});
    }
}

void LadderRun::count(const Candidate& candidate, const PreparedCase& prepared) {
    if (interrupted()) return;
    progress_(fmt::format("counting {} {}", candidate.rung->id, shape_label(prepared.test())));
    static_cast<void>(device_.take_counters());
    Row row = row_for(candidate, prepared.test());
    row.command = command_of("ladder", row, device_word_);
    set_verdict(row, verify(device_, *candidate.variant, prepared, candidate.rung->arithmetic));
    if (row.outcome == Outcome::ok) {
        ++verified_;
        row.counted = totals_of(device_.take_counters(), prepared.test());
    }
    report_.add({&row, 1});
    kernels_.insert(candidate.rung);
}

void LadderRun::time_all(std::span<const Candidate> candidates) {
    BenchOptions settings{.min_seconds = min_time_of(options_), .rotate = !options_.hot};
    settings.progress = std::ref(progress_);
    settings.opponents = Opponents(device_.opponents());
    settings.command = [&](const Row& row, double min_seconds) {
        return bench_command_of(row, min_seconds, options_, device_word_);
    };
    const double seconds =
        budget_of(options_).value_or(kSecondsAShape * static_cast<double>(cases_.size()));
    Budget budget(seconds - (Budget::steady_seconds() - begun_), candidates.size(), cases_);
    if (options_.min_time.empty()) settings.budget = &budget;
    for (const Case& test : cases_) {
        if (interrupted()) return;
        const std::vector<Row> rows = bench(device_, candidates, test, settings);
        for (const Candidate& candidate : candidates) kernels_.insert(candidate.rung);
        verified_ += std::count_if(rows.begin(), rows.end(),
                                   [](const Row& row) { return row.outcome == Outcome::ok; });
        report_.add(rows);
    }
}

std::string LadderRun::speed(std::span<const Row> rows) {
    std::vector<Row> timed, last;
    for (const Row& row : rows)
        if (std::find(cases_.begin(), cases_.end(), row.test) != cases_.end()) timed.push_back(row);
    if (timed.empty()) return {};
    for (const Row& row : timed)
        if (row.test == timed.back().test) last.push_back(row);
    return fmt::format("Size {}:\n{}\nGFLOP/s by size:\n{}", shape_label(timed.back().test),
                       printed(rate_table(rungs_, last), format_),
                       printed(sweep_table(rungs_, timed), format_));
}

std::string LadderRun::for_people(std::span<const Row> rows) {
    std::string text = environment_line(device_) + '\n';
    text +=
        fmt::format("Right: {} cases of {} kernels, against FP64.\n\n", verified_, kernels_.size());
    if (device_.info().gpu)
        text += speed(rows);
    else
        for (const Case& test : cases_)
            text += fmt::format("Size {}:\n{}\n", shape_label(test),
                                printed(counted_table(rows, test), format_));
    if (!device_.info().gpu) text += kCountedNote;
    const std::string wrong = complaints(rows);
    return wrong.empty() ? text : text + '\n' + wrong;
}

int LadderRun::run() {
    const auto candidates = select_candidates(rungs_, "default");
    for (const Candidate& candidate : candidates)
        if (candidate.rung->kind != Kind::baseline) verify_hard_cases(candidate);
    if (device_.info().gpu) {
        time_all(candidates);
    } else {
        for (const Case& test : cases_) count_all(candidates, test);
    }
    progress_.clear();
    report_.finish();
    return interrupted() ? kInterrupted : exit_status(report_.rows());
}

}  // namespace

int run_ladder(const Options& asked) {
    Options options = asked;
    std::vector<Case> cases = cases_of(options);
    static_cast<void>(row_format_of(options));
    static_cast<void>(min_time_of(options));
    static_cast<void>(budget_of(options));
    const OutputFile writable(options.output);
    const auto device = open_device(options, CpuMode::counted);
    if (cases.empty()) {
        options.sizes = device->info().gpu ? kGpuSizes : kCpuSize;
        cases = cases_of(options);
    }
    if (!std::isfinite(cases.front().alpha) || !std::isfinite(cases.front().beta))
        throw UsageError("--alpha, --beta: ladder compares kernels on numbers, not on NaN or Inf");
    catch_interrupts();
    return LadderRun(*device, select_rungs(device->kernels(), options.rungs), cases, options).run();
}

}  // namespace tilewright::lab
