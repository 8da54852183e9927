// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright dispatch: which kernel the library takes for a product, and what it weighed. The line
// that TILEWRIGHT_LOG=1 makes the library print is such a command.
#include <fmt/format.h>

#include "lab/dispatched.h"
#include "lab/output.h"
#include "lab/table.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;
using Candidates = std::vector<engine::Candidate>;

bool is_empty(const Problem& p) {
    return p.m == 0 || p.n == 0 || p.batch == 0;
}

/// What refuses a kernel before anything is known of its time has none.
bool is_predicted(const engine::Candidate& candidate) {
    return candidate.choice.predicted_us > 0;
}

/// A workspace that grows has no size.
bool is_limited(const DispatchQuestion& question) {
    return question.workspace_bytes != INT64_MAX;
}

std::string device_text(const DispatchQuestion& question) {
    const int capability = question.device.compute_capability;
    return fmt::format(
        "{} SMs of compute capability {}.{}, a workspace {}, in {}",
        question.device.multiprocessors, capability / 10, capability % 10,
        is_limited(question) ? fmt::format("of {} bytes", question.workspace_bytes) : "that grows",
        name_of(question.problem.arithmetic));
}

Table table_of(const Candidates& all) {
    Table table({{"kernel", Align::left},
                 {"parts"},
                 {"predicted us"},
                 {"workspace"},
                 {"remark", Align::left}});
    for (const engine::Candidate& candidate : all) {
        const engine::Choice& choice = candidate.choice;
        table.add({fmt::format("{}/{}", choice.kernel->id, choice.variant->name),
                   std::to_string(choice.splits),
                   is_predicted(candidate) ? fmt::format("{:.1f}", choice.predicted_us) : "-",
                   is_predicted(candidate) ? std::to_string(choice.workspace_bytes) : "-",
                   candidate.refusal          ? candidate.refusal
                   : choice.tuned             ? "chosen: tuned"
                   : &candidate == all.data() ? "chosen"
                                              : ""});
    }
    return table;
}

Json json_of(const engine::Candidate& candidate) {
    const engine::Choice& choice = candidate.choice;
    Json json{{"kernel", choice.kernel->id},
              {"variant", choice.variant->name},
              {"arithmetic", name_of(choice.kernel->arithmetic)},
              {"parts", choice.splits}};
    json["predicted_us"] = is_predicted(candidate) ? Json(choice.predicted_us) : Json(nullptr);
    json["workspace_bytes"] =
        is_predicted(candidate) ? Json(choice.workspace_bytes) : Json(nullptr);
    json["refusal"] = candidate.refusal ? Json(candidate.refusal) : Json(nullptr);
    json["tuned"] = choice.tuned;
    return json;
}

std::string json_text(const DispatchQuestion& question, const Candidates& all,
                      const std::string& chosen) {
    Json json{
        {"problem", engine::command_of(question.problem)},
        {"multiprocessors", question.device.multiprocessors},
        {"compute_capability", question.device.compute_capability},
        {"tensor_rate", question.device.tensor_rate},
        {"compute", name_of(question.problem.arithmetic)},
        {"workspace_bytes", is_limited(question) ? Json(question.workspace_bytes) : Json(nullptr)},
        {"chosen", chosen},
        {"candidates", Json::array()}};
    for (const engine::Candidate& candidate : all) json["candidates"].push_back(json_of(candidate));
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string page(const DispatchQuestion& question, const Candidates& all, const std::string& chosen,
                 Format format) {
    std::string text = wrapped(engine::command_of(question.problem));
    text += device_text(question) + '\n';
    if (is_empty(question.problem)) return text + "\nC is empty: no kernel runs.\n";
    const bool tuned = !all.empty() && all.front().choice.tuned;
    text += fmt::format("chosen: {}{}\n\n", chosen, tuned ? ", tuned" : "");
    return text + (format == Format::md ? table_of(all).markdown() : table_of(all).plain());
}

}  // namespace

int run_dispatch(const Options& options) {
    const DispatchQuestion question = dispatch_question(options);
    const Format format = format_of(options);
    Candidates all;
    if (!is_empty(question.problem))
        all = engine::candidates(question.problem, question.device, question.workspace_bytes);
    const bool runs = !all.empty() && !all.front().refusal;
    const std::string chosen = runs ? engine::name_of(all.front().choice) : "none";
    if (format == Format::json)
        deliver(options, json_text(question, all, chosen));
    else if (format == Format::csv)
        deliver(options, table_of(all).csv());
    else
        deliver(options, page(question, all, chosen, format));
    return runs || is_empty(question.problem) ? kRight : kWrong;
}

}  // namespace tilewright::lab
