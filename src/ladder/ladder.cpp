// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "ladder/ladder.h"

#include <fnmatch.h>

#include <algorithm>
#include <string>

namespace tilewright::ladder {

// Each is definitions.cpp, built for that target.
inline namespace gpu {
std::span<const KernelDefinition* const> definitions();
}
namespace cpu_counted {
std::span<const KernelDefinition* const> definitions();
}
namespace cpu_fast {
std::span<const KernelDefinition* const> definitions();
}

std::span<const KernelDefinition* const> rungs(Target target) {
    switch (target) {
        case Target::cpu_counted:
            return cpu_counted::definitions();
        case Target::cpu_fast:
            return cpu_fast::definitions();
        case Target::gpu:
            break;
    }
#if TILEWRIGHT_WITH_CUDA
    return gpu::definitions();
#else
    return {};
#endif
}

namespace {

std::string_view stem(const KernelDefinition& rung) {
    std::string_view path = rung.file;
    path.remove_prefix(path.find_last_of("/\\") + 1);
    return path.substr(0, path.find('.'));
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool glob(const std::string& pattern, std::string_view text) {
    return fnmatch(pattern.c_str(), lower(text).c_str(), 0) == 0;
}

bool is_number(std::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_zeros(std::string_view number) {
    while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
    return number;
}

}  // namespace

std::string_view number_of(const KernelDefinition& rung) {
    const std::string_view first = stem(rung).substr(0, stem(rung).find('_'));
    return is_number(first) ? first : std::string_view();
}

std::string_view name_of(const KernelDefinition& rung) {
    const size_t digits = number_of(rung).size();
    return stem(rung).substr(digits > 0 ? digits + 1 : 0);
}

std::vector<const KernelDefinition*> match(std::span<const KernelDefinition* const> rungs,
                                           std::string_view word) {
    std::string pattern = lower(word);
    if (pattern == "all") pattern = "*";
    std::vector<const KernelDefinition*> found, family;
    for (const KernelDefinition* rung : rungs) {
        const bool named =
            glob(pattern, rung->id) || glob(pattern, name_of(*rung)) ||
            glob(pattern, stem(*rung)) ||
            std::any_of(rung->aliases.begin(), rung->aliases.end(),
                        [&](const char* alias) { return glob(pattern, alias); }) ||
            (is_number(pattern) && without_zeros(pattern) == without_zeros(number_of(*rung)));
        if (named) found.push_back(rung);
        const std::string_view id = rung->id;
        if (id.size() == pattern.size() + 1 && id.starts_with(pattern) && id.back() >= 'a' &&
            id.back() <= 'z')
            family.push_back(rung);
    }
    return found.empty() ? family : found;
}

}  // namespace tilewright::ladder
