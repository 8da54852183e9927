// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/results.h"
#include "lab/text.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

std::string remark_on(const Tried& tried, const Tried* best) {
    if (!tried.ok()) return fmt::format("{}: {}", name_of(tried.outcome), tried.reason);
    if (&tried == best) return "best";
    if (tried.tied) return "tied";
    return "";
}

Table measured_table(const TunedProblem& problem) {
    const std::vector<Tried>& all = problem.tuning.tried;
    const bool compiled =
        std::any_of(all.begin(), all.end(), [](const Tried& each) { return each.compile_ms > 0; });
    std::vector<Table::Column> columns{
        {"candidate", Align::left}, {"us"}, {"+-%"}, {"samples"}, {"GFLOP/s"}};
    if (compiled) columns.push_back({"compile ms"});
    columns.push_back({"remark", Align::left});
    Table table(columns);
    for (const Tried& tried : all) {
        const Timing timing = tried.timing();
        const auto cell = [](const char* form, double value, bool is_there) {
            return is_there ? fmt::format(fmt::runtime(form), value) : std::string("-");
        };
        const bool timed = tried.ok();
        std::vector<std::string> cells{
            tried.candidate.name, cell("{:.2f}", timing.median_us, timed),
            cell("{:.1f}", timing.spread_us / timing.median_us * 100, timed),
            timed ? std::to_string(timing.samples) : "-",
            cell("{:.0f}", work_of(problem.test) / timing.median_us * 1e-3, timed)};
        if (compiled) cells.push_back(cell("{:.0f}", tried.compile_ms, tried.compile_ms > 0));
        cells.push_back(remark_on(tried, problem.tuning.best()));
        table.add(std::move(cells));
    }
    return table;
}

Table bound_table(const TunedProblem& problem) {
    Table table({{"candidate", Align::left},
                 {"at least, us"},
                 {"at most, GFLOP/s"},
                 {"limited by", Align::left}});
    for (const Bounded& each : problem.bounds)
        table.add({each.candidate.name, each.bound ? fmt::format("{:.2f}", each.bound->us) : "-",
                   each.bound && !std::isnan(each.bound->gflops)
                       ? fmt::format("{:.0f}", each.bound->gflops)
                       : "-",
                   each.bound ? each.bound->limiter_label() : each.reason});
    return table;
}

/// What an incomplete run has left out.
std::string list_of_gaps(const Tuning& tuning) {
    const auto is_tried = [](const Tried& tried) { return tried.outcome != Outcome::not_run; };
    const auto count = std::count_if(tuning.tried.begin(), tuning.tried.end(), is_tried);
    std::string text = fmt::format("{} of {} tried", count, tuning.tried.size());
    const Tried* best = tuning.best();
    if (!best || best->stage == 0)
        text += "; not measured again";
    else if (best->stage < kLastStage)
        text += "; measured again once";
    return text + fmt::format(": {}", tuning.stopped);
}

std::string list_of_ties(const Tuning& tuning) {
    std::vector<std::string> names;
    for (const Tried& tried : tuning.tried)
        if (tried.tied) names.push_back(tried.candidate.name);
    return join(names, ", ");
}

Json json_of(const Tried& tried, const Case& test) {
    Json json = json_of(tried.candidate);
    json["outcome"] = name_of(tried.outcome);
    json["reason"] = tried.reason.empty() ? Json(nullptr) : Json(tried.reason);
    const Timing timing = tried.timing();
    json["samples"] = timing.samples;
    json["median_us"] = tried.ok() ? Json(timing.median_us) : Json(nullptr);
    json["min_us"] = tried.ok() ? Json(timing.min_us) : Json(nullptr);
    json["spread_us"] = tried.ok() ? Json(timing.spread_us) : Json(nullptr);
    json["gflops"] = tried.ok() ? Json(work_of(test) / timing.median_us * 1e-3) : Json(nullptr);
    json["cold"] = tried.cold, json["graph"] = tried.graph;
    json["stage"] = tried.stage, json["tied"] = tried.tied;
    json["compile_ms"] = tried.compile_ms > 0 ? Json(tried.compile_ms) : Json(nullptr);
    return json;
}

