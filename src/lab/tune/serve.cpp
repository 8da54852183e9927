// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/serve.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "lab/runner.h"
#include "lab/timer.h"
#include "lab/tune/child.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

bool say(const Json& answer) {
    const std::string text =
        answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    for (size_t sent = 0; sent < text.size();) {
        const ssize_t got =
            send(kChildSocket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (got <= 0) return false;
        sent += static_cast<size_t>(got);
    }
    return true;
}

std::optional<std::string> hear() {
    static std::string received;
    size_t newline;
    while ((newline = received.find('\n')) == received.npos) {
        char piece[1 << 12];
        const ssize_t got = recv(kChildSocket, piece, sizeof piece, 0);
        if (got <= 0) return std::nullopt;
        received.append(piece, static_cast<size_t>(got));
    }
    std::string line = received.substr(0, newline);
    received.erase(0, newline + 1);
    return line;
}

class Bench {
  public:
    Bench(Device& device, const Case& test, bool rotate, const Resolve& resolve)
        : device_(device),
          resolve_(resolve),
          first_(test),
          second_(changed(test)),
          workload_(device, first_, rotate) {}

    Json answer_to(const Json& question) {
        const auto wanted = candidate_in(question.at("candidate"));
        if (!wanted) return failure(Outcome::failed, "no candidate");
        const Resolved found = resolve_(*wanted);
        if (!found.candidate.variant) return failure(Outcome::failed, found.reason);
        first_.set_parts(wanted->parts);
        second_.set_parts(wanted->parts);
        const std::string what = question.at("do");
        Json answer = what == "compile" ? Json{{"outcome", name_of(Outcome::ok)}}
                      : what == "time"  ? time(found.candidate, question.at("seconds"))
                                        : check(found.candidate, question.at("changed"));
        answer["compile_ms"] = found.compile_ms;
        return answer;
    }

  private:
    /// Other operands: what was computed before is no result for them.
    static Case changed(Case test) {
        test.seed += 2;
        return test;
    }
    static Json failure(Outcome outcome, const std::string& reason) {
        return {{"outcome", name_of(outcome)}, {"reason", reason}};
    }
    Json check(const Candidate& candidate, bool is_changed) {
        const Verdict verdict = verify(device_, *candidate.variant, is_changed ? second_ : first_,
                                       candidate.rung->arithmetic);
        return failure(verdict.outcome, verdict.reason);
    }
    Json time(const Candidate& candidate, double seconds);

    Device& device_;
    const Resolve& resolve_;
    PreparedCase first_, second_;
    Workload workload_;
};

Json Bench::time(const Candidate& candidate, double seconds) try {
    Runner runner(device_, candidate, workload_);
    std::vector<double> samples;
    bool counts = false;
    Timer timer(
        [&](int calls) {
            const Batch batch = runner.sample(calls);
            if (counts) samples.push_back(batch.microseconds / batch.calls);
            return batch;
        },
        seconds);
    const double call_us = timer.warm_up();
    if (call_us < kLaunchBoundUs) runner.use_graph(call_us);
    if (runner.graph()) timer.warm_up();
    counts = true;
    while (!timer.done()) timer.turn(false);
    return {{"outcome", name_of(Outcome::ok)},
            {"samples", samples},
            {"sets", workload_.sets()},
            {"cold", workload_.cold()},
            {"graph", runner.graph()}};
} catch (const DeviceError& error) {
    return failure(Outcome::failed, error.what());
}

}  // namespace

Resolved resolve_compiled_in(const Device& device, const TuneCandidate& wanted) {
    for (const auto kernels : {device.kernels(), device.engine_kernels()})
        for (const KernelDefinition* kernel : kernels)
            if (kernel->id == wanted.kernel)
                for (const Variant& variant : kernel->variants)
                    if (variant.name == wanted.variant) return {{kernel, &variant}, "", 0};
    return {{nullptr, nullptr}, "this program has no " + wanted.kernel + '/' + wanted.variant, 0};
}

int serve(const std::function<Json(const Json&)>& answer_to) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!say({{"ready", true}})) return kWrong;
    while (const auto line = hear()) {
        const Json question = Json::parse(*line, nullptr, false);
        if (!question.is_object()) return kUsage;
        if (!say(answer_to(question))) return kWrong;
    }
    return kRight;
}

int serve(Device& device, const Case& test, bool rotate, const Resolve& resolve) {
    Bench bench(device, test, rotate, resolve);
    return serve([&](const Json& question) { return bench.answer_to(question); });
}

}  // namespace tilewright::lab
