// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Runs planted faults in CPU mode and compares what it finds.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "device/kernel.h"

#pragma GCC diagnostic ignored "-Wuninitialized"  // on purpose

namespace tilewright {
using simt::Hazard;
using simt::HazardKind;
using enum simt::HazardKind;

struct alignas(256) Memory {
    float words[4096] = {};
};

struct Found {
    std::vector<Hazard> hazards;
    Memory memory;

    bool has(HazardKind kind) const {
        return std::any_of(hazards.begin(), hazards.end(),
                           [&](const Hazard& hazard) { return hazard.kind == kind; });
    }
    std::string text() const {
        std::string all;
        for (const Hazard& hazard : hazards) all += hazard.sentence() + '\n';
        return all;
    }
};

using Body = std::function<void(GlobalPtr<float>, GlobalPtr<unsigned>)>;

/// Runs a body with 4096 floats, A, and 16 flags that start as 0.
inline Found run(Grid grid, Grid block, const Body& body, unsigned workers = 1,
                 unsigned cluster = 1, uint64_t seed = 0) {
    Found found;
    unsigned flags[16] = {};
    const Bounds a(found.memory.words, 1, 4096, 0, "A");
    const Bounds f(flags, 1, 16, 0, "flags");
    simt::Machine machine(workers);
    machine.shuffle(seed);
    const Status status = machine.launch(
        {.grid = grid, .block = block, .counted = true, .cluster = cluster, .thread = [&] {
             body(global_ptr(found.memory.words, a), global_ptr(flags, f));
         }});
    found.hazards = machine.take_hazards();
    const bool told = std::any_of(found.hazards.begin(), found.hazards.end(),
                                  [](const Hazard& hazard) { return !hazard.is_warning(); });
    EXPECT_EQ(status.ok(), !told) << status.reason;
    return found;
}

/// That kind alone is found, once, at this line (0: any), and its sentence says all this.
inline void expect_only(const Found& found, HazardKind kind, unsigned line,
                        const std::vector<std::string>& words = {}) {
    ASSERT_EQ(found.hazards.size(), 1u) << found.text();
    EXPECT_EQ(found.hazards[0].kind, kind) << found.text();
    if (line) {
        EXPECT_EQ(found.hazards[0].line, line) << found.text();
    }
    for (const std::string& word : words)
        EXPECT_NE(found.text().find(word), std::string::npos) << word << " in " << found.text();
}

inline void expect_none(const Found& found) {
    EXPECT_TRUE(found.hazards.empty()) << found.text();
}

}  // namespace tilewright
