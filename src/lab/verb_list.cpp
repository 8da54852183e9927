// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright list: the ladder in reading order, or the engine's kernels.
#include <fmt/format.h>

#include <cctype>

#include "lab/output.h"
#include "lab/registry.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "lab/verbs.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;
using KernelList = const std::vector<const KernelDefinition*>&;

Json json_of(const KernelDefinition& rung) {
    Json variants = Json::array();
    for (const Variant& variant : rung.variants) variants.push_back(lab::json_of(variant));
    Json json{{"id", rung.id}};
    const std::string_view number = ladder::number_of(rung);
    json["number"] = number.empty() ? Json(nullptr) : Json(number);
    json["name"] = ladder::name_of(rung);
    json["aliases"] = std::vector<std::string>(rung.aliases.begin(), rung.aliases.end());
    json["title"] = rung.title;
    json["idea"] = rung.idea;
    json["parent"] = *rung.parent ? Json(rung.parent) : Json(nullptr);
    json["kind"] = name_of(rung.kind);
    json["arithmetic"] = name_of(rung.arithmetic);
    json["compute_capability"] = rung.compute_capability;
    json["requirements"] = rung.requirements;
    json["variants"] = variants;
    return json;
}

/// The shortest word that selects it: k1, v4a, or its number.
std::string short_name(const KernelDefinition& rung) {
    return std::string(rung.id == ladder::name_of(rung) ? ladder::number_of(rung) : rung.id);
}

std::string parent_of(const KernelDefinition& rung, bool short_names) {
    if (!*rung.parent) return "-";
    return short_names ? short_name(*ladder::match(registry(), rung.parent).front()) : rung.parent;
}

/// What is not FP32 says so.
std::string idea_of(const KernelDefinition& rung) {
    if (rung.arithmetic == Arithmetic::fp32) return rung.idea;
    std::string name = name_of(rung.arithmetic);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format("In {}: {}", name, rung.idea);
}

/// For people by short names; programs want the ids that all other tables have.
Table table_of(const std::vector<const KernelDefinition*>& rungs, bool short_names) {
    Table table({{"rung", Align::left},
                 {"name", Align::left},
                 {"from", Align::left},
                 {"kind", Align::left},
                 {"idea", Align::left}});
    for (const KernelDefinition* rung : rungs)
        table.add({short_names ? short_name(*rung) : rung->id, title_of(*rung),
                   parent_of(*rung, short_names), name_of(rung->kind), idea_of(*rung)});
    return table;
}

std::string variant_names(const KernelDefinition& kernel) {
    std::vector<std::string> names;
    for (const Variant& variant : kernel.variants) names.emplace_back(variant.name);
    return join(names, " ");
}

/// A line for the idea and one for the variants: side by side they would be a column of words each.
std::string engine_page(KernelList kernels) {
    Table table({{"kernel", Align::left}, {"idea", Align::left}});
    for (const KernelDefinition* kernel : kernels) {
        table.add({kernel->id, kernel->idea});
        table.add({"", "Variants: " + variant_names(*kernel)});
    }
    return table.plain();
}

Table engine_table(KernelList kernels) {
    Table table({{"kernel", Align::left}, {"variants", Align::left}, {"idea", Align::left}});
    for (const KernelDefinition* kernel : kernels)
        table.add({kernel->id, variant_names(*kernel), kernel->idea});
    return table;
}

}  // namespace

int run_list(const Options& options) {
    const auto engine = engine_registry();
    const auto rungs = !options.engine         ? select_rungs(registry(), options.rungs)
                       : options.rungs.empty() ? select_kernels({}, engine, {"engine"})
                                               : select_kernels({}, engine, options.rungs);
    const char* name = options.engine ? "kernels" : "rungs";
    std::string text;
    switch (format_of(options)) {
        case Format::jsonl:  // format_of gives none
        case Format::json: {
            Json json{{name, Json::array()}};
            for (const KernelDefinition* rung : rungs) json[name].push_back(json_of(*rung));
            text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
            break;
        }
        case Format::csv:
            text = (options.engine ? engine_table(rungs) : table_of(rungs, false)).csv();
            break;
        case Format::md:
            text = (options.engine ? engine_table(rungs) : table_of(rungs, false)).markdown();
            break;
        case Format::table:
            text = options.engine ? engine_page(rungs) : table_of(rungs, true).plain();
            break;
    }
    deliver(options, text);
    return kRight;
}

}  // namespace tilewright::lab