Json json_of(const Bounded& each) {
    Json json = json_of(each.candidate);
    json["bound_us"] = each.bound ? Json(each.bound->us) : Json(nullptr);
    json["bound_gflops"] =
        each.bound && !std::isnan(each.bound->gflops) ? Json(each.bound->gflops) : Json(nullptr);
    json["limiter"] = each.bound ? Json(each.bound->limiter) : Json(nullptr);
    json["reason"] = each.reason.empty() ? Json(nullptr) : Json(each.reason);
    return json;
}

}  // namespace

Table table_of(const TunedProblem& problem) {
    return problem.measured ? measured_table(problem) : bound_table(problem);
}

std::string summary_of(const TunedProblem& problem, const Gpu* gpu) {
    if (!problem.reason.empty()) return wrapped("not_run: " + problem.reason);
    std::string text;
    const Space& space = problem.space;
    if (!problem.measured) {
        text += wrapped(
            fmt::format("These are bounds on an {}, from counts in CPU mode: no run is faster, and "
                        "which is the "
                        "fastest only a GPU can say. Nothing is added to the tuning database.",
                        gpu->name));
    } else if (const Tried* best = problem.tuning.best()) {
        const std::string ties = list_of_ties(problem.tuning);
        text += wrapped(fmt::format("best: {}{}", best->candidate.name,
                                    ties.empty() ? "" : ", tied with " + ties));
    } else {
        text += "no candidate was right and timed\n";
    }
    if (problem.measured && !problem.tuning.complete) text += wrapped(list_of_gaps(problem.tuning));
    if (space.missing > 0)
        text += wrapped(fmt::format(
            "{} more configurations are legal and not compiled in: compiling them needs a GPU and "
            "libnvrtc",
            space.missing));
    if (!space.illegal.empty())
        text += wrapped(fmt::format("{} of {} are not legal{}", space.illegal.size(),
                                    space.configurations, "; --why says why"));
    return text;
}

std::string why_of(const TunedProblem& problem) {
    struct Group {
        std::string sentence;
        size_t count;
        const Illegal* first;
    };
    std::vector<Group> groups;
    for (const Illegal& illegal : problem.space.illegal) {
        const std::string sentence = illegal.reason.substr(0, illegal.reason.rfind(": "));
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
            return group.sentence == sentence;
        });
        if (known == groups.end())
            groups.push_back({sentence, 1, &illegal});
        else
            ++known->count;
    }
    std::string text = "not legal:\n";
    for (const Group& group : groups) {
        const std::string values = group.first->reason.substr(
            std::min(group.sentence.size() + 2, group.first->reason.size()));
        text += wrapped(fmt::format("{}: {}", group.count, group.sentence), "  ");
        text += wrapped(
            fmt::format("such as {}{}{}", group.first->name, values.empty() ? "" : ": ", values),
            "      ");
    }
    return groups.empty() ? "" : text;
}

Json json_of(const TunedProblem& problem, bool why) {
    const Case& test = problem.test;
    Json json{{"subject", problem.subject},
              {"problem", describe(test)},
              {"compute", name_of(problem.mode)},
              {"m", test.m},
              {"n", test.n},
              {"k", test.k},
              {"batch", test.batch},
              {"measured", problem.measured},
              {"complete", problem.tuning.complete},
              {"reason", problem.reason.empty() ? Json(nullptr) : Json(problem.reason)},
              {"candidates", Json::array()}};
    const Tried* best = problem.tuning.best();
    json["best"] = best ? Json(best->candidate.name) : Json(nullptr);
    for (const Tried& tried : problem.tuning.tried)
        json["candidates"].push_back(json_of(tried, test));
    for (const Bounded& each : problem.bounds) json["candidates"].push_back(json_of(each));
    json["configurations"] = problem.space.configurations;
    json["illegal"] = Json::array();
    if (why)
        for (const Illegal& illegal : problem.space.illegal)
            json["illegal"].push_back({{"name", illegal.name}, {"reason", illegal.reason}});
    return json;
}

}  // namespace tilewright::lab
