// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright diff: the lesson between two rungs.
#include <fmt/format.h>

#include <memory>

#include "lab/lesson.h"
#include "lab/output.h"
#include "lab/registry.h"
#include "lab/text_diff.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

constexpr size_t kContext = 3;

struct Pair {
    std::string before, after;
};

const KernelDefinition& rung_with_text(const std::string& word) {
    const auto all = registry();
    const KernelDefinition& rung = select_rung(all, word);
    if (source_of(rung).empty())
        throw UsageError(fmt::format("{} has no text here to compare: it is a baseline", rung.id));
    return rung;
}

int run_diff(const Pair& words) {
    const KernelDefinition& before = rung_with_text(words.before);
    const KernelDefinition& after = rung_with_text(words.after);
    const auto diff = diff_lines(lesson_of(before), lesson_of(after));
    fmt::print("{} ({}) -> {} ({}): {}\n{}\n\n{}", title_of(before), before.id, title_of(after),
               after.id, after.title, after.idea, unified(diff, kContext, colours()));
    fmt::print("{} lines added, {} removed\n", count_lines(diff, Change::added),
               count_lines(diff, Change::removed));
    return kRight;
}

}  // namespace

void add_diff(CLI::App& program, Options&, Run& run) {
    CLI::App& verb = *program.add_subcommand("diff", "Show the lesson between two rungs");
    auto words = std::make_shared<Pair>();
    verb.add_option("before", words->before, "A rung, such as k5")->required();
    verb.add_option("after", words->after, "The rung to compare it with, such as k6")->required();
    verb.callback([&run, words] { run = [words] { return run_diff(*words); }; });
}

}  // namespace tilewright::lab
