// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/measured.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tilewright::lab {

std::vector<Measured> measured_on(const Gpu& gpu, std::span<const EmbeddedResults> results) {
    std::vector<Measured> all;
    for (const EmbeddedResults& file : results) {
        if (file.name.find(fmt::format("-{}-", gpu.word)) == file.name.npos) continue;
        const nlohmann::json json = nlohmann::json::parse(file.text, nullptr, false);
        if (!json.is_object() || !json.contains("results")) continue;
        for (const auto& row : json["results"]) {
            if (row.value("status", "") != "ok" || !row["gflops"].is_number()) continue;
            if (row.value("memory", "") != "cold") continue;
            const auto& shape = row["shape"];
            all.push_back({.rung = row["rung"],
                           .variant = row["variant"],
                           .test = {.m = shape[0],
                                    .n = shape[1],
                                    .k = shape[2],
                                    .alpha = row.value("alpha", 1.0f),
                                    .beta = row.value("beta", 0.0f)},
                           .gflops = row["gflops"]});
        }
    }
    return all;
}

std::optional<double> measured_gflops(std::span<const Measured> all, std::string_view rung,
                                      std::string_view variant, const Case& test) {
    std::optional<double> newest;
    for (const Measured& row : all)
        if (row.rung == rung && row.variant == variant && row.test.m == test.m &&
            row.test.n == test.n && row.test.k == test.k &&
            (row.test.beta == 0) == (test.beta == 0))
            newest = row.gflops;
    return newest;
}

}  // namespace tilewright::lab
