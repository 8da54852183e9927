// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "tune/planted.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "ladder/ladder.h"

namespace tilewright::test {

namespace {

Status right(const Problem& problem, const Execution& execution) {
    static const Variant& variant =
        ladder::match(ladder::rungs(ladder::Target::cpu_fast), "coalesced").front()->variants[0];
    return variant.run(problem, execution);
}

Status slow(const Problem& problem, const Execution& execution) {
    for (int i = 0; i < 3; ++i)
        if (Status status = right(problem, execution); !status.ok()) return status;
    return {};
}

Status crashes(const Problem&, const Execution&) {
    std::raise(SIGSEGV);
    return {};
}

Status hangs(const Problem&, const Execution&) {
    for (;;) pause();
}

int calls = 0;

Status hangs_later(const Problem& problem, const Execution& execution) {
    return ++calls < 3 ? right(problem, execution) : hangs(problem, execution);
}

Status wrong(const Problem& problem, const Execution& execution) {
    Problem twice = problem;
    twice.alpha *= 2;
    return right(twice, execution);
}

Status lazy(const Problem&, const Execution&) {
    return {};
}

Status lazy_in_part(const Problem& problem, const Execution& execution) {
    Problem part = problem;
    part.m -= 1;
    return right(part, execution);
}

Status right_once(const Problem& problem, const Execution& execution) {
    return ++calls == 1 ? right(problem, execution) : Status{};
}

/// The result of its first operands, whatever it is given.
Status remembers(const Problem& problem, const Execution& execution) {
    static std::vector<float> result;
    const auto size = static_cast<size_t>(problem.m * problem.n);
    if (result.empty()) {
        Status status = right(problem, execution);
        result.assign(problem.C, problem.C + size);
        return status;
    }
    std::memcpy(problem.C, result.data(), size * sizeof(float));
    return {};
}

Status exits(const Problem&, const Execution&) {
    _exit(0);
}

Status complains_and_aborts(const Problem&, const Execution&) {
    std::fputs("one line\nthe tile does not fit\n", stderr);
    std::abort();
}

Status refuses(const Problem&, const Execution&) {
    return {StatusCode::not_supported, "not today"};
}

/// Of what comes after it nothing is right in this process.
Status spoils(const Problem& problem, const Execution& execution) {
    calls = 1000;
    return wrong(problem, execution);
}

Status is_spoilt(const Problem& problem, const Execution& execution) {
    return calls >= 1000 ? wrong(problem, execution) : right(problem, execution);
}

constexpr Variant kVariants[] = {
    {"right", {}, right},
    {"right too", {}, right},
    {"slow", {}, slow},
    {"crashes", {}, crashes},
    {"hangs", {}, hangs},
    {"hangs later", {}, hangs_later},
    {"wrong", {}, wrong},
    {"lazy", {}, lazy},
    {"lazy in part", {}, lazy_in_part},
    {"right once", {}, right_once},
    {"remembers", {}, remembers},
    {"exits", {}, exits},
    {"complains and aborts", {}, complains_and_aborts},
    {"refuses", {}, refuses},
    {"spoils", {}, spoils},
    {"is spoilt", {}, is_spoilt},
};

const KernelDefinition& definition() {
    static const KernelDefinition planted{
        .file = "99_planted.cu", .id = "planted", .parent = "", .variants = kVariants};
    return planted;
}

lab::Resolved resolve(const lab::TuneCandidate& wanted) {
    for (const Variant& variant : kVariants)
        if (variant.name == wanted.variant) return {{&definition(), &variant}, "", 0};
    return {{nullptr, nullptr}, "there is no " + wanted.variant, 0};
}

}  // namespace

std::vector<lab::TuneCandidate> planted(const std::vector<std::string>& names) {
    std::vector<lab::TuneCandidate> all;
    for (const std::string& name : names)
        all.push_back({.name = name, .kernel = "planted", .variant = name});
    return all;
}

lab::Case planted_case() {
    lab::Case test;
    test.m = 40, test.n = 48, test.k = 56;
    return test;
}

int serve_planted() {
    const auto device = lab::open_cpu(lab::CpuMode::fast, 1, 0, lab::kCpuMultiprocessors);
    return lab::serve(*device, planted_case(), false, resolve);
}

int serve_planted_late() {
    const char* name = std::getenv(kStarts);
    if (!name) return 1;
    std::ofstream(name, std::ios::app) << "start\n";
    std::ifstream file(name);
    int starts = 0;
    for (std::string line; std::getline(file, line);) ++starts;
    if (starts > kFailedStarts) return serve_planted();
    std::fputs("no memory just now\n", stderr);
    return 1;
}

}  // namespace tilewright::test
