// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Instructions as nvdisasm prints them, word for word, and what is counted of them.
#include "tools/sass.h"

#include <gtest/gtest.h>

namespace tilewright::tools {
namespace {

struct Known {
    Instruction words;
    const char* text;
    const char* counted;
};

const Known kKnown[] = {
    {{0x0000000817087223, 0x004fc80000000004}, "FFMA R8, R23, R8, R4", "FFMA"},
    {{0x40490fdb08087823, 0x000fc80000000005}, "FFMA R8, R8, 3.1415927, R5", "FFMA"},
    {{0x0000000200037221, 0x002fcc0000000000}, "FADD R3, R0, R2", "FADD"},
    {{0x0000000549497c20, 0x000fe20008400000}, "FMUL R73, R73, UR5", "FMUL"},
    {{0x00005e0053537a20, 0x000fe40000400000}, "FMUL R83, R83, c[0x0][0x178]", "FMUL"},
    {{0x0000030018117984, 0x000f28000000c000}, "LDS.U8 R17, [R24.X16+0x3]", "LDS.8"},
    {{0x0000000018027984, 0x002e64000000c800}, "LDS R2, [R24.X16]", "LDS.32"},
    {{0x00000800190e7984, 0x000f280000000a00}, "LDS.64 R14, [R25+0x8]", "LDS.64"},
    {{0x00000000702c7984, 0x000fe80000004c00}, "LDS.128 R44, [R112.X4]", "LDS.128"},
    {{0x00000000fffff984, 0x000fe20000000800}, "@!PT LDS RZ, [RZ]", ""},
    {{0x0000002c63007388, 0x0041e80000004800}, "STS [R99.X4], R44", "STS.32"},
    {{0x0000280e19007388, 0x0105e80000000a00}, "STS.64 [R25+0x28], R14", "STS.64"},
    {{0x0000001c26007388, 0x0103e20000000c00}, "STS.128 [R38], R28", "STS.128"},
    {{0x000000081c2c1981, 0x0000a2000c1e1900}, "@P1 LDG.E R44, [R28.64]", "LDG.32"},
    {{0x0000c806140c7981, 0x000f68000c1e1b00}, "LDG.E.64 R12, [R20.64+0xc8]", "LDG.64"},
    {{0x0000d0060c047981, 0x002ee8000c1e9d00}, "LDG.E.128.CONSTANT R4, ...", "LDG.128"},
    {{0x0000000516007986, 0x0043e8000c101908}, "STG.E desc[UR8][R22.64], R5", "STG.32"},
    {{0x0000001c26007986, 0x0001e2000c101d08}, "STG.E.128 [R38.64], R28", "STG.128"},
    {{0x000000000c137fae, 0x0003e8000b921846}, "LDGSTS.E [R19], [R12.64]", "LDGSTS.32"},
    {{0x000100100c137fae, 0x0003e8000b921a46}, "LDGSTS.E.64 ...", "LDGSTS.64"},
    {{0x0002002014197fae, 0x0003e8000b901c48}, "LDGSTS.E.BYPASS.128 ...", "LDGSTS.128"},
    {{0x00000000000079af, 0x000e220000000000}, "LDGDEPBAR", "LDGDEPBAR"},
    {{0x000080000000791a, 0x000fc80000000000}, "DEPBAR.LE SB0, 0x0", "DEPBAR"},
    {{0x000000001c107983, 0x0005680000100800}, "LDL R16, [R28]", "LDL.32"},
    {{0x0000100401007387, 0x008fe80000100c00}, "STL.128 [R1+0x10], R4", "STL.128"},
    {{0x000000030c0079a8, 0x000ea200081ee7c6}, "ATOMG.E.ADD.F32... (sm_80)", "ATOM"},
    {{0x0000000d140579a3, 0x000ea400081ef3c8}, "ATOMG.E.ADD.F32... (sm_90)", "ATOM"},
    {{0x00000c060c0273a9, 0x004ea200001ee107}, "ATOMG.E.CAS...", "ATOM"},
    {{0x000000001909738c, 0x008ee80000000000}, "ATOMS.ADD R9, [R25], R0", "ATOM"},
    {{0x000040021400098a, 0x000ea200081ee1c6}, "@P0 ATOM.E.ADD...", "ATOM"},
    {{0x000004030c00798e, 0x000ff0000c10e786}, "RED.E.ADD.F32... (sm_80)", "RED"},
    {{0x0000000d020079a6, 0x0003e8000c10f388}, "REDG.E.ADD.F32... (sm_90)", "RED"},
    {{0x0000000000007b1d, 0x000fe20000010000}, "BAR.SYNC.DEFER_BLOCKING 0x0", "BAR"},
    {{0x0000820000087ab9, 0x000fe20000000a00}, "ULDC.64 UR8, c[0x0][0x208]", ""},
    {{0xffffff0001017810, 0x000fe40007ffe0ff}, "IADD3 R1, R1, -0x100, RZ", ""},
};

TEST(Sass, TellsOperationAndWidth) {
    for (const Known& known : kKnown)
        EXPECT_EQ(counted_as(known.words), known.counted) << known.text;
}

struct Branch {
    int architecture;
    Instruction words;
    size_t at, to;  // addresses
};

const Branch kBranches[] = {
    {80, {0x0000007000000947, 0x000fea0003800000}, 0x630, 0x6b0},
    {86, {0x0000103000009947, 0x000fea0003800000}, 0x6e0, 0x1720},
    {80, {0xfffff72000001947, 0x000fea000383ffff}, 0x16b0, 0xde0},
    {80, {0x000001227f007947, 0x000fea0003800000}, 0xe0, 0x210},  // BRA.DIV
    {80, {0x000001e000007944, 0x000fea0003c00000}, 0xd0, 0x2c0},  // CALL.REL.NOINC
    {80, {0xfffffff000007947, 0x000fc0000383ffff}, 0x66a0, 0x66a0},
    {90, {0x00000000001c0947, 0x000fea0003800000}, 0x690, 0x710},
    {90, {0x00000010005c9947, 0x000fec0003800000}, 0x740, 0x18c0},
    {90, {0xfffffff400c01947, 0x000fec000383ffff}, 0x1850, 0xf60},
    {90, {0xfffffffc00fc7947, 0x000fc0000383ffff}, 0x71c0, 0x71c0},
};

TEST(Sass, FindsWhereBranchesLead) {
    for (const Branch& branch : kBranches)
        EXPECT_EQ(target_of(branch.words, branch.at / 16, branch.architecture), branch.to / 16)
            << std::hex << branch.at << " for sm_" << std::dec << branch.architecture;
    EXPECT_FALSE(target_of(kKnown[0].words, 5, 80));
}

constexpr Instruction kFfma{0x000000202c537223, 0x001fc40000000053};  // FFMA R83, R44, R32, R83
constexpr Instruction kReusing{0x000000202d4b7223, 0x080fe4000000004b};  // ... R45, R32.reuse, ...
constexpr Instruction kFadd{0x0000000200037221, 0x002fcc0000000000};
constexpr Instruction kLds128{0x0000100019087984, 0x000ee80000000c00};
constexpr Instruction kSts128{0x0000001c26007388, 0x0103e20000000c00};
constexpr Instruction kLdg128{0x000000081c1c7981, 0x000ea8000c1e1d00};
constexpr Instruction kDummy{0x00000000fffff984, 0x000fe20000000800};
constexpr Instruction kBar{0x0000000000007b1d, 0x000fe20000010000};
constexpr Instruction kExit{0x000000000000794d, 0x000fea0003800000};
constexpr Instruction kNop{0x0000000000007918, 0x000fc00000000000};

/// Loops within loops, a branch past two instructions, and a piece of the outer loop that stands
/// behind the exit. `product` takes the place of the inner loop's FFMAs.
std::vector<Instruction> nest(bool sm_90, Instruction product, Instruction reusing) {
    const auto branch = [&](uint64_t sm_80_low, uint64_t sm_90_low, uint64_t high) {
        return Instruction{sm_90 ? sm_90_low : sm_80_low, high};
    };
    constexpr uint64_t kDown = 0x000fea0003800000, kUp = 0x000fea000383ffff;
    return {
        kLdg128,
        kSts128,  // 1: the outer loop
        kBar,
        kLds128,  // 3: the inner loop
        kDummy,
        reusing,
        product,
        branch(0x0000002000001947, 0x0000000000081947, kDown),  // @P1 BRA 10
        reusing,
        kLds128,
        branch(0xffffff8000001947, 0xfffffffc00e01947, kUp),  // 10: @P1 BRA 3
        kFfma,
        branch(0x0000002000008947, 0x0000000000088947, kDown),  // @!P0 BRA 15
        branch(0xffffff3000001947, 0xfffffffc00cc1947, kUp),  // 13: @P1 BRA 1
        kExit,
        kLdg128,  // 15
        branch(0xffffffc000007947, 0xfffffffc00f07947, kUp),  // BRA 13
        branch(0xfffffff000007947, 0xfffffffc00fc7947, kUp),  // 17: BRA 17
        kNop,
        kNop,
    };
}

TEST(Sass, FindsNaturalLoops) {
    for (const int architecture : {80, 86, 90}) {
        const auto code = nest(architecture == 90, kFfma, kReusing);
        const std::vector<Loop> loops = loops_in(code, architecture);
        ASSERT_EQ(loops.size(), 2u) << architecture;
        EXPECT_EQ(loops[0].head, 1u);
        EXPECT_EQ(loops[1].head, 3u);
        for (size_t i = 0; i < code.size(); ++i) {
            const bool outer = (i >= 1 && i <= 13) || i == 15 || i == 16;
            EXPECT_EQ(loops[0].body[i], outer) << architecture << ", " << i;
            EXPECT_EQ(loops[1].body[i], i >= 3 && i <= 10) << architecture << ", " << i;
        }
    }
}

TEST(Sass, CountsTheLoopWithMostProducts) {
    using Map = std::map<std::string, int>;
    for (const int architecture : {80, 86, 90}) {
        const Sass inner = sass_of(nest(architecture == 90, kFfma, kReusing), architecture);
        EXPECT_EQ(inner.total.instructions, 17);  // without the padding
        EXPECT_EQ(inner.total.of,
                  (Map{{"BAR", 1}, {"FFMA", 4}, {"LDG.128", 2}, {"LDS.128", 2}, {"STS.128", 1}}));
        EXPECT_EQ(inner.total.reusing_ffmas, 2);
        ASSERT_TRUE(inner.main_loop);
        EXPECT_EQ(inner.main_loop->instructions, 8);
        EXPECT_EQ(inner.main_loop->shortest, 6);
        EXPECT_EQ(inner.main_loop->of, (Map{{"FFMA", 3}, {"LDS.128", 2}}));
        EXPECT_EQ(inner.main_loop->reusing_ffmas, 2);
        EXPECT_EQ(inner.main_loop->conflicting_ffmas, 2);
        EXPECT_EQ(inner.main_loop->stalls, 4 + 1 + 2 + 2 + 5 + 2 + 4 + 5);

        // Without products in the inner loop it is the outer one, the inner left out.
        const Sass outer = sass_of(nest(architecture == 90, kFadd, kFadd), architecture);
        ASSERT_TRUE(outer.main_loop);
        EXPECT_EQ(outer.main_loop->instructions, 7);
        EXPECT_EQ(outer.main_loop->shortest, 5);
        EXPECT_EQ(outer.main_loop->of,
                  (Map{{"BAR", 1}, {"FFMA", 1}, {"LDG.128", 1}, {"STS.128", 1}}));
        EXPECT_EQ(outer.main_loop->reusing_ffmas, 0);
    }
}

TEST(Sass, TakesTheShorterOfLoopsWithAsManyProducts) {
    constexpr uint64_t kUp = 0x000fea000383ffff;
    constexpr Instruction kBack3{0xffffffd000001947, kUp}, kBack2{0xffffffe000001947, kUp};
    for (const auto& code : {std::vector{kFadd, kFfma, kBack3, kFfma, kBack2, kExit},
                             std::vector{kFfma, kBack2, kFadd, kFfma, kBack3, kExit}}) {
        const Sass sass = sass_of(code, 80);
        ASSERT_TRUE(sass.main_loop);
        EXPECT_EQ(sass.main_loop->shortest, 2);
    }
}

/// FFMA Rd, Ra, Rb, Rc; `reuse` has a bit for each of the three, a the lowest.
Instruction ffma(uint64_t d, uint64_t a, uint64_t b, uint64_t c, uint64_t reuse) {
    return {0x7223 | d << 16 | a << 24 | b << 32, c | reuse << 58};
}

TEST(Sass, TellsTwoReadsOfOneBank) {
    const auto conflicts = [](const std::vector<Instruction>& code) {
        return sass_of(code, 90).total.conflicting_ffmas;
    };
    EXPECT_EQ(conflicts({ffma(0, 2, 4, 1, 0)}), 1);
    EXPECT_EQ(conflicts({ffma(0, 3, 4, 1, 0)}), 1);
    EXPECT_EQ(conflicts({ffma(0, 2, 2, 1, 0)}), 0);  // one register, twice
    EXPECT_EQ(conflicts({ffma(0, 2, 255, 4, 0)}), 1);
    EXPECT_EQ(conflicts({ffma(0, 2, 255, 3, 0)}), 0);  // RZ is no register
    // What the one before keeps is not read again, in the same place and by the very next.
    EXPECT_EQ(conflicts({ffma(0, 2, 5, 1, 1), ffma(6, 2, 4, 7, 0)}), 1);
    EXPECT_EQ(conflicts({ffma(0, 2, 5, 1, 0), ffma(6, 2, 4, 7, 0)}), 2);
    EXPECT_EQ(conflicts({ffma(0, 2, 5, 1, 1), ffma(6, 4, 2, 7, 0)}), 2);
    EXPECT_EQ(conflicts({ffma(0, 2, 5, 1, 1), kLds128, ffma(6, 2, 4, 7, 0)}), 2);
    // An immediate stands where b would.
    EXPECT_EQ(conflicts({{0x3f80000002007823, 0x4}}), 1);
    EXPECT_EQ(conflicts({{0x3f80000002007823, 0x5}}), 0);
}

TEST(Sass, HasNoMainLoopWithoutProductsInALoop) {
    EXPECT_FALSE(sass_of(std::vector{kFfma, kExit}, 90).main_loop);
    EXPECT_FALSE(sass_of({}, 90).main_loop);
    EXPECT_EQ(sass_of({}, 90).total.instructions, 0);
}

}  // namespace
}  // namespace tilewright::tools
