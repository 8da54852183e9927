// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/tuned_file.h"
#include "lab/host.h"
#include "lab/sizes.h"
#include "tilewright_revision.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

template <class Number>
Json or_null(Number value) {
    return value == 0 ? Json(nullptr) : Json(value);
}

std::string relative(const std::string& word) {
    const std::filesystem::path path(word);
    if (!path.is_absolute()) return word;
    const std::filesystem::path near = path.lexically_proximate(std::filesystem::current_path());
    return near.string().starts_with("..") ? path.filename().string() : near.string();
}

/// Where the library's kernels may come from; a person's folder has no name in results.
std::string tuning_database() {
    const std::string path = engine::tuned_place().path;
    const char* home = std::getenv("HOME");
    if (path.empty()) return "off";
    const std::string folder = home && *home ? std::string(home) + '/' : "";
    return !folder.empty() && path.starts_with(folder) ? "~/" + path.substr(folder.size())
                                                       : relative(path);
}

}  // namespace

Json environment_of(Device& device, const std::string& command) {
    const DeviceInfo& info = device.info();
    const Vitals vitals = device.vitals().value_or(Vitals{});
    Json json;
    json["device"] = info.name;
    json["mode"] = info.gpu ? "gpu" : "cpu";
    json["compute_capability"] = or_null(info.compute_capability);
    json["multiprocessors"] = info.gpu ? Json(info.multiprocessors) : Json(nullptr);
    json["workers"] = info.gpu ? Json(nullptr) : Json(info.multiprocessors);
    json["memory_bytes"] = info.memory_bytes;
    json["l2_bytes"] = or_null(info.l2_bytes);
    // The clocks, power and throttling that were seen stand in each row.
    json["clocks"] = {{"sm_max_mhz", or_null(info.max_clock_mhz)},
                      {"memory_mhz", or_null(vitals.memory_mhz.value_or(0))}};
    json["power"] = {{"limit_watts", or_null(vitals.watt_limit.value_or(0))}};
    json["peak_gflops"] = or_null(info.peak_gflops);
    json["tf32_peak_gflops"] = or_null(info.tf32_peak_gflops);
    json["driver"] = or_null(info.driver);
    json["cuda"] = or_null(info.cuda);
    json["cublas"] = {{"version", or_null(info.cublas.version)},
                      {"math_mode", or_null(info.cublas.math_mode)},
                      {"library", or_null(info.cublas.library)},
                      {"missing", or_null(info.cublas.missing)},
                      {"unset_variables", info.cublas.unset}};
    json["tuning_database"] = tuning_database();
    json["host"] = {{"processor", host_processor()}, {"system", host_system()}};
    json["version"] = TILEWRIGHT_VERSION;
    json["git_revision"] = TILEWRIGHT_REVISION;
    json["command"] = command;
    json["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    return json;
}

std::string environment_line(Device& device) {
    const DeviceInfo& info = device.info();
    if (!info.gpu)
        return fmt::format("CPU mode on {}, {} workers", info.name, info.multiprocessors);
    return fmt::format("{}, {} SMs, {} MHz, driver {}, CUDA {}, cuBLAS {}", info.name,
                       info.multiprocessors, info.max_clock_mhz,
                       info.driver.empty() ? "unknown" : info.driver, info.cuda,
                       info.cublas.missing.empty() ? info.cublas.version : "not found");
}

std::string version_text() {
    return fmt::format("{} ({})", TILEWRIGHT_VERSION, TILEWRIGHT_REVISION);
}

std::string command_text(int argc, char** argv) {
    std::string text = "tilewright";
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        const size_t value = word.starts_with("--") ? word.find('=') + 1 : 0;
        word = word.substr(0, value) + relative(word.substr(value));
        const bool plain = !word.empty() && word.find_first_of(" \t*?'\"$&|;<>()[]") == word.npos;
        text += plain ? ' ' + word : " '" + word + "'";
    }
    return text;
}

}  // namespace tilewright::lab
