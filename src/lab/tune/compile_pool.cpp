// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/compile_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "lab/registry.h"
#include "lab/tune/child.h"
#include "lab/tune/nvrtc.h"
#include "lab/tune/serve.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr unsigned kMostCompilers = 16;

class Pool {
  public:
    Pool(std::vector<const TuneCandidate*> missing, const PoolSettings& settings)
        : missing_(std::move(missing)), settings_(settings) {}

    void work();
    std::map<std::string, CompileResult> results;

  private:
    double seconds_left() const {
        const std::chrono::duration<double> spent = Clock::now() - begin_;
        return settings_.seconds - spent.count();
    }
    void take(const TuneCandidate& candidate, const Child::Reply& reply, bool in_time);

    const std::vector<const TuneCandidate*> missing_;
    const PoolSettings& settings_;
    const Clock::time_point begin_ = Clock::now();
    std::atomic<size_t> next_ = 0;
    std::mutex mutex_;
    size_t done_ = 0;
};

void Pool::work() try {
    Child child(settings_.arguments);
    for (size_t i; (i = next_++) < missing_.size();) {
        const double seconds = std::min(seconds_left(), settings_.step_timeout);
        if (seconds <= 0) return;
        child.start(seconds);
        const auto reply = child.ask({{"candidate", json_of(*missing_[i])}}, seconds);
        take(*missing_[i], reply, seconds_left() > 0);
    }
} catch (const std::exception&) {  // interrupted, or no process: other threads may go on
}

void Pool::take(const TuneCandidate& candidate, const Child::Reply& reply, bool in_time) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (reply.answer)
        results[candidate.name] = {reply.answer->value("compile_ms", 0.0),
                                   reply.answer->value("reason", "")};
    else if (in_time)
        results[candidate.name] = {0, "its compiler: " + reply.reason};
    const std::chrono::duration<double> spent = Clock::now() - begin_;
    const double left =
        spent.count() / static_cast<double>(done_) * static_cast<double>(missing_.size() - done_);
    settings_.progress(fmt::format("compiled {} of {}: {}; {:.0f} s left to compile", done_,
                                   missing_.size(), candidate.name,
                                   std::max(0.0, std::min(left, seconds_left()))));
}

}  // namespace

std::map<std::string, CompileResult> compile_all(const std::vector<TuneCandidate>& candidates,
                                                 const PoolSettings& settings) {
    std::vector<const TuneCandidate*> missing;
    for (const TuneCandidate& candidate : candidates)
        if (candidate.config) missing.push_back(&candidate);
    if (missing.empty() || !has_cache()) return {};
    const size_t count = std::min<size_t>(
        missing.size(), std::clamp(std::thread::hardware_concurrency(), 1u, kMostCompilers));
    Pool pool(std::move(missing), settings);
    {
        std::vector<std::jthread> threads;
        try {
            while (threads.size() + 1 < count) threads.emplace_back([&] { pool.work(); });
        } catch (const std::system_error&) {  // with those there are
        }
        pool.work();
    }
    return std::move(pool.results);
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
