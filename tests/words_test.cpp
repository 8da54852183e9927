// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Words that copy asynchronously or meet other threads do the same in CPU mode and on a GPU.
#include <gtest/gtest.h>

#include <vector>

#include "lab/device.h"
#include "tests/words_kernels.h"

namespace tilewright {
namespace {

void expect_right(lab::Device& device, const WordsKernel& kernel) {
    std::vector<float> a(kWordsElements), c(kWordsElements, -1.0f);
    for (int i = 0; i < kWordsElements; ++i) a[i] = static_cast<float>(i);
    const std::vector<unsigned> zeros(kWordsFlags);
    lab::DeviceBuffer A(device, a.size() * 4), C(device, c.size() * 4), F(device, kWordsFlags * 4);
    device.upload(A.floats(), a.data(), A.bytes());
    device.upload(C.floats(), c.data(), C.bytes());
    device.upload(F.floats(), zeros.data(), F.bytes());
    const Status status = kernel.run(A.floats(), C.floats(),
                                     reinterpret_cast<unsigned*>(F.floats()), device.execution());
    ASSERT_TRUE(status.ok()) << status.reason;
    device.synchronise();
    device.download(c.data(), C.floats(), C.bytes());
    for (int i = 0; i < kWordsElements; ++i) ASSERT_EQ(c[i], a[i] + 1) << i;
    for (const simt::Hazard& hazard : device.take_hazards()) ADD_FAILURE() << hazard.sentence();
}

void expect_right_in(lab::CpuMode mode, std::span<const WordsKernel> kernels) {
    for (const WordsKernel& kernel : kernels)
        for (const unsigned workers : {1u, 3u, 16u})
            for (const uint64_t seed : {0, 1}) {
                SCOPED_TRACE(kernel.name);
                expect_right(*lab::open_cpu(mode, workers, seed), kernel);
            }
}

TEST(Words, DoInCpuModeWhatTheySay) {
    expect_right_in(lab::CpuMode::counted, cpu_counted::words_kernels());
}

TEST(Words, DoInFastModeWhatTheySay) {
    expect_right_in(lab::CpuMode::fast, cpu_fast::words_kernels());
}

TEST(Words, DoTheSameOnAGpu) {
#if TILEWRIGHT_WITH_CUDA
    std::string why;
    if (lab::gpu_count(why) == 0) GTEST_SKIP() << why;
    const auto device = lab::open_gpu(0);
    const double capability = std::stod(device->info().compute_capability) * 10;
    for (const WordsKernel& kernel : gpu::words_kernels()) {
        SCOPED_TRACE(kernel.name);
        if (capability >= kernel.architecture) expect_right(*device, kernel);
    }
#else
    GTEST_SKIP() << "no CUDA in this build";
#endif
}

}  // namespace
}  // namespace tilewright
