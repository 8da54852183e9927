// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright check: runs rungs in CPU mode over shapes that hurt, and tells what is wrong with them
// even where the result is right.
#include <fmt/format.h>

#include <algorithm>

#include "lab/counting.h"
#include "lab/environment.h"
#include "lab/hard_cases.h"
#include "lab/interrupt.h"
#include "lab/memory.h"
#include "lab/output.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "lab/verbs.h"
#include "lab/verify.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

/// A place at fault, and the case that showed it first.
struct Finding {
    simt::Hazard hazard;
    Case test;
    int cases = 0;  ///< That show it.
};

struct Checked {
    Candidate candidate;
    std::string label;
    std::string order;  ///< Of the threads: the option that draws it.
    int cases = 0, wrong = 0, not_run = 0;
    std::string first_wrong;  ///< The case whose result is wrong, or that was not run, and why.
    std::vector<Finding> findings;

    int count(bool warnings) const {
        return static_cast<int>(std::count_if(
            findings.begin(), findings.end(),
            [&](const Finding& finding) { return finding.hazard.is_warning() == warnings; }));
    }
    bool ok() const { return count(false) == 0 && wrong == 0 && not_run == 0; }
};

void add(Checked& checked, const simt::Hazard& hazard, const Case& test) {
    for (Finding& known : checked.findings) {
        if (!known.hazard.is_same(hazard)) continue;
        ++known.cases;
        return;
    }
    checked.findings.push_back({hazard, test, 1});
}

void check_case(Device& device, const Case& test, Checked& checked) {
    static_cast<void>(device.take_hazards());
    const Verdict verdict =
        verify(device, *checked.candidate.variant, test, checked.candidate.rung->arithmetic);
    const std::vector<simt::Hazard> hazards = device.take_hazards();
    for (const simt::Hazard& hazard : hazards) add(checked, hazard, test);
    ++checked.cases;
    const bool told = std::any_of(hazards.begin(), hazards.end(),
                                  [](const simt::Hazard& hazard) { return !hazard.is_warning(); });
    if (verdict.ok() || told) return;
    ++(verdict.outcome == Outcome::not_run ? checked.not_run : checked.wrong);
    if (checked.wrong + checked.not_run == 1)
        checked.first_wrong =
            fmt::format("{}{}: {}", describe(test), checked.order, verdict.reason);
}

Checked check(Device& device, const Candidate& candidate, const std::vector<Case>& cases,
              const Options& options, Progress& progress) {
    const uint64_t shuffle = shuffle_of(options);
    Checked checked{.candidate = candidate,
                    .label = row_for(candidate, {}).label,
                    .order = shuffle ? fmt::format(" --shuffle {}", shuffle) : "",
                    .first_wrong = {},
                    .findings = {}};
    Effort effort = options.thorough ? kThorough : kQuick;
    effort.any_problem = candidate.rung->kind == Kind::engine;
    const std::vector<Case> own =
        cases.empty() ? accepted(device, *candidate.variant,
                                 hard_cases(candidate.variant->config, effort, seed_of(options)))
                      : cases;
    for (const Case& test : own) {
        if (interrupted()) break;
        progress(fmt::format("checking {} {}/{}: {}", checked.label, checked.cases + 1, own.size(),
                             describe(test)));
        check_case(device, test, checked);
    }
    return checked;
}

std::string place_of(const Checked& checked, const simt::Hazard& hazard) {
    const std::string file = file_of(*checked.candidate.rung, hazard.header);
    return hazard.line ? fmt::format("{}:{}:{}", file, hazard.line, hazard.column) : file;
}

std::string text_of(const Finding& finding, const Checked& checked) {
    std::string text = fmt::format("{} {}: {}\n", checked.label, place_of(checked, finding.hazard),
                                   finding.hazard.is_warning() ? "warning" : "error");
    for (const std::string& line : wrap(finding.hazard.sentence(), 74))
        text += "    " + line + '\n';
    const std::string where = fmt::format("in {} of {} cases, first {}{}", finding.cases,
                                          checked.cases, describe(finding.test), checked.order);
    for (const std::string& line : wrap(where, 74)) text += "    " + line + '\n';
    return text;
}

