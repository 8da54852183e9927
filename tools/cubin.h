// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Reads the GPU code that nvcc leaves in an object file: cubins, which are ELF files, one behind
// the other in a section of the object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tools {

/// 128 bits, as all GPUs since Volta have them.
struct Instruction {
    uint64_t low, high;

    /// `count` bits from bit `first` on; they lie in one half.
    constexpr uint64_t bits(int first, int count) const {
        return (first < 64 ? low >> first : high >> (first - 64)) & ((uint64_t{1} << count) - 1);
    }
};

struct Code {
    std::string kernel;  ///< Its mangled name.
    int architecture;  ///< 90 for sm_90 and sm_90a.
    std::vector<Instruction> instructions;
};

/// The kernels of all architectures in an object file's bytes. Throws a sentence to be read behind
/// the file's name where there is none, or where a cubin is damaged.
std::vector<Code> code_in(std::string_view object);

}  // namespace tilewright::tools
