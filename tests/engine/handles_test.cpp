// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Handles: their settings, what is said of them, and their end.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "engine/memory.h"

namespace tilewright::test {
namespace {

std::string error_of(tilewright_handle_t handle) {
    return tilewright_last_error(handle);
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
    EXPECT_STREQ(tilewright_last_kernel(none), "none");
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

// Neither CPU mode's threads nor a GPU's context are in a child: it must not wait for them.
TEST(Handles, AreNotForAForkedChild) {
    const Handle handle;
    const pid_t child = fork();
    if (child == 0) {
        const bool refused =
            tilewright_set_kernel(handle, nullptr) == TILEWRIGHT_STATUS_NOT_INITIALIZED &&
            error_of(nullptr) == "handle was created before a fork: a child needs its own";
        _exit(refused && tilewright_destroy(handle) == TILEWRIGHT_STATUS_SUCCESS ? 7 : 8);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(tilewright_set_kernel(handle, nullptr), TILEWRIGHT_STATUS_SUCCESS);
}

}  // namespace
}  // namespace tilewright::test
