// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the GPU runs: counts a kernel's instructions, in all and in its main loop. Knows the encoding
// of sm_75 to sm_90, as far as it counts; compared with nvdisasm's output for sm_80, 86 and 90a.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/cubin.h"

namespace tilewright::tools {

/// Whether instructions for it mean what is said here.
constexpr bool is_known(int architecture) {
    return architecture >= 75 && architecture <= 90;
}

struct Sass {
    /// Instructions as they stand in the code: both sides of a branch are counted.
    struct Counts {
        int instructions = 0;
        /// "FFMA", or with the width in bits "LDS.128"; only what occurs.
        std::map<std::string, int> of;
        int reusing_ffmas = 0;  ///< FFMAs that keep an operand in the reuse cache.
        int conflicting_ffmas = 0;  ///< FFMAs that read two registers of one bank.
        int stalls = 0;  ///< Clocks that the compiler has a warp wait behind its instructions.
        /// Of a loop: the instructions on the shortest way round it.
        int shortest = 0;
    };
    Counts total;
    /// The loop that holds most FFMAs or instructions of tensor cores, without loops inside it; none
    /// where no loop holds one.
    std::optional<Counts> main_loop;
};

Sass sass_of(std::span<const Instruction> instructions, int architecture);

/// What an instruction is counted as; empty for all that is not told apart.
std::string counted_as(const Instruction& instruction);

/// Where a branch leads, as an index; none for other instructions.
std::optional<size_t> target_of(const Instruction& instruction, size_t index, int architecture);

/// A natural loop: all that is on a way from its head to its head.
struct Loop {
    size_t head;
    std::vector<bool> body;  ///< For each instruction.
};
std::vector<Loop> loops_in(std::span<const Instruction> instructions, int architecture);

}  // namespace tilewright::tools
