// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// tilewright explain: one rung in its own words, its configurations, and what it costs a GPU.
#include <fmt/format.h>

#include "lab/lesson.h"
#include "lab/output.h"
#include "lab/registry.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "lab/verbs.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

std::string size(int rows, int cols) {
    return rows > 0 ? fmt::format("{}x{}", rows, cols) : "-";
}

/// The sizes, and what follows from them for each thread and k-tile.
Table configuration_table(const KernelDefinition& rung) {
    Table table({{"variant", Align::left},
                 {"block tile"},
                 {"k-tile"},
                 {"warp tile"},
                 {"thread tile"},
                 {"threads"},
                 {"loads"},
                 {"FMA"}});
    for (const Variant& variant : rung.variants) {
        const TileConfig& c = variant.config;
        const bool tiled = c.block.k > 0 && c.threads > 0;
        table.add({variant.name, size(c.block.m, c.block.n),
                   tiled ? fmt::format("{}", c.block.k) : "-", size(c.warp.m, c.warp.n),
                   size(c.thread.m, c.thread.n), std::to_string(c.threads),
                   tiled ? fmt::format("{}+{}", c.block.m * c.block.k / c.threads,
                                       c.block.k * c.block.n / c.threads)
                         : "-",
                   tiled ? std::to_string(c.block.m * c.block.n * c.block.k / c.threads) : "-"});
    }
    return table;
}

/// What ptxas reported; an empty array when that was not recorded.
Json resources_of(const KernelDefinition& rung) {
    Json found = Json::array();
    const Json all = Json::parse(embedded_resources(), nullptr, false);
    if (!all.is_object()) return found;
    for (const Json& kernel : all.value("kernels", Json::array()))
        if (kernel.value("rung", "") == rung.id) found.push_back(kernel);
    return found;
}

Table resource_table(const Json& resources) {
    Table table({{"variant", Align::left},
                 {"architecture", Align::left},
                 {"registers"},
                 {"shared bytes"},
                 {"spill bytes"},
                 {"stack bytes"}});
    for (const Json& kernel : resources) {
        const auto number = [&](const char* key) {
            return kernel.contains(key) ? kernel[key].dump() : "-";
        };
        table.add({kernel.value("variant", "-"), kernel.value("architecture", "-"),
                   number("registers"), number("shared_bytes"), number("spill_bytes"),
                   number("stack_bytes")});
    }
    return table;
}

std::string parent_text(const KernelDefinition& rung) {
    for (const KernelDefinition* each : registry())
        if (std::string_view(each->id) == rung.parent)
            return fmt::format("{} ({})", title_of(*each), each->id);
    return "-";
}

std::string paragraph(const char* label, const std::string& text) {
    std::string result;
    for (const std::string& line : wrap(text, 66))
        result += fmt::format("{:<14}{}\n", result.empty() ? label : "", line);
    return result;
}

std::string page(const KernelDefinition& rung) {
    const std::vector<std::string> aliases(rung.aliases.begin(), rung.aliases.end());
    std::string text = fmt::format("{} ({}): {}\n\n", title_of(rung), rung.id, rung.title);
    text += paragraph("idea", rung.idea);
    text += paragraph("also called", aliases.empty() ? "-" : join(aliases, ", "));
    text += paragraph("kind", name_of(rung.kind));
    text += paragraph("grown from", parent_text(rung));
    text += paragraph("asks for", rung.requirements);
    const std::string header = header_of(rung);
    if (!header.empty()) text += '\n' + header;
    if (rung.kind == Kind::baseline) return text;
    text +=
        "\nConfigurations (loads: elements of A+B that a thread copies for each k-tile;\n"
        "FMA: what it does with them)\n" +
        configuration_table(rung).plain();
    const Json resources = resources_of(rung);
    text += resources.empty() ? "\nRegisters and memory: not recorded in this build.\n"
                              : "\nRegisters and memory, as ptxas reports them\n" +
                                    resource_table(resources).plain();
    if (*rung.parent)
        text += fmt::format("\nThe step from its parent: tilewright diff {} {}\n", rung.parent,
                            rung.id);
    return text;
}

Json json_of_page(const KernelDefinition& rung) {
    Json json{{"id", rung.id},
              {"name", ladder::name_of(rung)},
              {"title", rung.title},
              {"idea", rung.idea},
              {"aliases", std::vector<std::string>(rung.aliases.begin(), rung.aliases.end())},
              {"kind", name_of(rung.kind)},
              {"parent", *rung.parent ? Json(rung.parent) : Json(nullptr)},
              {"requirements", rung.requirements},
              {"header", header_of(rung)},
              {"variants", Json::array()},
              {"resources", resources_of(rung)}};
    for (const Variant& variant : rung.variants) {
        const TileConfig& c = variant.config;
        json["variants"].push_back({{"name", variant.name},
                                    {"block_m", c.block.m},
                                    {"block_n", c.block.n},
                                    {"block_k", c.block.k},
                                    {"warp_m", c.warp.m},
                                    {"warp_n", c.warp.n},
                                    {"thread_m", c.thread.m},
                                    {"thread_n", c.thread.n},
                                    {"threads", c.threads}});
    }
    return json;
}

}  // namespace

int run_explain(const Options& options) {
    const auto all = registry();
    const KernelDefinition& rung = select_rung(all, options.rungs.front());
    const Format format = format_of(options);
    if (format == Format::csv || format == Format::md)
        throw UsageError("--format: explain gives a page (table) or json");
    deliver(options,
            format == Format::json
                ? json_of_page(rung).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                      '\n'
                : page(rung));
    return kRight;
}

}  // namespace tilewright::lab