std::string page(std::span<const Checked> all, Format format) {
    Table table({{"rung", Align::left},
                 {"name", Align::left},
                 {"cases"},
                 {"errors"},
                 {"warnings"},
                 {"wrong results"}});
    std::string details;
    for (const Checked& checked : all) {
        table.add({checked.label, std::string(ladder::name_of(*checked.candidate.rung)),
                   std::to_string(checked.cases), std::to_string(checked.count(false)),
                   std::to_string(checked.count(true)), std::to_string(checked.wrong)});
        for (const Finding& finding : checked.findings) details += '\n' + text_of(finding, checked);
        if (checked.first_wrong.empty()) continue;
        const std::string sentence =
            fmt::format("{}: {} {}", checked.label,
                        checked.wrong > 0 ? "wrong though nothing was found:" : "not run:",
                        checked.first_wrong);
        details += '\n' + join(wrap(sentence, 79), "\n") + '\n';
    }
    return (format == Format::md ? table.markdown() : table.plain()) + details;
}

Json json_of(const Checked& checked) {
    Json json{{"rung", checked.candidate.rung->id},
              {"variant", checked.candidate.variant->name},
              {"cases", checked.cases},
              {"wrong_results", checked.wrong},
              {"not_run", checked.not_run},
              {"first_wrong", checked.first_wrong},
              {"status", checked.ok() ? "ok" : "failed"},
              {"hazards", Json::array()}};
    for (const Finding& finding : checked.findings) {
        const simt::Hazard& hazard = finding.hazard;
        json["hazards"].push_back({{"kind", simt::key_of(hazard.kind)},
                                   {"name", simt::name_of(hazard.kind)},
                                   {"severity", hazard.is_warning() ? "warning" : "error"},
                                   {"file", file_of(*checked.candidate.rung, hazard.header)},
                                   {"line", hazard.line},
                                   {"column", hazard.column},
                                   {"block", hazard.block},
                                   {"thread", hazard.thread},
                                   {"other_line", hazard.other_line},
                                   {"other_column", hazard.other_column},
                                   {"what", hazard.what},
                                   {"usual_cause", simt::usual_cause(hazard.kind)},
                                   {"cases", finding.cases},
                                   {"first_case", describe(finding.test) + checked.order}});
    }
    return json;
}

std::string rendered(std::span<const Checked> all, const Json& environment, Format format) {
    if (format != Format::json) return page(all, format);
    Json json{{"environment", environment}, {"checks", Json::array()}};
    for (const Checked& checked : all) json["checks"].push_back(json_of(checked));
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace

int run_check(const Options& options) {
    if (!options.device.empty() && options.device != "cpu")
        throw UsageError(
            fmt::format("--device: check runs in CPU mode, not on GPU '{}'", options.device));
    const std::vector<Case> cases = cases_of(options);
    if (options.thorough && !cases.empty())
        throw UsageError("--thorough: it chooses shapes, and --sizes or --shape has chosen them");
    const Format format = format_of(options);
    if (format == Format::csv) throw UsageError("--format: check gives table, json or md");
    const OutputFile file(options.output);
    const auto device = open_cpu(CpuMode::counted, 0, shuffle_of(options));
    const auto candidates =
        select_candidates(select_kernels(*device, options.rungs), options.variant);
    require_plain(candidates, cases);
    require_memory(*device, cases);
    catch_interrupts();

    std::vector<Checked> all;
    {
        Progress progress(options.quiet);
        for (const Candidate& candidate : candidates)
            if (!interrupted()) all.push_back(check(*device, candidate, cases, options, progress));
    }
    const Json environment = environment_of(*device, options.command);
    deliver(file, format, options.quiet,
            [&](Format each) { return rendered(all, environment, each); });
    const bool ok = std::all_of(all.begin(), all.end(), [](const Checked& c) { return c.ok(); });
    return interrupted() ? kInterrupted : ok ? kRight : kWrong;
}

}  // namespace tilewright::lab
