// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Each rung's file is also a program for NVRTC, so that a tuner can compile a configuration that
// this build lacks. Compiling needs no GPU.
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <fstream>
#include <sstream>

#include "ladder/ladder.h"

namespace tilewright {
namespace {

class Nvrtc : public testing::TestWithParam<const KernelDefinition*> {};

TEST_P(Nvrtc, CompilesTheKernel) {
    const KernelDefinition& rung = *GetParam();
    std::ifstream file(rung.file);
    ASSERT_TRUE(file) << rung.file;
    std::stringstream text;
    text << file.rdbuf();
    nvrtcProgram program;
    ASSERT_EQ(nvrtcCreateProgram(&program, text.str().c_str(), rung.file, 0, nullptr, nullptr),
              NVRTC_SUCCESS);
    std::string kernel = "tilewright::ladder::" + std::string(ladder::name_of(rung)) +
                         "::sgemm<tilewright::TileConfig{";
    for_each_member(rung.variants[0].config,
                    [&](const char*, int value) { kernel += std::to_string(value) + ','; });
    kernel += "}>";
    ASSERT_EQ(nvrtcAddNameExpression(program, kernel.c_str()), NVRTC_SUCCESS);
    const char* options[] = {"-I" TILEWRIGHT_SOURCE "/src", "-std=c++20", "-arch=sm_90a",
                             "-DTILEWRIGHT_TARGET=gpu", "--fmad=false"};
    const nvrtcResult result = nvrtcCompileProgram(program, std::size(options), options);
    size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, '\0');
    nvrtcGetProgramLog(program, log.data());
    EXPECT_EQ(result, NVRTC_SUCCESS) << log;
    nvrtcDestroyProgram(&program);
}

INSTANTIATE_TEST_SUITE_P(Rungs, Nvrtc,
                         testing::ValuesIn(ladder::rungs(ladder::Target::cpu_fast).begin(),
                                           ladder::rungs(ladder::Target::cpu_fast).end()),
                         [](const auto& test) { return std::string(test.param->id); });

}  // namespace
}  // namespace tilewright
