// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/explanation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/lesson.h"
#include "lab/registry.h"
#include "lab/selection.h"
#include "lab/usage.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

const Variant& variant_of(const KernelDefinition& rung, const std::string& word) {
    const std::vector<Candidate> found = select_candidates({&rung}, word);
    if (found.size() > 1) throw UsageError("--variant: explain takes one at a time");
    return *found.front().variant;
}

std::vector<OccupancyOn> occupancy_on(const std::string& word, const KernelDefinition& rung,
                                      const Variant& variant,
                                      std::span<const Resources> resources) {
    std::vector<OccupancyOn> all;
    for (const Gpu& gpu : gpus()) {
        if (word != "all" && word != gpu.word) continue;
        OccupancyOn on{&gpu, resources_for(resources, variant.name, gpu.architecture), {}};
        if (!reason_not_to_run(gpu, rung).empty())
            on.occupancy.limit = "capability";
        else if (on.code)
            on.occupancy = occupancy(gpu, block_threads(variant.config), on.code->registers,
                                     on.code->shared_bytes);
        all.push_back(std::move(on));
    }
    return all;
}

Json json_of(const Resources& each) {
    return {{"variant", each.variant},         {"architecture", each.architecture},
            {"registers", each.registers},     {"shared_bytes", each.shared_bytes},
            {"spill_bytes", each.spill_bytes}, {"stack_bytes", each.stack_bytes}};
}

Json json_of(const OccupancyOn& on) {
    Json json{{"gpu", on.gpu->word},
              {"name", on.gpu->name},
              {"architecture", on.gpu->architecture},
              {"source", on.gpu->source}};
    json["code"] = on.code ? json_of(*on.code) : Json(nullptr);
    json["blocks"] = on.code ? Json(on.occupancy.blocks) : Json(nullptr);
    json["share"] = on.code ? Json(on.occupancy.share) : Json(nullptr);
    json["limit"] = on.code ? Json(on.occupancy.limit) : Json(nullptr);
    return json;
}

using lab::json_of;

template <class Range>
Json array_of(const Range& range) {
    Json array = Json::array();
    for (const auto& each : range) array.push_back(json_of(each));
    return array;
}

}  // namespace

bool Explanation::holds() const {
    return failure.empty() &&
           (!is_default() || std::all_of(claims.begin(), claims.end(),
                                         [](const CheckedClaim& claim) { return claim.holds; }));
}

Explanation explain(const KernelDefinition& rung, const std::string& variant,
                    const std::string& gpu) {
    if (gpu != "all") static_cast<void>(gpu_of(gpu));
    Explanation result{.rung = &rung, .variant = nullptr};
    if (rung.kind == Kind::baseline) return result;
    result.variant = &variant_of(rung, variant);
    result.sums = tile_arithmetic(result.variant->config);
    result.rules = rules_in(source_of(rung));
    result.resources = resources_of(embedded_resources(), rung.id);
    result.occupancy = occupancy_on(gpu, rung, *result.variant, result.resources);
    if (rung.kind == Kind::engine) return result;  // it claims nothing
    const Count count = count_for_claims({&rung, result.variant});
    if (count.ok())
        result.claims = check_claims(rung.claims, count.counters);
    else
        result.failure = count.failure;
    return result;
}

Json json_of(const Explanation& e) {
    const KernelDefinition& rung = *e.rung;
    Json json{{"id", rung.id},
              {"name", ladder::name_of(rung)},
              {"title", rung.title},
              {"idea", rung.idea},
              {"aliases", std::vector<std::string>(rung.aliases.begin(), rung.aliases.end())},
              {"kind", name_of(rung.kind)},
              {"parent", *rung.parent ? Json(rung.parent) : Json(nullptr)},
              {"computes_in", name_of(rung.arithmetic)},
              {"requirements", rung.requirements},
              {"header", header_of(rung)},
              {"variants", array_of(rung.variants)},
              {"variant", e.variant ? Json(e.variant->name) : Json(nullptr)},
              {"resources", array_of(e.resources)},
              {"occupancy", array_of(e.occupancy)}};
    for (const char* key : {"arithmetic", "rules", "claims"}) json[key] = Json::array();
    for (const Sum& sum : e.sums)
        json["arithmetic"].push_back({{"part", sum.part}, {"text", sum.text}});
    for (const Rule& rule : e.rules)
        json["rules"].push_back({{"rule", rule.sentence},
                                 {"condition", rule.condition},
                                 {"values", with_values(rule.condition, e.variant->config)}});
    for (const CheckedClaim& claim : e.claims)
        json["claims"].push_back(
            {{"quantity", claim.quantity},
             {"claimed", e.is_default() ? Json(claim.claimed) : Json(nullptr)},
             {"counted", claim.counted ? Json(*claim.counted) : Json(nullptr)}});
    json["failure"] = e.failure.empty() ? Json(nullptr) : Json(e.failure);
    return json;
}

}  // namespace tilewright::lab
