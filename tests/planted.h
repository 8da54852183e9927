// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Kernels and a device for tests of measuring: what they do and how long it takes is known.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lab/bench.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

inline const KernelDefinition& coalesced() {
    return *ladder::match(ladder::rungs(ladder::Target::cpu_fast), "coalesced").front();
}

inline Status run_coalesced(const Problem& problem, const Execution& execution) {
    return coalesced().variants.front().run(problem, execution);
}

/// A planted kernel as a rung of its own.
struct PlantedRung {
    explicit PlantedRung(Status (*run)(const Problem&, const Execution&),
                         const char* id = "planted", Kind kind = Kind::rung)
        : variant{"default", {}, run} {
        definition.file = "99_planted.cu";
        definition.id = id;
        definition.kind = kind;
        definition.parent = "";
        definition.variants = {&variant, 1};
    }
    Candidate candidate() const { return {&definition, &variant}; }

    Variant variant;
    KernelDefinition definition{};
};

inline Row bench_one(Device& device, const PlantedRung& rung, const Case& test,
                     double seconds = 0.01) {
    const Candidate candidate = rung.candidate();
    return bench(device, {&candidate, 1}, test, {.min_seconds = seconds}).front();
}

inline int calls_made = 0;

inline Status counts_calls(const Problem& p, const Execution& execution) {
    ++calls_made;
    return run_coalesced(p, execution);
}

/// CPU mode that says of itself what a GPU would, gives each call of counts_calls the same time,
/// and "captures" by calling again.
class GpuLike : public Device {
  public:
    explicit GpuLike(double peak_gflops, size_t l2_bytes) : cpu_(open_cpu(CpuMode::fast)) {
        info_ = cpu_->info();
        info_.peak_gflops = peak_gflops;
        info_.l2_bytes = l2_bytes;
    }
    DeviceInfo& claims() { return info_; }
    const DeviceInfo& info() const override { return info_; }
    std::span<const KernelDefinition* const> kernels() const override { return cpu_->kernels(); }
    std::span<const KernelDefinition* const> opponents() const override { return cublas; }
    Execution execution() override { return cpu_->execution(); }
    size_t free_memory() const override { return cpu_->free_memory(); }
    void* allocate(size_t bytes) override { return cpu_->allocate(bytes); }
    void release(void* memory) noexcept override { cpu_->release(memory); }
    void upload(void* to, const void* from, size_t n) override { cpu_->upload(to, from, n); }
    void download(void* to, const void* from, size_t n) override { cpu_->download(to, from, n); }
    void copy(void* to, const void* from, size_t n) override { cpu_->copy(to, from, n); }
    double time(const std::function<void()>& work) override {
        const int before = calls_made;
        work();
        return (calls_made - before) * call_us;
    }
    std::function<void()> capture(const std::function<void()>& work) override {
        ++captures;
        return work;
    }
    std::optional<Vitals> vitals() override {
        if (!has_nvml) return std::nullopt;
        return Vitals{
            .sm_mhz = 1500, .watts = 400, .watt_limit = 700, .throttling = {{"power cap"}}};
    }
    std::optional<double> joules() override {
        if (!has_nvml) return std::nullopt;
        return 1000 + static_cast<double>(calls_made);  // one for each call
    }
    void profile(const std::function<void()>& work) override {
        const int before = calls_made;
        work();
        calls_profiled += calls_made - before;
    }
    void synchronise() override {}

    double call_us = 10;
    int captures = 0, calls_profiled = 0;
    bool has_nvml = false;
    std::vector<const KernelDefinition*> cublas;

  private:
    std::unique_ptr<Device> cpu_;
    DeviceInfo info_;
};

}  // namespace tilewright::lab
