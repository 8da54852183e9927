// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright profile: what CPU mode counts beside what the GPU's own counters say.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "lab/compiled.h"
#include "lab/counting.h"
#include "lab/environment.h"
#include "lab/lesson.h"
#include "lab/ncu.h"
#include "lab/output.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kShape = "512x512x512";
constexpr const char* kHowToGetNcu =
    "ncu (Nsight Compute) was not found in PATH or /usr/local/cuda/bin. It comes with the CUDA "
    "toolkit: install cuda-nsight-compute-13-0 (Debian, Ubuntu) or get it from "
    "developer.nvidia.com/nsight-compute. Without it: tilewright count";

/// One quantity as both see it.
struct Counter {
    const char* name;
    const char* metric;
    double scale;  ///< Of the metric.
    double (*counted)(const Totals&);
};

double real(uint64_t value) {
    return static_cast<double>(value);
}

constexpr Counter kCounters[] = {
    {"FFMA", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1.0 / 32,
     [](const Totals& t) { return real(t.ffma); }},
    {"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1,
     [](const Totals& t) { return real(t.global_load.requests); }},
    {"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1,
     [](const Totals& t) { return real(t.global_load.sectors); }},
    {"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1,
     [](const Totals& t) { return real(t.global_store.requests); }},
    {"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1,
     [](const Totals& t) { return real(t.global_store.sectors); }},
    {"shared load requests", "smsp__inst_executed_op_shared_ld.sum", 1,
     [](const Totals& t) { return real(t.shared_load.requests); }},
    {"shared load wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1,
     [](const Totals& t) { return real(t.shared_load.wavefronts); }},
    {"shared load conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 1,
     [](const Totals& t) {
         return real(t.shared_load.wavefronts - t.shared_load.ideal_wavefronts);
     }},
    {"shared store requests", "smsp__inst_executed_op_shared_st.sum", 1,
     [](const Totals& t) { return real(t.shared_store.requests); }},
    {"shared store wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 1,
     [](const Totals& t) { return real(t.shared_store.wavefronts); }},
    {"shared store conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 1,
     [](const Totals& t) {
         return real(t.shared_store.wavefronts - t.shared_store.ideal_wavefronts);
     }},
};
constexpr const char* kInstructions = "smsp__inst_executed.sum";
/// Conflicts between accesses of different kinds. The counter of conflicts of stores contains them.
constexpr const char* kArbitration = "l1tex__data_bank_conflicts_type_arbitration.sum";

constexpr const char* kNotExplained = "not explained";

struct Compared {
    const Counter* counter;
    double cpu, gpu;
    std::string why;  ///< They differ; empty where they do not.

    bool explained() const { return why != kNotExplained; }
};

struct Profile {
    Count count;
    double instructions = 0;
    std::vector<Compared> counters;
};

/// Whether the source has shared loads of single words, which the compiler may merge.
bool has_scalar_loads(const simt::Counters& counters) {
    return std::any_of(counters.sites.begin(), counters.sites.end(), [](const auto& site) {
        return site.operation == simt::Operation::shared_load && site.width_bits == 32 &&
               !site.is_volatile;
    });
}

/// The shared loads of the main loop as compiled, if they come to `requests`.
std::string merged_into(const Count& count, const std::string& architecture, double requests) {
    const auto compiled =
        compiled_of(embedded_sass(), count.rung->id, count.variant->name, architecture);
    if (!compiled || !compiled->main_loop) return {};
    const Instructions& loop = *compiled->main_loop;
    if (loop.ffma == 0) return {};
    double sum = 0;
    std::string text;
    for (size_t i = 0; i < loop.shared_loads.size(); ++i) {
        sum += loop.shared_loads[i];
        if (loop.shared_loads[i] > 0)
            text +=
                fmt::format("{}{} LDS.{}", text.empty() ? "" : ", ", loop.shared_loads[i], 32 << i);
    }
    if (sum * real(count.totals.ffma) != requests * loop.ffma) return {};
    return fmt::format("merged by the compiler: {} for {} FFMA", text, loop.ffma);
}

std::string why(const Counter& counter, double cpu, double gpu, const Count& count,
                const std::string& architecture, double arbitration) {
    if (gpu == cpu) return {};
    const std::string name = counter.name;
    if (name.starts_with("shared load") && has_scalar_loads(count.counters)) {
        if (name != "shared load requests") return "those of the merged loads";
        if (const std::string merged = merged_into(count, architecture, gpu); !merged.empty())
            return merged;
    }
    // ncu may count the two in different passes over the kernel, with other arbitration in each.
    if (name == "shared store conflicts" && gpu > cpu && gpu - cpu < 1.5 * arbitration)
        return fmt::format("arbitration with loads, {:.0f} in all, another in each run",
                           arbitration);
    return kNotExplained;
}

Profile compare(Count count, const ProfiledLaunch& launch, const std::string& architecture) {
    Profile profile{.count = std::move(count), .counters = {}};
    profile.instructions = launch.metric(kInstructions);
    const double arbitration = launch.metric(kArbitration);
    for (const Counter& counter : kCounters) {
        const double cpu = counter.counted(profile.count.totals);
        const double gpu = launch.metric(counter.metric) * counter.scale;
        if (cpu == 0 && gpu == 0) continue;
        profile.counters.push_back(
            {&counter, cpu, gpu, why(counter, cpu, gpu, profile.count, architecture, arbitration)});
    }
    return profile;
}

