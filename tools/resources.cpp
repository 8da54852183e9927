// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Collects what ptxas reported of the ladder's kernels into one JSON object, or checks it.
//   resources --nvcc VERSION OBJECT...                      prints the JSON
//   resources --check ARCHITECTURE,... OBJECT...            fails on spills, local memory, or
//                                                                 a kernel that is not there
// An object's report is OBJECT.ptxas, as ptxas_launcher.sh wrote it.
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>

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

std::string name_of(const Kernel& kernel) {
    return std::string(kernel.rung->id) + "/" + kernel.variant->name + " for sm_" +
           kernel.architecture;
}

int check(const std::vector<Kernel>& kernels, const std::string& architectures) {
    int passed = 0, failed = 0;
    std::stringstream list(architectures);
    for (std::string architecture; std::getline(list, architecture, ',');) {
        for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_fast)) {
            for (const Variant& variant : rung->variants) {
                // Configurations tuned for one GPU need not suit another.
                if (architecture != kTunedFor && &variant != rung->variants.data()) continue;
                const Kernel wanted{rung, &variant, architecture};
                const auto built =
                    std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) {
                        return kernel.variant == &variant && kernel.architecture == architecture;
                    });
                std::string fault;
                if (built == kernels.end())
                    fault = "was not compiled";
                else if (built->spill_bytes)
                    fault = "spills " + std::to_string(built->spill_bytes) + " bytes";
                else if (built->stack_bytes)
                    fault =
                        "keeps " + std::to_string(built->stack_bytes) + " bytes in local memory";
                fault.empty() ? ++passed : ++failed;
                if (!fault.empty()) std::cout << name_of(wanted) << ' ' << fault << '\n';
            }
        }
    }
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed ? 1 : 0;
}

Json json(const std::vector<Kernel>& kernels, const std::string& nvcc) {
    Json list = Json::array();
    for (const Kernel& kernel : kernels)
        list.push_back({{"rung", kernel.rung->id},
                        {"variant", kernel.variant->name},
                        {"architecture", kernel.architecture},
                        {"registers", kernel.registers},
                        {"shared_bytes", kernel.shared_bytes},
                        {"spill_bytes", kernel.spill_bytes},
                        {"stack_bytes", kernel.stack_bytes}});
    return {{"nvcc", nvcc}, {"kernels", list}};
}

}  // namespace

int main(int argc, char** argv) try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() < 3 || (arguments[0] != "--nvcc" && arguments[0] != "--check")) {
        std::cerr << "usage: resources --nvcc VERSION | --check ARCHITECTURE,...  OBJECT...\n";
        return 2;
    }
    std::vector<Kernel> kernels;
    for (size_t i = 2; i < arguments.size(); ++i)
        for (const Kernel& kernel : read(arguments[i] + ".ptxas")) kernels.push_back(kernel);
    // Reading order, then the order of the variants, whatever order the compiler took.
    std::stable_sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
        return std::tuple(ladder::number_of(*a.rung), a.variant, a.architecture) <
               std::tuple(ladder::number_of(*b.rung), b.variant, b.architecture);
    });
    if (arguments[0] == "--check") return check(kernels, arguments[1]);
    // One kernel a line, so that a change of one is a change of one line.
    const Json all = json(kernels, arguments[1]);
    std::cout << "{\"nvcc\": " << all["nvcc"] << ", \"kernels\": [";
    for (size_t i = 0; i < all["kernels"].size(); ++i)
        std::cout << (i ? ",\n" : "\n") << all["kernels"][i];
    std::cout << "\n]}\n";
    return 0;
} catch (const std::exception& error) {
    std::cerr << "resources: " << error.what() << '\n';
    return 1;
}
