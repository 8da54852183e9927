// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// From an object file to the tables and the checks; and what damaged objects come to.
#include "tools/kernel_tables.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ladder/ladder.h"
#include "tools/cubin.h"

namespace tilewright::tools {
namespace {

using Json = nlohmann::json;

constexpr Instruction kFfma{0x000000202c537223, 0x001fc40000000053};
constexpr Instruction kLds128{0x0000100019087984, 0x000ee80000000c00};
constexpr Instruction kLds32{0x0000000019027984, 0x002e640000000800};
constexpr Instruction kStl128{0x0000100401007387, 0x008fe80000100c00};
constexpr Instruction kUpTwo{0xfffffffc00f41947, 0x000fea000383ffff};  // @P1 BRA, for sm_90
constexpr Instruction kExit{0x000000000000794d, 0x000fea0003800000};

template <typename T>
std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// A cubin of one kernel. The last two arguments are the layouts of CUDA 13 and 12.
std::string cubin(const std::string& kernel, const std::vector<Instruction>& code,
                  unsigned flags = 0x06005a04, unsigned char abi = 8) {
    std::string text, names = std::string(1, '\0') + ".shstrtab" + '\0' + ".text." + kernel + '\0';
    for (const Instruction& each : code) text += bytes_of(each);
    const uint64_t names_at = sizeof(Elf64_Ehdr), text_at = names_at + names.size();
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident,
                "\x7f"
                "ELF\2\1\1\x41",
                8);
    header.e_ident[EI_ABIVERSION] = abi;
    header.e_machine = EM_CUDA;
    header.e_flags = flags;
    header.e_shoff = text_at + text.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    const Elf64_Shdr none{};
    const Elf64_Shdr names_section{.sh_name = 1, .sh_offset = names_at, .sh_size = names.size()};
    const Elf64_Shdr text_section{.sh_name = 11, .sh_offset = text_at, .sh_size = text.size()};
    return bytes_of(header) + names + text + bytes_of(none) + bytes_of(names_section) +
           bytes_of(text_section);
}

/// The host's part of an object comes first.
std::string object(const std::string& cubins) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident,
                "\x7f"
                "ELF\2\1\1",
                7);
    header.e_machine = EM_X86_64;
    return bytes_of(header) + "host code" + cubins;
}

std::string fault_of(const std::string& bytes) {
    try {
        code_in(bytes);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST(Cubin, IsFoundInAnObject) {
    const auto found = code_in(object(cubin("first", {kFfma, kExit}) + "between" +
                                      cubin("second", {kLds128}, 0x00500550, 7)));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].kernel, "first");
    EXPECT_EQ(found[0].architecture, 90);
    ASSERT_EQ(found[0].instructions.size(), 2u);
    EXPECT_EQ(found[0].instructions[1].low, kExit.low);
    EXPECT_EQ(found[0].instructions[1].high, kExit.high);
    EXPECT_EQ(found[1].kernel, "second");
    EXPECT_EQ(found[1].architecture, 80);
}

TEST(Cubin, IsRefusedWhereverItIsCutOff) {
    const std::string whole = object(cubin("kernel", {kFfma, kExit}));
    const size_t start = object("").size();
    for (size_t size = start; size < whole.size(); ++size) {
        const std::string fault = fault_of(whole.substr(0, size));
        const bool none = size < start + 7;  // less than what a cubin is known by
        EXPECT_NE(fault.find(none ? "no cubin" : "cut off"), fault.npos) << size << ": " << fault;
    }
    EXPECT_EQ(fault_of(whole), "");
}

TEST(Cubin, IsRefusedWithWildNumbers) {
    const std::string good = cubin("kernel", {kFfma, kExit});
    const auto fault_with = [&](size_t at, auto value) {
        std::string bytes = good;
        std::memcpy(bytes.data() + at, &value, sizeof value);
        return fault_of(bytes);
    };
    const size_t text = good.size() - sizeof(Elf64_Shdr);
    const std::string damaged = "holds a cubin that is cut off or damaged";
    for (const uint64_t wild : {~uint64_t{0}, ~uint64_t{0} - 15, uint64_t{1} << 40}) {
        EXPECT_EQ(fault_with(offsetof(Elf64_Ehdr, e_shoff), wild), damaged);
        EXPECT_EQ(fault_with(text + offsetof(Elf64_Shdr, sh_offset), wild), damaged);
        EXPECT_EQ(fault_with(text + offsetof(Elf64_Shdr, sh_size), wild), damaged);
    }
    EXPECT_EQ(fault_with(text + offsetof(Elf64_Shdr, sh_name), ~uint32_t{0}), damaged);
    EXPECT_EQ(fault_with(offsetof(Elf64_Ehdr, e_shstrndx), uint16_t{0xffff}), damaged);
    EXPECT_EQ(fault_with(offsetof(Elf64_Ehdr, e_shnum), uint16_t{0xffff}), damaged);
    EXPECT_EQ(fault_with(text + offsetof(Elf64_Shdr, sh_size), uint64_t{24}),
              "holds a kernel that ends within an instruction");
}

