// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Handles: their settings, what is said of them, their end, and many of them at a time.
#include <gtest/gtest.h>

#include <cstdlib>
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

TEST(Library, SaysItsVersionAndNamesEachStatus) {
    EXPECT_EQ(tilewright_version(), TILEWRIGHT_VERSION_MAJOR * 10000 +
                                        TILEWRIGHT_VERSION_MINOR * 100 + TILEWRIGHT_VERSION_PATCH);
    const std::pair<int, const char*> names[] = {{0, "SUCCESS"},           {1, "NOT_INITIALIZED"},
                                                 {3, "ALLOCATION_FAILED"}, {7, "INVALID_VALUE"},
                                                 {8, "ARCH_MISMATCH"},     {13, "EXECUTION_FAILED"},
                                                 {14, "INTERNAL_ERROR"},   {15, "NOT_SUPPORTED"}};
    for (const auto& [value, name] : names)
        EXPECT_EQ(tilewright_status_string(value), std::string("TILEWRIGHT_STATUS_") + name);
    for (const int value : {-1, 2, 11, 16, 1 << 30})
        EXPECT_STREQ(tilewright_status_string(value), "not a tilewright_status_t");
}

/// Every function that takes a handle refuses this one, with this sentence.
void expect_no_handle(tilewright_handle_t none, const std::string& sentence) {
    const float one = 1;
    cudaStream_t stream = nullptr;
    tilewright_compute_t compute{};
    int mode = 0;
    size_t bytes = 0;
    const tilewright_status_t all[] = {
        tilewright_set_stream(none, nullptr),
        tilewright_get_stream(none, &stream),
        tilewright_set_compute(none, TILEWRIGHT_COMPUTE_FP32),
        tilewright_get_compute(none, &compute),
        tilewright_set_pointer_mode(none, 0),
        tilewright_get_pointer_mode(none, &mode),
        tilewright_set_workspace(none, nullptr, 0),
        tilewright_get_workspace_size(none, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N,
                                      1, 1, 1, 1, &bytes),
        tilewright_sgemm(none, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, 0, 0, 0,
                         &one, nullptr, 1, nullptr, 1, &one, nullptr, 1),
        tilewright_sgemm_strided_batched(none, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N,
                                         TILEWRIGHT_OP_N, 0, 0, 0, &one, nullptr, 1, 0, nullptr, 1,
                                         0, &one, nullptr, 1, 0, 0),
        tilewright_set_kernel(none, nullptr),
        tilewright_set_log(none, nullptr, nullptr),
        tilewright_destroy(none)};
    for (size_t i = 0; i < std::size(all); ++i)
        EXPECT_EQ(all[i], TILEWRIGHT_STATUS_NOT_INITIALIZED) << i;
    EXPECT_EQ(error_of(none), sentence);
    EXPECT_EQ(error_of(nullptr), sentence);
    EXPECT_EQ(kernel_of(none), "none");
}

TEST(Handles, NoneAndDestroyedOnesAreRefused) {
    expect_no_handle(nullptr, "handle is a null pointer");
    alignas(64) static std::byte zeros[1 << 14] = {};
    expect_no_handle(reinterpret_cast<tilewright_handle_t>(zeros),
                     "handle is none, or was destroyed");
    EXPECT_EQ(tilewright_create(nullptr), TILEWRIGHT_STATUS_INVALID_VALUE);
    EXPECT_EQ(error_of(nullptr), "handle is a null pointer");
    { const Handle good; }
    EXPECT_EQ(error_of(nullptr), "") << "of an earlier call";
}

