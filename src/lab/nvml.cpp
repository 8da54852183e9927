// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/nvml.h"

#include "lab/library.h"

namespace tilewright::lab {

namespace {

// The few declarations of nvml.h that are needed; their values have not changed since 2012.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int kSuccess = 0, kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0;

struct Reason {
    unsigned long long bit;
    const char* name;
};
// An idle GPU is no reason worth telling.
constexpr Reason kReasons[] = {
    {0x2, "application clocks"},    {0x4, "power cap"},         {0x8, "hardware slowdown"},
    {0x10, "sync boost"},           {0x20, "thermal slowdown"}, {0x40, "hardware thermal slowdown"},
    {0x80, "power brake slowdown"}, {0x100, "display clocks"},
};

}  // namespace

struct Nvml::Library {
    lab::Library library{"libnvidia-ml.so.1"};
    NvmlDevice device = nullptr;
    int (*shutdown)() = nullptr;
    int (*driver_version)(char*, unsigned) = nullptr;
    int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
    int (*power)(NvmlDevice, unsigned*) = nullptr;
    int (*power_limit)(NvmlDevice, unsigned*) = nullptr;
    int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
    int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
    int (*energy)(NvmlDevice, unsigned long long*) = nullptr;

    ~Library() {
        if (shutdown) shutdown();
    }

    bool start(const std::string& pci_bus_id) {
        int (*initialise)() = nullptr;
        int (*handle)(const char*, NvmlDevice*) = nullptr;
        if (!library.find(initialise, "nvmlInit_v2") || initialise() != kSuccess) return false;
        library.find(shutdown, "nvmlShutdown");
        library.find(driver_version, "nvmlSystemGetDriverVersion");
        library.find(clock, "nvmlDeviceGetClockInfo");
        library.find(power, "nvmlDeviceGetPowerUsage");
        library.find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
        library.find(temperature, "nvmlDeviceGetTemperature");
        library.find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
        library.find(energy, "nvmlDeviceGetTotalEnergyConsumption");
        return library.find(handle, "nvmlDeviceGetHandleByPciBusId_v2") &&
               handle(pci_bus_id.c_str(), &device) == kSuccess;
    }
};

Nvml::Nvml(const std::string& pci_bus_id) : library_(std::make_unique<Library>()) {
    if (!library_->start(pci_bus_id)) library_.reset();
}

Nvml::~Nvml() = default;

std::string Nvml::driver_version() const {
    char text[96] = "";
    if (library_ && library_->driver_version) library_->driver_version(text, sizeof text);
    return text;
}

std::optional<Vitals> Nvml::vitals() const {
    if (!library_) return std::nullopt;
    const auto& nvml = *library_;
    const auto clock = [&](int which) -> std::optional<int> {
        unsigned mhz = 0;
        if (!nvml.clock || nvml.clock(nvml.device, which, &mhz) != kSuccess) return std::nullopt;
        return static_cast<int>(mhz);
    };
    const auto watts = [&](int (*call)(NvmlDevice, unsigned*)) -> std::optional<double> {
        unsigned milliwatts = 0;
        if (!call || call(nvml.device, &milliwatts) != kSuccess) return std::nullopt;
        return milliwatts / 1000.0;
    };
    Vitals vitals;
    vitals.sm_mhz = clock(kSmClock);
    vitals.memory_mhz = clock(kMemoryClock);
    vitals.watts = watts(nvml.power);
    vitals.watt_limit = watts(nvml.power_limit);
    unsigned celsius = 0;
    if (nvml.temperature && nvml.temperature(nvml.device, kGpuTemperature, &celsius) == kSuccess)
        vitals.celsius = static_cast<int>(celsius);
    unsigned long long bits = 0;
    if (nvml.reasons && nvml.reasons(nvml.device, &bits) == kSuccess) {
        vitals.throttling.emplace();
        for (const Reason& reason : kReasons)
            if (bits & reason.bit) vitals.throttling->push_back(reason.name);
    }
    return vitals;
}

std::optional<double> Nvml::joules() const {
    unsigned long long millijoules = 0;
    if (!library_ || !library_->energy ||
        library_->energy(library_->device, &millijoules) != kSuccess)
        return std::nullopt;
    return 1e-3 * static_cast<double>(millijoules);
}

}  // namespace tilewright::lab
