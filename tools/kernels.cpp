// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/kernels.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "ladder/ladder.h"

namespace tilewright::tools {

namespace {

/// The architecture that all configurations must suit; the others take each rung's default.
constexpr const char* kTunedFor = "90a";

/// The values of a configuration in the order of its members, as a mangled name lists them.
std::vector<int> members(const TileConfig& config) {
    std::vector<int> values;
    for_each_member(config, [&](const char*, int value) { values.push_back(value); });
    return values;
}

/// The number that a text begins with; 0 where it begins with none.
int number_in(std::string_view text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

int number_before(std::string_view line, std::string_view unit) {
    const size_t end = line.find(unit);
    if (end == line.npos) return 0;
    return number_in(line.substr(line.find_last_not_of("0123456789", end - 1) + 1));
}

/// What stands between two texts; empty where they do not.
std::string between(std::string_view line, std::string_view before, std::string_view behind) {
    const size_t start = line.find(before);
    if (start == line.npos) return "";
    line.remove_prefix(start + before.size());
    return std::string(line.substr(0, line.find(behind)));
}

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    if (!in) throw std::runtime_error("cannot be read");
    return std::move(content).str();
}

const Code& code_of(const std::string& mangled, int architecture, const std::vector<Code>& object) {
    for (const Code& code : object)
        if (code.kernel == mangled && code.architecture == architecture) return code;
    throw std::runtime_error("holds no code of " + mangled);
}

/// A kernel of ours beside a variant's sgemm: a pre-pass, or one that adds the parts of split-K.
bool is_helper(const std::string& mangled) {
    return mangled.starts_with("_ZN10tilewright") && mangled.find("5sgemm") == mangled.npos;
}

std::vector<Kernel> kernels_in(const std::string& report, const std::vector<Code>& object) {
    std::vector<Kernel> kernels;
    std::optional<Kernel> kernel;
    std::istringstream lines(report);
    for (std::string line; std::getline(lines, line);) {
        const std::string mangled = between(line, "Compiling entry function '", "'");
        if (!mangled.empty()) {
            kernel.reset();
            if (is_helper(mangled)) continue;
            kernel = kernel_of(mangled);
            if (!kernel) throw std::runtime_error("no variant is called " + mangled);
            kernel->architecture = between(line, "for 'sm_", "'");
            const int number = number_in(kernel->architecture);
            if (is_known(number))
                kernel->sass = sass_of(code_of(mangled, number, object).instructions, number);
        } else if (kernel && line.find("bytes stack frame") != line.npos) {
            kernel->stack_bytes = number_before(line, " bytes stack frame");
            kernel->spill_bytes = number_before(line, " bytes spill stores") +
                                  number_before(line, " bytes spill loads");
        } else if (kernel && line.find("Used ") != line.npos) {
            kernel->registers = number_before(line, " registers");
            kernel->shared_bytes =
                number_before(line, " bytes smem") + kernel->variant->dynamic_shared_bytes;
            kernels.push_back(*std::exchange(kernel, {}));
        }
    }
    return kernels;
}

}  // namespace

std::optional<Kernel> kernel_of(const std::string& mangled) {
    const size_t target = mangled.find("3gpu");
    if (target == mangled.npos) return {};
    const std::string_view rest = std::string_view(mangled).substr(target + 4);
    const size_t letters = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::string_view name = rest.substr(letters, number_in(rest));
    std::vector<int> values;
    for (size_t at = 0; (at = rest.find("Li", at)) != rest.npos; at += 2)
        values.push_back(number_in(rest.substr(at + 2)));
    for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_fast)) {
        if (ladder::name_of(*rung) != name) continue;
        for (const Variant& variant : rung->variants)
            if (members(variant.config) == values) return Kernel{rung, &variant, {}};
    }
    return {};
}

std::vector<Kernel> kernels_in(const std::string& object) {
    std::string path = object + ".ptxas";
    try {
        const std::string report = content_of(path);
        path = object;
        return kernels_in(report, code_in(content_of(path)));
    } catch (const std::exception& error) {
        throw std::runtime_error(path + ": " + error.what());
    }
}

bool counts(const KernelDefinition& rung, const Variant& variant, const std::string& architecture) {
    if (number_in(architecture) < rung.compute_capability) return false;
    return architecture == kTunedFor || &variant == rung.variants.data();
}

}  // namespace tilewright::tools
