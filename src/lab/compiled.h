// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What nvcc made of a kernel for one architecture, from the tables that are committed with it.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tilewright::lab {

/// Instructions of one kind that move 32, 64 and 128 bits a lane.
using Widths = std::array<double, 3>;

/// Words of 32 bits that the widest of them moves; 0 when there is none.
int widest(const Widths& widths);

/// Instructions as they stand in the binary.
struct Instructions {
    double all = 0;  ///< In a loop: of its shortest way round.
    double ffma = 0, barriers = 0;
    Widths shared_loads{}, shared_stores{}, global_loads{}, global_stores{};
};

struct Compiled {
    Instructions total;
    std::optional<Instructions> main_loop;  ///< The loop that holds the FFMAs.
    int registers = 0;
    double ffma_reuse = 0;  ///< The share of the loop's FFMAs that carry a reuse flag.
};

/// From the text of results/sass.json; none where that does not tell of this kernel.
std::optional<Compiled> compiled_of(std::string_view sass, std::string_view rung,
                                    std::string_view variant, std::string_view architecture);

/// What occupancy depends on.
struct Resources {
    int registers, shared_bytes;
};
/// From the text of results/resources.json; likewise.
std::optional<Resources> resources_of(std::string_view resources, std::string_view rung,
                                      std::string_view variant, std::string_view architecture);

}  // namespace tilewright::lab
