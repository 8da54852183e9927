// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/candidate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

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

Interval interval_of(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const size_t last = samples.size() - 1;
    return {samples[last / 4], samples[last - last / 4]};
}

}  // namespace tilewright::lab
