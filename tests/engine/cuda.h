// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the tests of CUDA's own things share: streams, and a product of which each element is known.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/memory.h"

#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess) << #call
#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess) << #call

namespace tilewright::test {

class Stream {
  public:
    Stream() { EXPECT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() { EXPECT_CUDA(cudaStreamDestroy(stream_)); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

struct Shape {
    int64_t m, n, k, batch;
};
/// One for each path.
inline constexpr Shape kShapes[] = {
    {5, 6, 7, 1},       {32, 32, 65536, 1}, {64, 64, 64, 9},     {8, 8, 0, 1},
    {1, 4096, 4096, 1}, {640, 640, 256, 1}, {2048, 2048, 64, 1}, {1024, 1000, 128, 3},
};

/// That needs room for pieces of both operands.
inline constexpr const char* kTensorKernel = "tensor_tile/128x128-32 compute=fp16x3";

inline std::string describe(const Shape& s) {
    return std::to_string(s.m) + 'x' + std::to_string(s.n) + 'x' + std::to_string(s.k) + " batch " +
           std::to_string(s.batch);
}

/// Of a's and ones: each element of C becomes alpha * k * a + beta * C.
class Product {
  public:
    explicit Product(const Shape& s) : s_(s) {
        a_ = managed(bytes(s.m * s.k)), b_ = managed(bytes(s.k * s.n));
        c_ = managed(bytes(s.m * s.n)), scalars_ = managed(8);
        for (int64_t i = 0; i < s.batch * s.k * s.n; ++i) b_[i] = 1;
        set_a(1), set_c(Memory::canary(1));
        scalars_[0] = 1, scalars_[1] = 0;
    }
    ~Product() {
        for (float* memory : {a_, b_, c_, scalars_}) cudaFree(memory);
    }
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;

    void set_a(float value) {
        for (int64_t i = 0; i < s_.batch * s_.m * s_.k; ++i) a_[i] = value;
    }
    void set_c(float value) {
        for (int64_t i = 0; i < s_.batch * s_.m * s_.n; ++i) c_[i] = value;
    }
    float* a() { return a_; }
    size_t bytes_of_a() const { return bytes(s_.m * s_.k); }
    float* scalars() { return scalars_; }

    tilewright_status_t run(tilewright_handle_t handle) { return run(handle, scalars_); }
    tilewright_status_t run(tilewright_handle_t handle, const float* scalars) {
        return tilewright_sgemm_strided_batched(
            handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, s_.m, s_.n, s_.k,
            scalars, a_, std::max<int64_t>(1, s_.k), s_.m * s_.k, b_, s_.n, s_.k * s_.n,
            scalars + 1, c_, s_.n, s_.m * s_.n, s_.batch);
    }
    /// After the work is done: C is this everywhere.
    bool is(float want) const {
        for (int64_t i = 0; i < s_.batch * s_.m * s_.n; ++i)
            if (c_[i] != want) return false;
        return true;
    }
    bool equals(const Product& other) const {
        return std::memcmp(c_, other.c_, s_.batch * s_.m * s_.n * 4) == 0;
    }
    float k() const { return static_cast<float>(s_.k); }

  private:
    static float* managed(size_t bytes) {
        void* memory = nullptr;
        EXPECT_CUDA(cudaMallocManaged(&memory, bytes));
        return static_cast<float*>(memory);
    }
    size_t bytes(int64_t elements) const {
        return static_cast<size_t>(elements * s_.batch) * 4 + 16;
    }
    Shape s_;
    float *a_ = nullptr, *b_ = nullptr, *c_ = nullptr, *scalars_ = nullptr;
};

class Cuda : public testing::Test {
  protected:
    void SetUp() override {
        if (!on_gpu()) GTEST_SKIP() << "no GPU, or TILEWRIGHT_DEVICE=cpu";
    }
};

}  // namespace tilewright::test
