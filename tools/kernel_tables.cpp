// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/kernel_tables.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <utility>

#include "ladder/ladder.h"
#include "simt/machine.h"

namespace tilewright::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTables[] = {"resources", "sass"};

Json json_of(const Sass::Counts& counts) {
    Json json{{"instructions", counts.instructions}};
    if (counts.shortest) json["shortest"] = counts.shortest;
    for (const auto& [name, count] : counts.of) json[name] = count;
    return json;
}

void add_resources(Json& line, const Kernel& kernel) {
    line["registers"] = kernel.registers;
    line["shared_bytes"] = kernel.shared_bytes;
    line["spill_bytes"] = kernel.spill_bytes;
    line["stack_bytes"] = kernel.stack_bytes;
}

void add_sass(Json& line, const Kernel& kernel) {
    line["registers"] = kernel.registers;
    line["total"] = json_of(kernel.sass->total);
    if (!kernel.sass->main_loop) return;
    const Sass::Counts& loop = *kernel.sass->main_loop;
    line["main_loop"] = json_of(loop);
    const auto ffma = loop.of.find("FFMA");
    if (ffma == loop.of.end() || ffma->second == 0) return;
    const auto per_ffma = [&](int count) {
        return std::round(1000.0 * count / ffma->second) / 1000;
    };
    line["ffma_reuse"] = per_ffma(loop.reusing_ffmas);
    line["ffma_bank_conflicts"] = per_ffma(loop.conflicting_ffmas);
    line["stalls_per_ffma"] = per_ffma(loop.stalls);
}

/// Whether all that a variant loads from shared memory are 16 bytes a lane, by the word of CPU
/// mode, which runs one block tile of it.
bool loads_vectors_alone(const KernelDefinition& rung, const Variant& variant) {
    const auto found = ladder::match(ladder::rungs(ladder::Target::cpu_counted), rung.id);
    const Variant& counted = found.front()->variants[&variant - rung.variants.data()];
    const int m = std::max(variant.config.block.m, 1), n = std::max(variant.config.block.n, 4);
    const int k = std::max(variant.config.block.k, 4);
    struct alignas(16) Vector {
        float words[4];
    };
    std::vector<Vector> a(m * k / 4 + 1), b(k * n / 4 + 1), c(m * n / 4 + 1);
    const Problem problem{.m = m,
                          .n = n,
                          .k = k,
                          .A = a[0].words,
                          .lda = k,
                          .B = b[0].words,
                          .ldb = n,
                          .C = c[0].words,
                          .ldc = n};
    const int64_t workspace_bytes =
        counted.workspace_bytes ? counted.workspace_bytes(problem, {}) : 0;
    std::vector<Vector> workspace(workspace_bytes / sizeof(Vector) + 1);
    simt::Machine machine(1);
    const Status status = counted.run(problem, {.stream = &machine, .workspace = workspace.data()});
    if (!status.ok()) throw std::runtime_error(rung.id + (": " + status.reason));
    int vectors = 0, others = 0;
    for (const simt::SiteCounters& site : machine.take_counters().sites)
        if (site.operation == simt::Operation::shared_load)
            ++(site.width_bits == 128 ? vectors : others);
    return vectors > 0 && others == 0;
}

int sum(const Sass::Counts& counts, std::initializer_list<const char*> names) {
    int sum = 0;
    for (const auto& [name, count] : counts.of)
        for (const char* each : names)
            if (name.starts_with(each)) sum += count;
    return sum;
}

std::string fault_of(const Kernel& kernel) {
    if (kernel.spill_bytes) return "spills " + std::to_string(kernel.spill_bytes) + " bytes";
    if (kernel.stack_bytes)
        return "keeps " + std::to_string(kernel.stack_bytes) + " bytes in local memory";
    if (!kernel.sass) return "has instructions that are not known here";
    if (const int count = sum(kernel.sass->total, {"LDL", "STL"}))
        return "accesses local memory in " + std::to_string(count) + " instructions";
    if (!kernel.sass->main_loop)
        return kernel.sass->total.of.contains("FFMA") ? "has FFMAs, but in no loop" : "";
    const int narrow = sum(*kernel.sass->main_loop, {"LDS.8", "LDS.16", "LDS.32", "LDS.64"});
    if (narrow && loads_vectors_alone(*kernel.rung, *kernel.variant))
        return "loads float4 alone from shared memory, but its main loop has " +
               std::to_string(narrow) + " narrower LDS";
    return "";
}

