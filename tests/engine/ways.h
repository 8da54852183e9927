// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A product in every way that the library can compute it, and what tests ask of its kernels.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/kernels.h"
#include "engine/product.h"

namespace tilewright::test {

/// The library's own choice, each kernel, and each with parts of k.
inline std::vector<std::string> ways() {
    std::vector<std::string> all{""};
    for (const std::string& name : variant_names()) {
        all.push_back(name);
        all.push_back(name + " parts=3");
    }
    return all;
}

/// In every way, with scalars of the host and of the device.
inline void expect_right_in_every_way(Product p) {
    Handle handle;
    int accepted = 0;
    for (const std::string& kernel : ways())
        for (const bool device_scalars : {false, true}) {
            p.kernel = kernel, p.device_scalars = device_scalars;
            bool refused = false;
            EXPECT_EQ(fault_of(handle, p, &refused), "") << describe(p);
            accepted += !refused;
        }
    EXPECT_GE(accepted, 2) << describe(p);
}

inline const Variant& variant_of(const std::string& name, Target target = traits().target) {
    for (const KernelDefinition* kernel : engine::kernels(target))
        for (const Variant& variant : kernel->variants)
            if (std::string(kernel->id) + '/' + variant.name == name) return variant;
    throw std::logic_error("no " + name);
}

/// The block tile, or 32 where a kernel has none.
inline Tile tile_of(const Variant& variant) {
    const Tile block = variant.config.block;
    const auto or_usual = [](int size) { return size > 0 ? size : 32; };
    return {or_usual(block.m), or_usual(block.n), or_usual(block.k)};
}

/// For tests that have a variant's name as parameter.
inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
    return name;
}

}  // namespace tilewright::test
