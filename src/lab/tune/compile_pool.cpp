// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/compile_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "lab/interrupt.h"
#include "lab/registry.h"
#include "lab/tune/child.h"
#include "lab/tune/nvrtc.h"
#include "lab/tune/serve.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr unsigned kMostCompilers = 16;

}  // namespace

std::map<std::string, double> compile_all(const std::vector<TuneCandidate>& candidates,
                                          const PoolSettings& settings) {
    std::vector<const TuneCandidate*> missing;
    for (const TuneCandidate& candidate : candidates)
        if (candidate.config) missing.push_back(&candidate);
    std::map<std::string, double> times;
    if (missing.empty() || !has_cache()) return times;
    const auto begin = Clock::now();
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    const auto work = [&] {
        Child child(settings.arguments);
        try {
            for (size_t i; (i = next++) < missing.size();) {
                const std::chrono::duration<double> spent = Clock::now() - begin;
                const double left = settings.seconds - spent.count();
                if (left <= 0) return;
                child.start(std::min(left, settings.step_timeout));
                const auto reply = child.ask({{"candidate", json_of(*missing[i])}},
                                             std::min(left, settings.step_timeout));
                const std::lock_guard lock(mutex);
                settings.progress(
                    fmt::format("compiling {} of {}: {}", i + 1, missing.size(), missing[i]->name));
                if (reply.answer && reply.answer->value("compile_ms", 0.0) > 0)
                    times[missing[i]->name] = reply.answer->value("compile_ms", 0.0);
            }
        } catch (const std::runtime_error&) {  // interrupted, or no process: others may go on
        }
    };
    const unsigned count =
        std::clamp<unsigned>(static_cast<unsigned>(missing.size()), 1,
                             std::clamp(std::thread::hardware_concurrency(), 1u, kMostCompilers));
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    return times;
}

int serve_compiler(const std::string& architecture) {
    return serve([&](const Json& question) -> Json {
        const auto wanted = candidate_in(question.at("candidate"));
        const auto rungs = registry();
        const auto rung = std::find_if(rungs.begin(), rungs.end(), [&](const auto* each) {
            return wanted && each->id == wanted->kernel;
        });
        if (rung == rungs.end() || !wanted->config) return {{"reason", "no such candidate"}};
        const Cubin cubin = compile_kernel(**rung, *wanted->config, architecture);
        return {{"compile_ms", cubin.compile_ms}, {"reason", cubin.reason}};
    });
}

}  // namespace tilewright::lab
