// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a handle is told to work with: a workspace, a kernel, somebody who listens.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "engine/memory.h"

namespace tilewright::test {
namespace {

/// Of ones: each element of C becomes k.
class Ones {
  public:
    Ones(int64_t m, int64_t n, int64_t k)
        : m_(m), n_(n), k_(k), a_(m * k), b_(k * n), c_(m * n), scalars_(2) {
        for (Memory* memory : {&a_, &b_})
            for (int64_t i = 0; i < memory->elements(); ++i) memory->data()[i] = 1;
        scalars_.data()[0] = 1, scalars_.data()[1] = 0;
    }
    /// Then nothing is multiplied; where alpha is on the device, the kernel is still taken.
    void make_alpha_zero() { scalars_.data()[0] = 0; }
    tilewright_status_t run(tilewright_handle_t handle) {
        c_.restore();
        const auto status = tilewright_sgemm(
            handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, m_, n_, k_,
            scalars_.data(), a_.data(), k_, b_.data(), n_, scalars_.data() + 1, c_.data(), n_);
        wait();
        return status;
    }
    bool is_right() const {
        for (int64_t i = 0; i < c_.elements(); ++i)
            if (c_.data()[i] != static_cast<float>(k_)) return false;
        return true;
    }

  private:
    int64_t m_, n_, k_;
    Memory a_, b_, c_, scalars_;
};

std::string error_of(tilewright_handle_t handle) {
    return tilewright_last_error(handle);
}
std::string kernel_of(tilewright_handle_t handle) {
    return tilewright_last_kernel(handle);
}

TEST(Workspace, IsRefusedWhereItIsNone) {
    const Handle handle;
    Memory memory(1024);
    auto* at = memory.data() - reinterpret_cast<uintptr_t>(memory.data()) % 256 / 4 + 1;
    EXPECT_EQ(tilewright_set_workspace(handle, at, 1024), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(handle), "workspace is not on 256 bytes");
    for (const size_t bytes : {size_t{1}, size_t{1} << 20, SIZE_MAX}) {
        EXPECT_EQ(tilewright_set_workspace(handle, nullptr, bytes),
                  TILEWRIGHT_STATUS_INVALID_VALUE);
        EXPECT_EQ(error_of(handle).find("workspace is a null pointer with "), 0u);
    }
}

TEST(Workspace, OfAnySizeGivesTheSameNumbers) {
    const Handle handle;
    Ones ones(8, 8, 8192);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    const std::string fastest = kernel_of(handle);
    EXPECT_NE(fastest.find("parts="), std::string::npos) << fastest;
    Memory memory(1 << 16, Edge::front);
    for (const size_t bytes : {size_t{0}, size_t{4}, size_t{4096}, size_t{4} << 16}) {
        ASSERT_EQ(tilewright_set_workspace(handle, memory.data(), bytes),
                  TILEWRIGHT_STATUS_SUCCESS);
        ASSERT_EQ(tilewright_set_stream(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
        ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
        EXPECT_TRUE(ones.is_right()) << bytes;
        if (bytes == 0) {
            EXPECT_EQ(kernel_of(handle).find("parts="), std::string::npos);
        }
        for (auto i = static_cast<int64_t>((bytes + 3) / 4); i < memory.last(); ++i)
            ASSERT_FALSE(memory.was_changed(i)) << "behind its end: " << i;
    }
    // More than there can be: what a program says that does not want to count.
    ASSERT_EQ(tilewright_set_workspace(handle, memory.data(), 0), TILEWRIGHT_STATUS_SUCCESS);
    Memory large((32 << 20) / 4, Edge::front);
    ASSERT_EQ(tilewright_set_workspace(handle, large.data(), SIZE_MAX), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    ASSERT_EQ(tilewright_set_workspace(handle, nullptr, 0), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_of(handle), fastest);
}

TEST(Workspace, OfTheSizeThatIsAdvisedIsEnough) {
    const Handle handle;
    const auto size = [&](int64_t m, int64_t n, int64_t k, int64_t batch, size_t* bytes) {
        return tilewright_get_workspace_size(handle, TILEWRIGHT_COL_MAJOR, TILEWRIGHT_OP_N,
                                             TILEWRIGHT_OP_T, m, n, k, batch, bytes);
    };
    size_t bytes = 1;
    EXPECT_EQ(size(0, 5, 5, 1, &bytes), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(size(8, 8, 8192, 1, &bytes), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_GT(bytes, 0u);
    EXPECT_EQ(size(5, -1, 5, 1, &bytes), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(handle), "n = -1 is negative");
    EXPECT_EQ(size(5, 5, 5, -1, &bytes), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(handle), "batch_count = -1 is negative");
    EXPECT_EQ(size(5, 5, 5, 1, nullptr), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(handle), "bytes is a null pointer");
    for (const int64_t large : {INT64_MAX, INT64_MAX - 3, int64_t{1} << 40})
        for (const bool m : {true, false}) {
            EXPECT_EQ(size(m ? large : 1, large, m ? 1 : large, 1, &bytes),
                      TILEWRIGHT_STATUS_INVALID_VALUE);
            EXPECT_NE(error_of(handle).find(" would span "), std::string::npos) << error_of(handle);
        }
}

/// False where the device has no tensor cores that the build has kernels for.
bool takes_fp16x3(tilewright_handle_t handle) {
    const auto status = tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP16X3);
    EXPECT_TRUE(on_gpu() || status == TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    return status == TILEWRIGHT_STATUS_SUCCESS;
}

constexpr const char* kTensorKernel = "tensor_tile/128x128-32 compute=fp16x3";

TEST(Compute, TensorCoresAreForTheirModeAlone) {
    const Handle handle;
    Ones ones(5, 6, 70);
    ASSERT_EQ(tilewright_set_kernel(handle, kTensorKernel), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(ones.run(handle), TILEWRIGHT_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(error_of(handle),
              std::string(kTensorKernel) + " cannot run this problem: needs compute mode fp16x3");
    if (!takes_fp16x3(handle)) GTEST_SKIP() << error_of(handle);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    EXPECT_EQ(kernel_of(handle), kTensorKernel);
    EXPECT_TRUE(ones.is_right());
    // FP32's kernels serve any mode.
    ASSERT_EQ(tilewright_set_kernel(handle, "tile/64x64"), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    ASSERT_EQ(tilewright_set_kernel(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    EXPECT_EQ(kernel_of(handle).find("tensor_tile"), std::string::npos) << "so small a product";
    EXPECT_TRUE(ones.is_right());
}

TEST(Compute, TheHandlesWorkspaceGrowsAndTheCallersDoesNot) {
    const Handle handle;
    if (!takes_fp16x3(handle)) GTEST_SKIP() << error_of(handle);
    ASSERT_EQ(tilewright_set_kernel(handle, kTensorKernel), TILEWRIGHT_STATUS_SUCCESS);
    Ones large(1, 1, 300000);  // whose pieces take more than 32 MiB
    large.make_alpha_zero();
    ASSERT_EQ(tilewright_set_pointer_mode(handle, 1), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(large.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    EXPECT_EQ(kernel_of(handle), kTensorKernel);
    Memory memory(1 << 10, Edge::front);
    ASSERT_EQ(tilewright_set_workspace(handle, memory.data(), 4 << 10), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(large.run(handle), TILEWRIGHT_STATUS_NOT_SUPPORTED);
    EXPECT_NE(error_of(handle).find("needs a larger workspace"), std::string::npos);
    // Without a kernel's name another one is taken.
    ASSERT_EQ(tilewright_set_kernel(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(large.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    for (int64_t i = 1 << 10; i < memory.last(); ++i) ASSERT_FALSE(memory.was_changed(i)) << i;
    ASSERT_EQ(tilewright_set_workspace(handle, nullptr, 0), TILEWRIGHT_STATUS_SUCCESS);
}

TEST(Compute, Fp32IsTheSameAfterTheWorkspaceHasGrown) {
    const Handle handle;
    Ones long_sum(8, 8, 8192);
    ASSERT_EQ(long_sum.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    const std::string before = kernel_of(handle);
    if (!takes_fp16x3(handle)) GTEST_SKIP() << error_of(handle);
    ASSERT_EQ(tilewright_set_kernel(handle, kTensorKernel), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(tilewright_set_pointer_mode(handle, 1), TILEWRIGHT_STATUS_SUCCESS);
    Ones large(1, 1, 300000);
    large.make_alpha_zero();
    ASSERT_EQ(large.run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
    ASSERT_EQ(tilewright_set_pointer_mode(handle, 0), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(tilewright_set_kernel(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP32), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(long_sum.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_of(handle), before);
    EXPECT_TRUE(long_sum.is_right());
}

TEST(Compute, TheSizeThatIsAdvisedIsTheModes) {
    const Handle handle;
    const auto size = [&] {
        size_t bytes = 0;
        EXPECT_EQ(tilewright_get_workspace_size(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N,
                                                TILEWRIGHT_OP_N, 4096, 4096, 4096, 1, &bytes),
                  TILEWRIGHT_STATUS_SUCCESS);
        return bytes;
    };
    const size_t in_fp32 = size();
    if (!takes_fp16x3(handle)) GTEST_SKIP() << error_of(handle);
    EXPECT_GE(size(), size_t{2} * 4096 * 4096 * 4) << "pieces of both operands";
    ASSERT_EQ(tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP32), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(size(), in_fp32);
}

TEST(Kernels, AreNamedByTheCallerOrRefused) {
    const Handle handle;
    Ones ones(5, 6, 700);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    const std::string fastest = kernel_of(handle);
    for (const char* name : {"tile", "tile/", "tile/63x64", "Tile/64x64", "tile/64x64 ",
                             "tile/64x64 parts=", "tile/64x64 parts=0", "tile/64x64 parts=-2",
                             "tile/64x64 parts=2x", "tile/64x64 parts=99999999999", "none"}) {
        EXPECT_EQ(tilewright_set_kernel(handle, name), TILEWRIGHT_STATUS_INVALID_VALUE) << name;
        EXPECT_NE(error_of(handle).find('\'' + std::string(name) + '\''), std::string::npos);
    }
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_of(handle), fastest) << "a name that was refused changed the choice";
    ASSERT_EQ(tilewright_set_kernel(handle, "tile/64x64 parts=3"), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_of(handle), "tile/64x64 parts=3");
    EXPECT_TRUE(ones.is_right());
    ASSERT_EQ(tilewright_set_kernel(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_of(handle), fastest);
}

TEST(Log, TellsTheCallAndTheChoiceInTheCallingThread) {
    const Handle handle;
    struct Heard {
        std::vector<std::string> lines;
        std::thread::id thread;
    } heard;
    const auto listen = [](const char* line, void* user) {
        static_cast<Heard*>(user)->lines.push_back(line);
        static_cast<Heard*>(user)->thread = std::this_thread::get_id();
    };
    ASSERT_EQ(tilewright_set_log(handle, listen, &heard), TILEWRIGHT_STATUS_SUCCESS);
    Ones ones(5, 6, 70);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(heard.lines.size(), 1u);
    EXPECT_EQ(heard.lines[0].find("tilewright dispatch N N 5 6 70"), 0u) << heard.lines[0];
    EXPECT_NE(heard.lines[0].find("# " + kernel_of(handle)), std::string::npos);
    EXPECT_EQ(heard.thread, std::this_thread::get_id());
    EXPECT_EQ(heard.lines[0].find("--compute"), std::string::npos);
    if (takes_fp16x3(handle)) {
        tilewright_set_kernel(handle, kTensorKernel);
        ASSERT_EQ(Ones(5, 6, 70).run(handle), TILEWRIGHT_STATUS_SUCCESS) << error_of(handle);
        ASSERT_EQ(heard.lines.size(), 2u);
        EXPECT_NE(heard.lines[1].find(" --compute fp16x3"), std::string::npos) << heard.lines[1];
        EXPECT_EQ(heard.lines[1].find(" --workspace "), std::string::npos) << heard.lines[1];
        EXPECT_NE(heard.lines[1].find(std::string("# ") + kTensorKernel), std::string::npos);
        tilewright_set_kernel(handle, nullptr);
        tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP32);
        heard.lines.pop_back();
    }
    ASSERT_EQ(tilewright_set_log(handle, nullptr, nullptr), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(heard.lines.size(), 1u);
}

}  // namespace
}  // namespace tilewright::test