std::string fault_of(const KernelDefinition& rung, const Variant& variant,
                     const std::string& architecture, const std::vector<Kernel>& kernels) {
    if (!counts(rung, variant, architecture)) return "";
    for (const Kernel& kernel : kernels)
        if (kernel.variant == &variant && kernel.architecture == architecture)
            return fault_of(kernel);
    return "was not compiled";
}

/// Of the architectures that are checked. Compilers differ: what one committed says nothing of
/// another.
std::string fault_of_file(const std::string& path, const std::string& fresh,
                          const std::string& nvcc, const std::string& architectures) {
    std::ifstream in(path);
    std::stringstream committed;
    committed << in.rdbuf();
    if (!in) return "cannot be read";
    const Json all = Json::parse(committed.str());
    Json checked = Json::array();
    for (const Json& row : all.value("kernels", Json::array())) {
        const std::string architecture = "," + row.value("architecture", "") + ",";
        if (("," + architectures + ",").find(architecture) != std::string::npos)
            checked.push_back(row);
    }
    if (checked == Json::parse(fresh).at("kernels")) return "";
    return all.value("nvcc", "") == nvcc
               ? "is not what nvcc makes now: build record_architectures to write it"
               : "";
}

int check(const std::vector<Kernel>& kernels, const std::string& architectures,
          const std::string& folder, const std::string& nvcc, std::ostream& out) {
    int passed = 0, failed = 0;
    const auto note = [&](const std::string& what, const std::string& fault) {
        fault.empty() ? ++passed : ++failed;
        if (!fault.empty()) out << what << ' ' << fault << '\n';
    };
    std::stringstream list(architectures);
    for (std::string architecture; std::getline(list, architecture, ',');)
        for (const KernelDefinition* rung : ladder::rungs(ladder::Target::cpu_fast))
            for (const Variant& variant : rung->variants)
                note(std::string(rung->id) + "/" + variant.name + " for sm_" + architecture,
                     fault_of(*rung, variant, architecture, kernels));
    for (const std::string name : kTables) {
        const std::string path = folder + "/" + name + ".json";
        note(path, fault_of_file(path, table(name, kernels, nvcc), nvcc, architectures));
    }
    out << passed << " passed, " << failed << " failed\n";
    return failed ? 1 : 0;
}

}  // namespace

std::string table(const std::string& name, std::vector<Kernel> kernels, const std::string& nvcc) {
    std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
        return std::tuple(ladder::number_of(*a.rung), a.variant, a.architecture) <
               std::tuple(ladder::number_of(*b.rung), b.variant, b.architecture);
    });
    std::string text = "{\"nvcc\": \"" + nvcc + "\", \"kernels\": [";
    bool first = true;
    for (const Kernel& kernel : kernels) {
        if (!counts(*kernel.rung, *kernel.variant, kernel.architecture)) continue;
        if (name == "sass" && !kernel.sass) continue;
        Json line{{"rung", kernel.rung->id},
                  {"variant", kernel.variant->name},
                  {"architecture", kernel.architecture}};
        name == "sass" ? add_sass(line, kernel) : add_resources(line, kernel);
        text += (std::exchange(first, false) ? "\n" : ",\n") + line.dump();
    }
    return text + "\n]}\n";
}

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) try {
    const std::string verb = arguments.empty() ? "" : arguments[0];
    const bool checking = verb == "check";
    const size_t objects = checking ? 4 : 2;
    if (!(checking || std::count(std::begin(kTables), std::end(kTables), verb)) ||
        arguments.size() <= objects) {
        err << "usage: sass_count resources|sass NVCC OBJECT...\n"
               "       sass_count check NVCC ARCHITECTURE,... FOLDER OBJECT...\n";
        return 2;
    }
    std::vector<Kernel> kernels;
    for (size_t i = objects; i < arguments.size(); ++i)
        for (Kernel& kernel : kernels_in(arguments[i])) kernels.push_back(std::move(kernel));
    if (checking) return check(kernels, arguments[2], arguments[3], arguments[1], out);
    out << table(verb, std::move(kernels), arguments[1]);
    return 0;
} catch (const std::exception& error) {
    err << "sass_count: " << error.what() << '\n';
    return 1;
}

}  // namespace tilewright::tools