#if !TILEWRIGHT_ASAN  // which is quicker to find it
TEST(Handles, AreMarkedWhenTheyAreDestroyed) {
    on_gpu();
    tilewright_handle_t handle = nullptr;
    ASSERT_EQ(tilewright_create(&handle), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(tilewright_destroy(handle), TILEWRIGHT_STATUS_SUCCESS);
    expect_no_handle(handle, "handle is none, or was destroyed");
}
#endif

TEST(Handles, KeepTheirSettingsAndRefuseWhatIsNone) {
    const Handle handle;
    int mode = -1;
    EXPECT_EQ(tilewright_get_pointer_mode(handle, &mode), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(mode, 0);
    for (const int value : {1, 0}) {
        EXPECT_EQ(tilewright_set_pointer_mode(handle, value), TILEWRIGHT_STATUS_SUCCESS);
        tilewright_get_pointer_mode(handle, &mode);
        EXPECT_EQ(mode, value);
    }
    for (const int value : {2, -1, 99}) {
        EXPECT_EQ(tilewright_set_pointer_mode(handle, value), TILEWRIGHT_STATUS_INVALID_VALUE);
        EXPECT_EQ(error_of(handle), "host0_device1 = " + std::to_string(value) + ": 0 or 1");
    }
    auto compute = TILEWRIGHT_COMPUTE_TF32;
    EXPECT_EQ(tilewright_get_compute(handle, &compute), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(compute, TILEWRIGHT_COMPUTE_FP32);
    for (const int value : {-1, 0, 1, 2, 3, 4, 5, 99}) {
        const auto status =
            tilewright_set_compute(handle, static_cast<tilewright_compute_t>(value));
        const std::string error = error_of(handle);
        tilewright_get_compute(handle, &compute);
        EXPECT_EQ(status == TILEWRIGHT_STATUS_INVALID_VALUE, value < 0 || value > 4) << value;
        if (status == TILEWRIGHT_STATUS_SUCCESS) {
            EXPECT_EQ(compute, value);
        } else {
            EXPECT_EQ(error.find("compute = " + std::to_string(value) + ": "), 0u) << error;
            EXPECT_EQ(compute, TILEWRIGHT_COMPUTE_FP32) << "it failed, and changed the mode";
        }
        tilewright_set_compute(handle, TILEWRIGHT_COMPUTE_FP32);
    }
    cudaStream_t stream = reinterpret_cast<cudaStream_t>(1);
    EXPECT_EQ(tilewright_get_stream(handle, &stream), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(stream, nullptr);
    for (const auto& [status, name] :
         {std::pair(tilewright_get_stream(handle, nullptr), "stream"),
          {tilewright_get_compute(handle, nullptr), "compute"},
          {tilewright_get_pointer_mode(handle, nullptr), "host0_device1"}})
        EXPECT_EQ(status, TILEWRIGHT_STATUS_INVALID_VALUE) << name;
    EXPECT_EQ(error_of(handle), "host0_device1 is a null pointer");
}

TEST(Handles, AnErrorIsTheHandlesOwnAndGoesWithTheNextCall) {
    const Handle a, b;
    tilewright_set_pointer_mode(a, 7);
    tilewright_set_compute(b, static_cast<tilewright_compute_t>(8));
    tilewright_set_stream(nullptr, nullptr);
    EXPECT_EQ(error_of(a), "host0_device1 = 7: 0 or 1");
    EXPECT_EQ(error_of(b), "compute = 8: 0 to 4 are modes");
    EXPECT_EQ(error_of(nullptr), "handle is a null pointer");
    std::thread([] { EXPECT_EQ(error_of(nullptr), "") << "another thread's"; }).join();
    tilewright_set_pointer_mode(a, 0);
    EXPECT_EQ(error_of(a), "");
    EXPECT_NE(error_of(b), "");
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
    Ones ones(5, 6, 7);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(heard.lines.size(), 1u);
    EXPECT_EQ(heard.lines[0].find("tilewright dispatch N N 5 6 7"), 0u) << heard.lines[0];
    EXPECT_NE(heard.lines[0].find("# " + kernel_of(handle)), std::string::npos);
    EXPECT_EQ(heard.thread, std::this_thread::get_id());
    ASSERT_EQ(tilewright_set_log(handle, nullptr, nullptr), TILEWRIGHT_STATUS_SUCCESS);
    ASSERT_EQ(ones.run(handle), TILEWRIGHT_STATUS_SUCCESS);
    EXPECT_EQ(heard.lines.size(), 1u);
}

}  // namespace
}  // namespace tilewright::test
