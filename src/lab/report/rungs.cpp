// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/kernel.h"
#include "lab/compiled.h"
#include "lab/gpus.h"
#include "lab/header.h"
#include "lab/lesson.h"
#include "lab/quantities.h"
#include "lab/registry.h"
#include "lab/report/counts.h"
#include "lab/report/kernels.h"
#include "lab/report/panels.h"
#include "lab/text.h"
#include "lab/text_diff.h"
#include "lab/tile_arithmetic.h"

namespace tilewright::lab::report {

namespace {

constexpr size_t kContext = 3;
constexpr size_t kLabelWidth = 9;  // of a header's sections

/// A section as it was drawn, without its label.
std::string drawn(const Header& header, const char* label) {
    std::string text;
    for (const std::string& line : split_lines(header.plain(label, 100)))
        text += (line.size() > kLabelWidth ? line.substr(kLabelWidth) : "") + '\n';
    return text;
}

Json tiles_of(const TileConfig& c) {
    Json json{{"block", {c.block.m, c.block.n, c.block.k}},
              {"warp", {c.warp.m, c.warp.n, c.warp.k}},
              {"thread", {c.thread.m, c.thread.n}},
              {"threads", c.threads},
              {"producers", c.producers},
              {"stages", c.stages},
              {"n_steps", c.warp_n_steps},
              {"pad", {c.pad_a, c.pad_b}},
              {"sums", Json::array()}};
    for (const Sum& sum : tile_arithmetic(c)) json["sums"].push_back({sum.part, sum.text});
    return json;
}

const CountedKernel* counts_of(const Material& material, const KernelDefinition& rung) {
    return rung.variants.empty()
               ? nullptr
               : counted_kernel(material.counts, rung.id, rung.variants.front().name);
}

/// FLOP a byte of L2.
std::optional<double> intensity_of(const CountedKernel* counted) {
    if (!counted) return {};
    const auto found = counted->totals.find("intensity_l2");
    return found == counted->totals.end() ? std::nullopt : std::optional(found->second);
}

Json value_in(const CountedKernel* counted, const char* key) {
    if (!counted) return nullptr;
    const auto found = counted->totals.find(key);
    return found == counted->totals.end() ? Json(nullptr) : Json(found->second);
}

/// What the tables of `count` have, where either kernel has any.
Json counters_of(const CountedKernel* before, const CountedKernel* after) {
    Json groups = Json::array();
    for (const QuantityGroup& group : quantities()) {
        Json rows = Json::array();
        std::string above;
        for (const Quantity& quantity : group.quantities) {
            if (!quantity.label || !quantity.key) continue;
            std::string label = quantity.label;
            if (!label.starts_with("  "))
                above = label;
            else  // "ideal" of what stands above it; a ratio names both
                label = label.find('/') == label.npos
                            ? fmt::format("{}: {}", above, label.substr(2))
                            : label.substr(2);
            const Json was = value_in(before, quantity.key), is = value_in(after, quantity.key);
            const bool any = (was.is_number() && was != 0.0) || (is.is_number() && is != 0.0);
            if (any) rows.push_back({label, was, is, quantity.digits});
        }
        if (!rows.empty()) groups.push_back({{"title", group.title}, {"rows", rows}});
    }
    return groups;
}

/// Instructions of a way round; without what the loop has none of.
Json main_loop_of(const CountedKernel* counted) {
    Json rows = Json::array();
    if (!counted) return rows;
    for (const auto& [key, value] : counted->main_loop)
        if (value != 0) rows.push_back({key, value});
    std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
        return a[1].get<double>() > b[1].get<double>();
    });
    return rows;
}

/// Registers and what of a multiprocessor they leave; null where it was not recorded.
Json occupancy_of(const KernelDefinition& rung, const Gpu& gpu) {
    const Variant& variant = rung.variants.front();
    const auto built =
        resources_for(resources_of(embedded_resources(), rung.id), variant.name, gpu.architecture);
    if (!built) return nullptr;
    const int threads = block_threads(variant.config);
    const Occupancy held = occupancy(gpu, threads, built->registers, built->shared_bytes);
    return {{"registers", built->registers},
            {"shared", built->shared_bytes},
            {"blocks", held.blocks},
            {"share", held.share * 100},
            {"limit", held.limit}};
}

/// That of the times, or else the usual one.
const Gpu& gpu_for(const Material& material) {
    for (const Series& series : material.series)
        if (series.gpu) return *series.gpu;
    return gpu_of("h200");
}

Json rung_json(const Material& material, const KernelDefinition& rung) {
    const Header header(header_of(rung));
    Json json{{"id", rung.id},
              {"title", lab::title_of(rung)},
              {"noun", rung.title},
              {"idea", rung.idea},
              {"kind", name_of(rung.kind)},
              {"family", family_of(rung.id)},
              {"arithmetic", name_of(rung.arithmetic)},
              {"requirements", rung.requirements},
              {"parent", *rung.parent ? Json(rung.parent) : Json(nullptr)},
              {"tiles", tiles_of(rung.variants.front().config)},
              {"variant", rung.variants.front().name},
              {"variants", rung.variants.size()}};
    for (const auto& [key, label] :
         {std::pair("before", "Before"), {"look", "Look at"}, {"next", "Next"}})
        json[key] = header.section(label);
    json["picture"] = drawn(header, "Picture");
    json["cost"] = drawn(header, "Cost");

    const KernelDefinition* parent = kernel_with_id(rung.parent);
    const CountedKernel* after = counts_of(material, rung);
    const CountedKernel* before = parent ? counts_of(material, *parent) : nullptr;
    const bool alike =
        before && after && before->m == after->m && before->n == after->n && before->k == after->k;
    json["counters"] = counters_of(alike ? before : nullptr, after);
    json["main_loop"] = main_loop_of(after);
    json["occupancy"] = occupancy_of(rung, gpu_for(material));
    json["intensity"] = or_null(intensity_of(after));
    json["counted_at"] =
        after ? Json(fmt::format("{} x {} x {}", after->m, after->n, after->k)) : Json(nullptr);
    if (parent) {
        const auto diff = diff_lines(lesson_of(*parent), lesson_of(rung));
        json["diff"] = unified(diff, kContext, false);
        json["added"] = count_lines(diff, Change::added);
        json["removed"] = count_lines(diff, Change::removed);
    }
    return json;
}

}  // namespace

Json rungs_panel(const Material& material) {
    Json all = Json::array();
    for (const KernelDefinition* rung : registry())
        if (rung->kind != Kind::baseline) all.push_back(rung_json(material, *rung));
    const Gpu& gpu = gpu_for(material);
    return {{"counted", material.counts_from},
            {"gpu", gpu.name},
            {"multiprocessors", gpu.multiprocessors},
            {"rungs", all}};
}

}  // namespace tilewright::lab::report