/// The shape, and in options what else differs from a plain product.
std::string described(const Case& test) {
    const Case plain{.m = test.m, .n = test.n, .k = test.k, .seed = test.seed};
    return test == plain ? shape_label(test) : describe(test);
}

std::string text_of(const Profile& profile, Format format) {
    Table table(
        {{"counter", Align::left}, {"CPU mode"}, {"GPU"}, {"GPU/CPU"}, {"why", Align::left}});
    for (const Compared& c : profile.counters)
        table.add({c.counter->name, fmt::format("{:.0f}", c.cpu), fmt::format("{:.0f}", c.gpu),
                   c.cpu > 0 ? fmt::format("{:.4g}", c.gpu / c.cpu) : "-",
                   c.why.empty() ? "same" : c.why});
    return fmt::format("{}, {}: {:.0f} instructions of a warp, {:.2f} for each FFMA\n{}",
                       profile.count.label, described(profile.count.test), profile.instructions,
                       profile.instructions / std::max(1.0, real(profile.count.totals.ffma)),
                       format == Format::md ? table.markdown() : table.plain());
}

Json json_of(const Profile& profile) {
    const Case& test = profile.count.test;
    Json json{{"rung", profile.count.rung->id},       {"variant", profile.count.variant->name},
              {"shape", {test.m, test.n, test.k}},    {"case", describe(test)},
              {"instructions", profile.instructions}, {"counters", Json::array()}};
    for (const Compared& c : profile.counters)
        json["counters"].push_back({{"name", c.counter->name},
                                    {"metric", c.counter->metric},
                                    {"cpu", c.cpu},
                                    {"gpu", c.gpu},
                                    {"why", c.why}});
    return json;
}

std::vector<Profile> profile_shape(const std::string& ncu, Device& cpu, const std::string& gpu,
                                   const std::string& architecture,
                                   const std::vector<Candidate>& candidates, const Case& test) {
    std::vector<std::string> metrics{kInstructions, kArbitration};
    for (const Counter& counter : kCounters) metrics.push_back(counter.metric);
    std::vector<Profile> profiles;
    for (const Candidate& candidate : candidates) {
        std::vector<std::string> arguments{
            "verify", candidate.rung->id, "--variant", candidate.variant->name, "--device", gpu};
        // All of the case: both must see the same problem.
        std::istringstream options(describe(test));
        for (std::string word; options >> word;) arguments.push_back(word);
        const auto launches = run_ncu(ncu, metrics, arguments);
        Count counted = count(cpu, candidate, test);
        if (!counted.ok()) throw DeviceError(counted.label + ": " + counted.failure);
        profiles.push_back(compare(std::move(counted), launches.front(), architecture));
    }
    return profiles;
}

}  // namespace

int run_profile(const Options& asked) {
    Options options = asked;
    if (options.shapes.empty() && options.sizes.empty()) options.shapes = {kShape};
    const std::vector<Case> cases = cases_of(options);
    const Format format = format_of(options);
    if (format == Format::csv) throw UsageError("--format: profile gives table, json or md");
    const OutputFile file(options.output);
    const auto gpu = open_device(options);
    if (!gpu->info().gpu)
        throw NoDevice("profile compares CPU mode with a GPU, and there is none; see count");
    const std::optional<std::string> ncu = find_ncu();
    if (!ncu) throw NoDevice(kHowToGetNcu);
    const auto cpu = open_cpu(CpuMode::counted, 0, 0, gpu->info().multiprocessors);
    const auto candidates = select_candidates(select_kernels(*cpu, options.rungs), options.variant);
    require_plain(candidates, cases);

    std::string device = device_of(options);
    if (device.empty()) device = "0";
    std::vector<Profile> all;
    {
        Progress progress(options.quiet);
        for (const Case& test : cases) {
            progress(fmt::format("profiling {}", shape_label(test)));
            for (Profile& profile :
                 profile_shape(*ncu, *cpu, device, architecture_of(gpu->info()), candidates, test))
                all.push_back(std::move(profile));
        }
    }
    const Json environment = environment_of(*gpu, options.command);
    const auto rendered = [&](Format wanted) {
        if (wanted == Format::json) {
            Json json{{"environment", environment}, {"profiles", Json::array()}};
            for (const Profile& profile : all) json["profiles"].push_back(json_of(profile));
            return json.dump(2) + '\n';
        }
        std::string text = environment_line(*gpu) + '\n';
        for (const Profile& profile : all) text += '\n' + text_of(profile, wanted);
        return text;
    };
    deliver(file, format, options.quiet, rendered);
    const bool explained = std::all_of(all.begin(), all.end(), [](const Profile& profile) {
        return std::all_of(profile.counters.begin(), profile.counters.end(),
                           [](const Compared& c) { return c.explained(); });
    });
    return explained ? kRight : kWrong;
}

}  // namespace tilewright::lab
