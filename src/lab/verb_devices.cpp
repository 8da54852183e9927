// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright devices: where kernels can run.
#include <fmt/format.h>

#include "lab/host.h"
#include "lab/output.h"
#include "lab/sizes.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

Json describe_device(const std::string& word, const DeviceInfo& info) {
    Json json{{"device", word},
              {"name", info.name},
              {"memory_bytes", info.memory_bytes},
              {"multiprocessors", info.multiprocessors}};
    if (!info.gpu) return json;
    json["compute_capability"] = info.compute_capability;
    json["max_clock_mhz"] = info.max_clock_mhz;
    json["peak_gflops"] = info.peak_gflops;
    json["l2_bytes"] = info.l2_bytes;
    json["driver"] = info.driver;
    json["cuda"] = info.cuda;
    json["cublas"] = info.cublas.version;
    return json;
}

std::string details(const DeviceInfo& info) {
    if (!info.gpu)
        return fmt::format("CPU mode, {} workers, {}", info.multiprocessors,
                           text_of_bytes(info.memory_bytes));
    return fmt::format(
        "compute capability {}, {} SMs at up to {} MHz ({:.1f} TFLOP/s FP32), {}, {} L2, cuBLAS {}",
        info.compute_capability, info.multiprocessors, info.max_clock_mhz, info.peak_gflops / 1000,
        text_of_bytes(info.memory_bytes), text_of_bytes(info.l2_bytes),
        info.cublas.missing.empty() ? info.cublas.version : "not found");
}

}  // namespace

int run_devices(const Options& options) {
    const Format format = format_of(options);
    Table table({{"device", Align::left}, {"name", Align::left}, {"what", Align::left}});
    Json devices = Json::array();
    const auto add = [&](const std::string& word) {
        try {
            const auto device = open_device(word, CpuMode::fast);
            table.add({word, device->info().name, details(device->info())});
            devices.push_back(describe_device(word, device->info()));
        } catch (const std::runtime_error& error) {
            table.add({word, "-", error.what()});
        }
    };
    add("cpu");
    std::string why_none;
    const int count = gpu_count(why_none);
    for (int i = 0; i < count; ++i) add(std::to_string(i));

    std::string text;
    if (format == Format::json) {
        Json json{{"devices", devices}};
        json["no_gpu"] = count > 0 ? Json(nullptr) : Json(why_none);
        text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    } else {
        text = format == Format::csv  ? table.csv()
               : format == Format::md ? table.markdown()
                                      : table.plain();
        if (count == 0 && format != Format::csv) text += "\nno GPU: " + why_none + '\n';
    }
    deliver(options, text);
    return kRight;
}

}  // namespace tilewright::lab
