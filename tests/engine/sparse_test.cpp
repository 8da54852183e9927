// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Matrices whose elements lie gigabytes apart: an index of 32 bits would go astray. Only the pages
// that hold elements can be touched, so that going astray is seen. In CPU mode: address space costs
// nothing there.
#include <gtest/gtest.h>

#include <sys/mman.h>

#include "engine/product.h"

namespace tilewright::test {
namespace {

/// Lines of a matrix, each on pages of its own.
class Sparse {
  public:
    Sparse(int64_t lines, int64_t length, int64_t ld, float first)
        : bytes_(((lines - 1) * ld + length) * 4 + 3 * kPage), lines_(lines), ld_(ld) {
        void* memory =
            mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return;
        begin_ = static_cast<std::byte*>(memory);
        data_ = reinterpret_cast<float*>(begin_ + kPage);
        for (int64_t line = 0; line < lines; ++line) {
            auto* from = reinterpret_cast<std::byte*>(data_ + line * ld);
            auto* page = begin_ + (from - begin_) / kPage * kPage;
            mprotect(page, 2 * kPage, PROT_READ | PROT_WRITE);
            for (int64_t i = 0; i < length; ++i) data_[line * ld + i] = first + 10 * line + i;
        }
    }
    ~Sparse() {
        if (begin_) munmap(begin_, bytes_);
    }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;
    float* data() { return data_; }
    /// Where matrix 0 is, with matrices that go downwards.
    float* last() { return data_ + (lines_ - 1) * ld_; }

  private:
    static constexpr int64_t kPage = 4096;
    int64_t bytes_, lines_, ld_;
    std::byte* begin_ = nullptr;
    float* data_ = nullptr;
};

constexpr int64_t kSize = 3;

/// The distance in A, B, C: of lines, or of whole matrices of one line.
struct Distances {
    int64_t a = 4, b = 4, c = 4;
};

void expect_right(const std::string& kernel, bool ta, bool tb, const Distances& d) {
    Handle handle;
    Sparse A(kSize, kSize, d.a, 1), B(kSize, kSize, d.b, 2), C(kSize, kSize, d.c, 3);
    ASSERT_TRUE(A.data() && B.data() && C.data()) << "no address space";
    ASSERT_EQ(take_kernel(handle, kernel), TILEWRIGHT_STATUS_SUCCESS);
    const float one = 1;
    const auto op = [](bool t) { return t ? TILEWRIGHT_OP_T : TILEWRIGHT_OP_N; };
    const auto status =
        tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, op(ta), op(tb), kSize, kSize, kSize, &one,
                         A.data(), d.a, B.data(), d.b, &one, C.data(), d.c);
    if (status == TILEWRIGHT_STATUS_NOT_SUPPORTED && !kernel.empty()) return;
    ASSERT_EQ(status, TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
    for (int64_t i = 0; i < kSize; ++i)
        for (int64_t j = 0; j < kSize; ++j) {
            float want = 3 + static_cast<float>(10 * i + j);
            for (int64_t k = 0; k < kSize; ++k)
                want += A.data()[ta ? k * d.a + i : i * d.a + k] *
                        B.data()[tb ? j * d.b + k : k * d.b + j];
            ASSERT_EQ(C.data()[i * d.c + j], want) << kernel << ' ' << ta << tb << ' ' << i << j;
        }
}

TEST(Sparse, LeadingDimensionsBeyond32Bits) {
    if (on_gpu()) GTEST_SKIP() << "address space is memory there";
    std::vector<std::string> kernels = variant_names();
    kernels.push_back("");
    for (const std::string& kernel : kernels)
        for (const bool ta : {false, true})
            for (const bool tb : {false, true})
                for (const int64_t far : {int64_t{1} << 30, (int64_t{1} << 31) + 5})
                    expect_right(kernel, ta, tb, {far, far, far});
}

TEST(Sparse, StridesOfABatchBeyond32Bits) {
    if (on_gpu()) GTEST_SKIP() << "address space is memory there";
    std::vector<std::string> kernels = variant_names();
    kernels.push_back("");
    for (const std::string& kernel : kernels)
        for (const int64_t far : {int64_t{1} << 30, (int64_t{1} << 31) + 5})
            for (const bool down : {false, true}) {
                Handle handle;
                Sparse A(kSize, 1, far, 1), B(kSize, 1, far, 2), C(kSize, 1, far, 3);
                ASSERT_TRUE(A.data() && B.data() && C.data()) << "no address space";
                const float one = 1;
                ASSERT_EQ(take_kernel(handle, kernel), TILEWRIGHT_STATUS_SUCCESS);
                const auto status = tilewright_sgemm_strided_batched(
                    handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, 1, 1, 1, &one,
                    down ? A.last() : A.data(), 1, down ? -far : far, B.data(), 1, far, &one,
                    C.data(), 1, far, kSize);
                if (status == TILEWRIGHT_STATUS_NOT_SUPPORTED && !kernel.empty()) continue;
                ASSERT_EQ(status, TILEWRIGHT_STATUS_SUCCESS) << tilewright_last_error(handle);
                for (int64_t slot = 0; slot < kSize; ++slot) {
                    const auto s = static_cast<float>(slot);
                    const float a = 1 + 10 * (down ? kSize - 1 - s : s);
                    ASSERT_EQ(C.data()[slot * far], 3 + 10 * s + a * (2 + 10 * s)) << kernel;
                }
            }
}

}  // namespace
}  // namespace tilewright::test
