// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/kernel.h"
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
    return {{"counted", material.counts_from}, {"rungs", all}};
}

}  // namespace tilewright::lab::report
