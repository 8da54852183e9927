// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright diff: the lesson between two rungs.
#include <fmt/format.h>

#include "lab/lesson.h"
#include "lab/output.h"
#include "lab/registry.h"
#include "lab/text_diff.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

constexpr size_t kContext = 3;

const KernelDefinition& rung_with_text(const std::string& word) {
    const auto all = registry();
    const KernelDefinition& rung = select_rung(all, word);
    if (source_of(rung).empty())
        throw UsageError(fmt::format("{} has no text here to compare: it is a baseline", rung.id));
    return rung;
}

}  // namespace

int run_diff(const Options& options) {
    const bool alone = options.after.empty();
    const KernelDefinition& after = rung_with_text(alone ? options.before : options.after);
    if (alone && !*after.parent)
        throw UsageError(fmt::format("{} has no parent: name a second rung", after.id));
    const KernelDefinition& before = rung_with_text(alone ? after.parent : options.before);
    const auto diff = diff_lines(lesson_of(before), lesson_of(after));
    fmt::print("{} ({}) -> {} ({}): {}\n{}\n\n{}", title_of(before), before.id, title_of(after),
               after.id, after.title, after.idea, unified(diff, kContext, colours()));
    fmt::print("{} lines added, {} removed\n", count_lines(diff, Change::added),
               count_lines(diff, Change::removed));
    return kRight;
}

}  // namespace tilewright::lab
