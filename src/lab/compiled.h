// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What nvcc made of a kernel for one architecture, from the tables that are committed with it. Where
// they lack an architecture, the code for the nearest older one stands in, else for the nearest newer.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::lab {

/// What a table says below code for another architecture than was asked for.
inline constexpr const char* kStandInLegend =
    "Where a GPU's own code is not recorded, the nearest architecture's stands in.\n";

/// Instructions of one kind that move 32, 64 and 128 bits a lane.
using Widths = std::array<double, 3>;

/// Words of 32 bits that the widest of them moves; 0 when there is none.
int widest(const Widths& widths);

/// Instructions as they stand in the binary.
struct Instructions {
    double all = 0;  ///< In a loop: of its shortest way round.
    double ffma = 0, barriers = 0;
    double mma = 0;  ///< Of tensor cores.
    Widths shared_loads{}, shared_stores{}, global_loads{}, global_stores{};
};

struct Compiled {
    std::string architecture;  ///< That it was compiled for, as in Gpu.
    Instructions total;
    std::optional<Instructions> main_loop;  ///< The loop that holds the FFMAs, or mma.
    int registers = 0;
    // Of the loop's FFMAs:
    double ffma_reuse = 0;  ///< The share that carries a reuse flag.
    double bank_conflicts = 0;  ///< The share that reads two registers of one bank.
    double stalls = 0;  ///< Clocks that the compiler has a warp wait, all of the loop, for each.
};

/// From the text of results/sass.json; none where that does not tell of this variant.
std::optional<Compiled> compiled_of(std::string_view sass, std::string_view rung,
                                    std::string_view variant, const std::string& architecture);

/// What ptxas reported of a variant; occupancy depends on it.
struct Resources {
    std::string variant, architecture;  ///< The latter as in Gpu.
    int registers = 0, shared_bytes = 0, spill_bytes = 0, stack_bytes = 0;
};
/// From the text of results/resources.json: of all variants; empty when that was not recorded.
std::vector<Resources> resources_of(std::string_view resources, std::string_view rung);

std::optional<Resources> resources_for(std::span<const Resources> all, std::string_view variant,
                                       const std::string& architecture);

}  // namespace tilewright::lab