/// What nvcc calls the default of a rung, as far as the tools read it.
std::string mangled(const char* id) {
    const auto found = ladder::match(ladder::rungs(ladder::Target::cpu_fast), id);
    const std::string name(ladder::name_of(*found.front()));
    std::string text = "_ZN10tilewright6ladder3gpu" + std::to_string(name.size()) + name + "5sgemm";
    for_each_member(found.front()->variants.front().config,
                    [&](const char*, int value) { text += "Li" + std::to_string(value) + "E"; });
    return text;
}

/// The program's status and all that it says, with an object file of one kernel among its arguments.
struct Outcome {
    int status;
    std::string out, err;
};
Outcome run_with(std::vector<std::string> arguments, const std::string& bytes,
                 const std::string& kernel) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("kernel_tables_test." + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "kernel.cu.o", std::ios::binary) << bytes;
    std::ofstream(folder / "kernel.cu.o.ptxas")
        << "ptxas info    : Compiling entry function '" << kernel << "' for 'sm_90a'\n"
        << "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        << "ptxas info    : Used 40 registers, used 1 barriers, 8192 bytes smem\n";
    arguments.push_back((folder / "kernel.cu.o").string());
    std::ostringstream out, err;
    const int status = run(arguments, out, err);
    std::filesystem::remove_all(folder);
    return {status, out.str(), err.str()};
}

TEST(KernelTables, ListWhatTheGpuRuns) {
    const std::string kernel = mangled("k6");
    const Outcome outcome =
        run_with({"sass", "13.0"}, object(cubin(kernel, {kLds128, kFfma, kUpTwo, kExit})), kernel);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out), Json::parse(R"({"nvcc": "13.0", "kernels": [
        {"rung": "k6", "variant": "default", "architecture": "90a", "registers": 40,
         "total": {"instructions": 4, "FFMA": 1, "LDS.128": 1},
         "main_loop": {"instructions": 3, "shortest": 3, "FFMA": 1, "LDS.128": 1},
         "ffma_reuse": 0.0, "ffma_bank_conflicts": 1.0, "stalls_per_ffma": 11.0}]})"));
}

TEST(KernelTables, LeaveOutWhatHelpsAKernel) {
    const std::string helper = "_ZN10tilewright6ladder3gpu7split_k9add_partsENS_3gpu4GemmEPKfi";
    const Outcome outcome = run_with({"sass", "13.0"}, object(cubin(helper, {kExit})), helper);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["kernels"].size(), 0u);
}

std::string said_of(const char* id, const std::vector<Instruction>& code) {
    const std::string kernel = mangled(id);
    const Outcome outcome =
        run_with({"check", "13.0", "90a", "no_such_folder"}, object(cubin(kernel, code)), kernel);
    EXPECT_EQ(outcome.status, 1);
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(id + std::string("/default"))) return line;
    return "passed";
}

TEST(KernelTables, RefuseVectorLoadsThatWereSplit) {
    const std::vector<Instruction> whole{kLds128, kFfma, kUpTwo, kExit};
    const std::vector<Instruction> split{kLds32, kFfma, kUpTwo, kExit};
    EXPECT_EQ(said_of("k6", whole), "passed");
    EXPECT_EQ(
        said_of("k6", split),
        "k6/default for sm_90a loads float4 alone from shared memory, but its main loop has 1 "
        "narrower LDS");
    EXPECT_EQ(said_of("k7", split), "passed");  // its source loads single words
    EXPECT_EQ(said_of("k1", split), "passed");  // its source loads none
    EXPECT_EQ(said_of("k6", {kLds32, kLds128, kFfma, kUpTwo, kExit}), "passed");  // before the loop
}

TEST(KernelTables, RefuseLocalMemory) {
    EXPECT_EQ(said_of("k1", {kStl128, kFfma, kUpTwo, kExit}),
              "k1/default for sm_90a accesses local memory in 1 instructions");
}

TEST(KernelTables, FailOnWhatTheyCannotRead) {
    const std::string kernel = mangled("k6"), good = object(cubin(kernel, {kFfma, kExit}));
    const std::vector<std::string> list{"sass", "13.0"};
    const auto expect = [](const Outcome& outcome, const char* fault) {
        EXPECT_EQ(outcome.status, 1);
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err.find(fault), outcome.err.npos) << outcome.err;
    };
    expect(run_with(list, good.substr(0, good.size() - 1), kernel), "kernel.cu.o: holds a cubin");
    expect(run_with(list, object(""), kernel), "kernel.cu.o: holds no cubin");
    expect(run_with(list, object(cubin("other", {kExit})), kernel), "holds no code of _ZN10tile");
    expect(run_with(list, good, "other"), "no variant is called other");
    expect(run_with({"sass", "13.0", "no_such_object"}, good, kernel),
           "no_such_object.ptxas: cannot be read");
}

TEST(KernelTables, SayHowTheyAreCalled) {
    std::ostringstream out, err;
    EXPECT_EQ(run({}, out, err), 2);
    EXPECT_EQ(run({"sass", "13.0"}, out, err), 2);
    EXPECT_EQ(run({"other", "13.0", "object"}, out, err), 2);
    EXPECT_NE(err.str().find("usage: sass_count"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::tools
