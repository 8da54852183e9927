// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/candidate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;
using Sizes = std::array<int, sizeof(TileConfig) / sizeof(int)>;

}  // namespace

Json json_of(const TuneCandidate& c) {
    Json json{{"name", c.name}, {"kernel", c.kernel}, {"variant", c.variant}, {"parts", c.parts}};
    if (c.config) json["config"] = std::bit_cast<Sizes>(*c.config);
    return json;
}

std::optional<TuneCandidate> candidate_in(const Json& json) try {
    TuneCandidate c{.name = json.at("name"),
                    .kernel = json.at("kernel"),
                    .variant = json.at("variant"),
                    .parts = json.at("parts")};
    if (json.contains("config"))
        c.config = std::bit_cast<TileConfig>(json.at("config").get<Sizes>());
    return c;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

void Tried::enter(int next_stage, std::vector<double> its_samples) {
    earlier.push_back(std::move(samples));
    samples = std::move(its_samples);
    stage = next_stage;
}

Interval interval_of(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.25), quantile(samples, 0.75)};
}

bool are_tied(const Tried& a, const Tried& b) {
    const int common = std::min(a.stage, b.stage);
    return interval_of(a.samples_of(common)).overlaps(interval_of(b.samples_of(common)));
}

}  // namespace tilewright::lab
