// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The page that tilewright explain prints.
#include <fmt/format.h>

#include "lab/explanation.h"
#include "lab/header.h"
#include "lab/lesson.h"
#include "lab/registry.h"
#include "lab/table.h"
#include "lab/text.h"

namespace tilewright::lab {

namespace {

std::string size(int rows, int cols) {
    return rows > 0 ? fmt::format("{}x{}", rows, cols) : "-";
}

std::string parent_text(const KernelDefinition& rung) {
    for (const KernelDefinition* each : registry())
        if (std::string_view(each->id) == rung.parent)
            return fmt::format("{} ({})", title_of(*each), each->id);
    return "-";
}

std::string paragraph(std::string_view label, const std::string& text) {
    std::string result;
    for (const std::string& line : wrap(text, 66))
        result += fmt::format("{:<14}{}\n", result.empty() ? label : "", line);
    return result;
}

const char* what_it_computes_in(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            break;
        case Arithmetic::fp16x3:
            return "FP16X3: FP32's accuracy from two pieces of each factor";
        case Arithmetic::bf16x6:
            return "BF16X6: FP32's accuracy from three pieces of each factor";
        case Arithmetic::bf16x9:
            return "BF16X9: FP32's accuracy from all products of three pieces of each factor";
        case Arithmetic::tf32:
            return "TF32, not FP32: factors keep 11 significant bits of 24";
        case Arithmetic::tf32x3:
            return "TF32X3: FP32's accuracy from two pieces of each factor";
    }
    return "";
}

std::string title(const KernelDefinition& rung) {
    const std::vector<std::string> aliases(rung.aliases.begin(), rung.aliases.end());
    const std::string name = title_of(rung);
    std::string text = name == rung.id ? name : fmt::format("{} ({})", name, rung.id);
    text += fmt::format(": {}\n\n", rung.title);
    text += paragraph("idea", rung.idea);
    text += paragraph("also called", aliases.empty() ? "-" : join(aliases, ", "));
    text += paragraph("kind", name_of(rung.kind));
    text += paragraph("grown from", parent_text(rung));
    if (*what_it_computes_in(rung.arithmetic))
        text += paragraph("computes in", what_it_computes_in(rung.arithmetic));
    return text + paragraph("asks for", rung.requirements);
}

/// What the rung's header says, up to the counters to look at.
std::string picture(const Header& header) {
    std::string text;
    for (const char* label : {"Before", "Idea", "For", "Design", "Picture", "Cost"}) {
        const std::string section = header.plain(label);
        if (!section.empty()) text += '\n' + section;
    }
    return text.empty() ? '\n' + header.plain("") : text;
}

std::string variants(const KernelDefinition& rung) {
    Table table({{"variant", Align::left},
                 {"block tile"},
                 {"k-tile"},
                 {"warp tile"},
                 {"thread tile"},
                 {"threads"}});
    for (const Variant& variant : rung.variants) {
        const TileConfig& c = variant.config;
        table.add({variant.name, size(c.block.m, c.block.n),
                   c.block.k > 0 ? std::to_string(c.block.k) : "-", size(c.warp.m, c.warp.n),
                   size(c.thread.m, c.thread.n), std::to_string(c.threads)});
    }
    return "\nVariants\n" + table.plain();
}

std::string arithmetic(const Explanation& e) {
    std::string text = fmt::format("\nHow the tiles of '{}' add up\n", e.variant->name);
    for (const Sum& sum : e.sums) text += paragraph(sum.part, sum.text);
    if (e.rules.empty()) return text;
    text += "\nRules: sizes that break one do not compile\n";
    for (const Rule& rule : e.rules) {
        for (const std::string& line : wrap(rule.sentence, 78)) text += fmt::format("  {}\n", line);
        for (const std::string& line : wrap(with_values(rule.condition, e.variant->config), 72))
            text += fmt::format("      {}\n", line);
    }
    return text;
}

std::string resources(const Explanation& e) {
    Table table({{"architecture", Align::left},
                 {"registers"},
                 {"shared bytes"},
                 {"spill bytes"},
                 {"stack bytes"}});
    bool known = false;
    for (const Resources& each : e.resources) {
        if (each.variant != e.variant->name) continue;
        known = true;
        table.add({"sm_" + each.architecture, std::to_string(each.registers),
                   std::to_string(each.shared_bytes), std::to_string(each.spill_bytes),
                   std::to_string(each.stack_bytes)});
    }
    if (!known) return "\nRegisters and memory: not recorded in this build.\n";
    return "\nRegisters and memory, as ptxas reports them\n" + table.plain();
}

std::string occupancy(const Explanation& e) {
    Table table({{"GPU", Align::left},
                 {"code for", Align::left},
                 {"registers"},
                 {"shared bytes"},
                 {"blocks/SM"},
                 {"threads/SM"},
                 {"limited by", Align::left}});
    bool foreign = false;
    for (const OccupancyOn& on : e.occupancy) {
        if (!on.code) return {};
        foreign |= on.code->architecture != on.gpu->architecture;
        table.add(
            {on.gpu->word, "sm_" + on.code->architecture, std::to_string(on.code->registers),
             std::to_string(on.code->shared_bytes), std::to_string(on.occupancy.blocks),
             fmt::format("{} = {:.0f}%", on.occupancy.blocks * block_threads(e.variant->config),
                         on.occupancy.share * 100),
             on.occupancy.limit});
    }
    std::string text = "\nOccupancy\n" + table.plain();
    if (foreign) text += kStandInLegend;
    if (e.occupancy.size() == 1)
        text += paragraph("source", fmt::format("{}: {}", e.occupancy.front().gpu->name,
                                                e.occupancy.front().gpu->source));
    return text;
}

std::string claims(const Explanation& e) {
    if (e.rung->kind == Kind::engine) return {};
    if (!e.failure.empty()) return fmt::format("\nClaims: not counted: {}\n", e.failure);
    Table table({{"quantity", Align::left}, {"claimed"}, {"counted"}, {"", Align::left}});
    for (const CheckedClaim& claim : e.claims)
        table.add({claim.quantity, e.is_default() ? fmt::format("{:.6g}", claim.claimed) : "-",
                   claim.counted ? fmt::format("{:.6g}", *claim.counted) : "nothing",
                   !e.is_default() ? ""
                   : claim.holds   ? "ok"
                                   : "not so"});
    const Case test = case_of_claims();
    return fmt::format("\n{}, counted in CPU mode at {} x {} x {}\n{}",
                       e.is_default() ? "Claims" : "What the default variant claims", test.m,
                       test.n, test.k, table.plain());
}

std::string next(const KernelDefinition& rung, const Header& header) {
    std::string text;
    const std::string section = header.plain("Next");
    if (!section.empty()) text += '\n' + section;
    text += '\n';
    if (*rung.parent && rung.kind != Kind::engine)
        text += fmt::format("tilewright diff {:<24} the step from its parent\n", rung.id);
    return text + fmt::format("tilewright count {:<23} what each access of the kernel comes to\n",
                              rung.id);
}

}  // namespace

std::string page_of(const Explanation& e) {
    const KernelDefinition& rung = *e.rung;
    if (!e.variant) return title(rung);
    const Header header(header_of(rung));
    std::string text = title(rung) + picture(header) + variants(rung) + arithmetic(e) +
                       resources(e) + occupancy(e);
    const std::string look = header.plain("Look at");
    if (!look.empty()) text += '\n' + look;
    return text + claims(e) + next(rung, header);
}

}  // namespace tilewright::lab
