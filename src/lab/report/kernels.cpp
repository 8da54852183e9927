// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/kernels.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "lab/library_kernel.h"
#include "lab/registry.h"
#include "ladder/ladder.h"

namespace tilewright::lab::report {

namespace {

struct Place {
    const KernelDefinition* kernel;
    size_t order;
};

const std::map<std::string_view, Place>& places() {
    static const std::map<std::string_view, Place> all = [] {
        std::map<std::string_view, Place> found;
        size_t order = 0;
        for (const char* id : {kCublas, kCublasTf32}) found[id] = {nullptr, order++};
        for (const KernelDefinition* rung : registry())
            if (rung->kind != Kind::baseline) found[rung->id] = {rung, order++};
        found[kLibrary] = {nullptr, order++};
        for (const KernelDefinition* kernel : engine_registry())
            found[kernel->id] = {kernel, order++};
        return found;
    }();
    return all;
}

size_t order_of(std::string_view contender) {
    auto place = places().find(contender);
    if (place == places().end()) place = places().find(contender.substr(0, contender.find(' ')));
    return place == places().end() ? places().size() : place->second.order;
}

// The last files of the two source texts' tracks.
constexpr int kLastOfWorklog = 10, kLastOfChapter = 19;

}  // namespace

const KernelDefinition* kernel_with_id(std::string_view id) {
    const auto place = places().find(id);
    return place == places().end() ? nullptr : place->second.kernel;
}

const Variant* variant_of(std::string_view id, std::string_view variant) {
    const KernelDefinition* kernel = kernel_with_id(id);
    if (!kernel) return nullptr;
    for (const Variant& each : kernel->variants)
        if (variant == each.name) return &each;
    return variant == "default" && !kernel->variants.empty() ? &kernel->variants.front() : nullptr;
}

const char* arithmetic_of(std::string_view id) {
    if (id == kCublasTf32) return name_of(Arithmetic::tf32);
    const KernelDefinition* kernel = kernel_with_id(id);
    return name_of(kernel ? kernel->arithmetic : Arithmetic::fp32);
}

bool is_cublas(std::string_view id) {
    return id == kCublas || id == kCublasTf32;
}

const char* family_of(std::string_view id) {
    if (is_cublas(id)) return "cublas";
    if (id == kLibrary) return "library";
    const KernelDefinition* kernel = kernel_with_id(id);
    if (!kernel) return "other";
    if (kernel->kind == Kind::engine) return "engine";
    if (kernel->arithmetic != Arithmetic::fp32) return "tensor";
    const int number = std::atoi(std::string(ladder::number_of(*kernel)).c_str());
    return number <= kLastOfWorklog ? "worklog" : number <= kLastOfChapter ? "chapter" : "beyond";
}

std::vector<std::string> in_reading_order(std::vector<std::string> ids) {
    std::sort(ids.begin(), ids.end(), [](const std::string& a, const std::string& b) {
        return std::pair(order_of(a), std::string_view(a)) <
               std::pair(order_of(b), std::string_view(b));
    });
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

std::string title_of(std::string_view id) {
    if (is_cublas(id)) return "cuBLAS";
    if (id == kLibrary) return "the library";
    const KernelDefinition* kernel = kernel_with_id(id);
    return kernel ? lab::title_of(*kernel) : std::string(id);
}

}  // namespace tilewright::lab::report
