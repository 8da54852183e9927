// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/cubin.h"

#include <elf.h>

#include <cstring>
#include <stdexcept>

namespace tilewright::tools {

namespace {

/// Refuses what reaches beyond the end; no sum here can wrap.
std::string_view part(std::string_view bytes, uint64_t offset, uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset)
        throw std::runtime_error("holds a cubin that is cut off or damaged");
    return bytes.substr(offset, size);
}

template <typename T>
T read(std::string_view bytes, uint64_t offset) {
    T value;
    std::memcpy(&value, part(bytes, offset, sizeof value).data(), sizeof value);
    return value;
}

/// CUDA 13 moved it within the flags, and numbers that layout 8.
int architecture_of(const Elf64_Ehdr& header) {
    return header.e_flags >> (header.e_ident[EI_ABIVERSION] >= 8 ? 8 : 0) & 0xff;
}

std::vector<Instruction> instructions_in(std::string_view section) {
    if (section.size() % sizeof(Instruction) != 0)
        throw std::runtime_error("holds a kernel that ends within an instruction");
    std::vector<Instruction> instructions;
    for (size_t at = 0; at < section.size(); at += sizeof(Instruction))
        instructions.push_back(read<Instruction>(section, at));
    return instructions;
}

/// The sections .text.<kernel> of the cubin that `bytes` begin with.
void add_kernels(std::string_view bytes, const Elf64_Ehdr& header, std::vector<Code>& found) {
    const auto section = [&](unsigned index) {
        return read<Elf64_Shdr>(part(bytes, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)),
                                index * sizeof(Elf64_Shdr));
    };
    const Elf64_Shdr names_section = section(header.e_shstrndx);
    const std::string_view names = part(bytes, names_section.sh_offset, names_section.sh_size);
    constexpr std::string_view kPrefix = ".text.";
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr each = section(i);
        std::string_view name = part(names, each.sh_name, names.size() - each.sh_name);
        name = name.substr(0, name.find('\0'));
        if (!name.starts_with(kPrefix)) continue;
        found.push_back({std::string(name.substr(kPrefix.size())), architecture_of(header),
                         instructions_in(part(bytes, each.sh_offset, each.sh_size))});
    }
}

}  // namespace

std::vector<Code> code_in(std::string_view object) {
    constexpr std::string_view kMagic =
        "\x7f"
        "ELF\2\1\1";  // 64 bits, little-endian
    std::vector<Code> found;
    // The object is such a file itself, for another machine.
    for (size_t at = 0; (at = object.find(kMagic, at)) != object.npos; ++at) {
        const std::string_view bytes = object.substr(at);
        const auto header = read<Elf64_Ehdr>(bytes, 0);
        if (header.e_machine == EM_CUDA) add_kernels(bytes, header, found);
    }
    if (found.empty())
        throw std::runtime_error("holds no cubin: nvcc leaves one to read with --no-compress");
    return found;
}

}  // namespace tilewright::tools
