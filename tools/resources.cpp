// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Collects what ptxas reported of the ladder's kernels into one JSON object, or checks it.
//   resources list NVCC OBJECT...                     prints the JSON
//   resources check NVCC ARCHITECTURES FILE OBJECT... fails on spills, on local memory, on a kernel
//                                                     that is not there, and where FILE, written by
//                                                     the same nvcc, says something else
// An object's report is OBJECT.ptxas, as ptxas_launcher.sh wrote it.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

#include "ladder/ladder.h"

namespace {

using namespace tilewright;
using Json = nlohmann::ordered_json;

/// The architecture that all configurations must suit; the others take each rung's default.
constexpr const char* kTunedFor = "90a";

struct Kernel {
    const KernelDefinition* rung;
    const Variant* variant;
    std::string architecture;
    int registers = 0, shared_bytes = 0, spill_bytes = 0, stack_bytes = 0;
};

/// The values of a configuration in the order of its members, as a mangled name lists them.
std::vector<int> members(const TileConfig& c) {
    return {c.block.m,  c.block.n, c.block.k,      c.thread.m, c.thread.n,
            c.thread.k, c.threads, c.pad_a,        c.pad_b,    c.warp.m,
            c.warp.n,   c.warp.k,  c.warp_n_steps, c.unroll_k, c.min_blocks};
}
static_assert(sizeof(TileConfig) == 15 * sizeof(int), "members() lists them all");

/// Finds the kernel behind ...3gpu<length><name>5sgemm...TileConfig...Li<value>E...
std::optional<Kernel> kernel_of(const std::string& mangled) {
    const size_t target = mangled.find("3gpu");
    if (target == mangled.npos) return {};
    size_t digits = 0;
    const size_t length = std::stoul(mangled.substr(target + 4), &digits);
    const std::string name = mangled.substr(target + 4 + digits, length);
    std::vector<int> values;
    static const std::regex integer("Li(\\d+)E");
    for (std::sregex_iterator i(mangled.begin(), mangled.end(), integer), end; i != end; ++i)
        values.push_back(std::stoi((*i)[1]));
    for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_fast)) {
        if (ladder::name_of(*rung) != name) continue;
        for (const Variant& variant : rung->variants)
            if (members(variant.config) == values) return Kernel{rung, &variant, {}};
    }
    return {};
}

int number_before(const std::string& line, const std::string& unit) {
    std::smatch found;
    return std::regex_search(line, found, std::regex("(\\d+) " + unit)) ? std::stoi(found[1]) : 0;
}

std::vector<Kernel> read(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::vector<Kernel> kernels;
    std::optional<Kernel> kernel;
    static const std::regex entry("Compiling entry function '(\\S+)' for 'sm_(\\S+)'");
    for (std::string line; std::getline(in, line);) {
        std::smatch found;
        if (std::regex_search(line, found, entry)) {
            kernel = kernel_of(found[1]);
            if (!kernel)
                throw std::runtime_error(path + ": no variant is called " + found[1].str());
            kernel->architecture = found[2];
        } else if (kernel && line.find("bytes stack frame") != line.npos) {
            kernel->stack_bytes = number_before(line, "bytes stack frame");
            kernel->spill_bytes = number_before(line, "bytes spill stores") +
                                  number_before(line, "bytes spill loads");
        } else if (kernel && line.find("Used ") != line.npos) {
            kernel->registers = number_before(line, "registers");
            kernel->shared_bytes = number_before(line, "bytes smem");
            kernels.push_back(*kernel);
            kernel.reset();
        }
    }
    return kernels;
}

/// Configurations tuned for one GPU need not suit another: there only the default counts.
bool counts(const KernelDefinition& rung, const Variant& variant, const std::string& architecture) {
    return architecture == kTunedFor || &variant == rung.variants.data();
}

/// One kernel a line, so that a change of one is a change of one line.
std::string json(std::vector<Kernel> kernels, const std::string& nvcc) {
    // Reading order, then the order of the variants, whatever order the compiler took.
    std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
        return std::tuple(ladder::number_of(*a.rung), a.variant, a.architecture) <
               std::tuple(ladder::number_of(*b.rung), b.variant, b.architecture);
    });
    std::string text = "{\"nvcc\": \"" + nvcc + "\", \"kernels\": [";
    bool first = true;
    for (const Kernel& kernel : kernels) {
        if (!counts(*kernel.rung, *kernel.variant, kernel.architecture)) continue;
        const Json line{{"rung", kernel.rung->id},
                        {"variant", kernel.variant->name},
                        {"architecture", kernel.architecture},
                        {"registers", kernel.registers},
                        {"shared_bytes", kernel.shared_bytes},
                        {"spill_bytes", kernel.spill_bytes},
                        {"stack_bytes", kernel.stack_bytes}};
        text += (std::exchange(first, false) ? "\n" : ",\n") + line.dump();
    }
    return text + "\n]}\n";
}

std::string fault_of(const KernelDefinition& rung, const Variant& variant,
                     const std::string& architecture, const std::vector<Kernel>& kernels) {
    if (!counts(rung, variant, architecture)) return "";
    for (const Kernel& kernel : kernels) {
        if (kernel.variant != &variant || kernel.architecture != architecture) continue;
        if (kernel.spill_bytes) return "spills " + std::to_string(kernel.spill_bytes) + " bytes";
        if (kernel.stack_bytes)
            return "keeps " + std::to_string(kernel.stack_bytes) + " bytes in local memory";
        return "";
    }
    return "was not compiled";
}

/// Compilers differ: what one committed says nothing of another.
std::string fault_of_file(const std::string& path, const std::string& fresh,
                          const std::string& nvcc) {
    std::ifstream in(path);
    std::stringstream committed;
    committed << in.rdbuf();
    if (!in) return "cannot be read";
    if (committed.str() == fresh) return "";
    const bool same_nvcc = Json::parse(committed.str()).value("nvcc", "") == nvcc;
    return same_nvcc ? "is not what nvcc reports now; write it anew with `resources list`" : "";
}

int check(const std::vector<Kernel>& kernels, const std::string& architectures,
          const std::string& path, const std::string& nvcc) {
    int passed = 0, failed = 0;
    const auto note = [&](const std::string& what, const std::string& fault) {
        fault.empty() ? ++passed : ++failed;
        if (!fault.empty()) std::cout << what << ' ' << fault << '\n';
    };
    std::stringstream list(architectures);
    for (std::string architecture; std::getline(list, architecture, ',');)
        for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_fast))
            for (const Variant& variant : rung->variants)
                note(std::string(rung->id) + "/" + variant.name + " for sm_" + architecture,
                     fault_of(*rung, variant, architecture, kernels));
    note(path, fault_of_file(path, json(kernels, nvcc), nvcc));
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool listing = arguments.size() >= 3 && arguments[0] == "list";
    const bool checking = arguments.size() >= 5 && arguments[0] == "check";
    if (!listing && !checking) {
        std::cerr << "usage: resources list NVCC OBJECT...\n"
                     "       resources check NVCC ARCHITECTURE,... FILE OBJECT...\n";
        return 2;
    }
    std::vector<Kernel> kernels;
    for (size_t i = listing ? 2 : 4; i < arguments.size(); ++i)
        for (const Kernel& kernel : read(arguments[i] + ".ptxas")) kernels.push_back(kernel);
    if (checking) return check(kernels, arguments[2], arguments[3], arguments[1]);
    std::cout << json(kernels, arguments[1]);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "resources: " << error.what() << '\n';
    return 1;
}
