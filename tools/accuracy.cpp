// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// accuracy: how far results of cuBLAS and of each of the library's compute modes lie from the exact ones,
// on data that are hard for some of them (reference/hard_data.h), as the table of docs/accuracy.md.
//
//     accuracy [K | KERNEL]...    K: 256, 1024, 4096 and 16384 if there is none; KERNEL: as in
//                                 tensor_tile/128x128-64, taken by the mode whose kernel it is
//
// Errors are the largest of 4096 elements of a product with M = N = 512, as parts of |A||B|, in units of
// 2^-24. Uses the C interface alone. With TILEWRIGHT_DEVICE=cpu it runs in CPU mode, for minutes.
#include <cuda_runtime.h>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/library.h"
#include "reference/gemm.h"
#include "reference/hard_data.h"
#include "tilewright/tilewright.h"

namespace {

using tilewright::lab::Library;
using namespace tilewright::reference;

constexpr int64_t kSize = 512;
constexpr int kSampledRows = 8;

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "accuracy: %s\n", why.c_str());
    std::exit(1);
}

bool on_gpu() {
    const char* wish = std::getenv("TILEWRIGHT_DEVICE");
    return !wish || std::strcmp(wish, "cpu") != 0;
}

/// The host's and the device's.
class Matrix {
  public:
    explicit Matrix(const std::vector<float>& from) : bytes_(from.size() * sizeof(float)) {
        void* memory = on_gpu() ? nullptr : std::malloc(bytes_);
        if (on_gpu() && cudaMallocManaged(&memory, bytes_) != cudaSuccess)
            fail("no GPU, or no memory there");
        data_ = static_cast<float*>(memory);
        std::memcpy(data_, from.data(), bytes_);
    }
    ~Matrix() {
        if (on_gpu())
            cudaFree(data_);
        else
            std::free(data_);
    }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    float* data() { return data_; }
    void clear() { std::memset(data_, 0xff, bytes_); }  // NaNs

  private:
    float* data_ = nullptr;
    size_t bytes_;
};

/// One of the table. run() says which kernel ran.
struct Column {
    std::string name;
    std::function<std::string(float* A, float* B, float* C, int k)> run;
    std::set<std::string> kernels = {};
};

/// In FP32 without exception: neither TF32 nor emulation, whatever the environment says.
std::optional<Column> cublas() {
    using Handle = struct cublasContext*;
    using Sgemm = int(Handle, int, int, int, int, int, const float*, const float*, int,
                      const float*, int, const float*, float*, int);
    constexpr int kPedanticMath = 2;
    static Library library;
    static Sgemm* sgemm;
    static Handle handle;
    int (*create)(Handle*);
    int (*set_math_mode)(Handle, int);
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
        if (!library) library = Library(name);
    if (!on_gpu() || !library.find(create, "cublasCreate_v2") ||
        !library.find(set_math_mode, "cublasSetMathMode") ||
        !library.find(sgemm, "cublasSgemm_v2") || create(&handle) != 0 ||
        set_math_mode(handle, kPedanticMath) != 0)
        return {};
    return Column{
        "cuBLAS", [](float* A, float* B, float* C, int k) -> std::string {
            const float one = 1, zero = 0;
            // Column-major: C^T = B^T A^T.
            if (sgemm(handle, 0, 0, kSize, kSize, k, &one, B, kSize, A, k, &zero, C, kSize) != 0)
                fail("cublasSgemm failed");
            return library.path();
        }};
}

Column of_mode(tilewright_handle_t handle, const char* name, tilewright_compute_t mode,
               const std::vector<std::string>& kernels) {
    return {name, [=](float* A, float* B, float* C, int k) -> std::string {
                const float one = 1, zero = 0;
                tilewright_set_compute(handle, mode);
                std::vector<std::string> wished = kernels;
                wished.emplace_back();  // the library's choice, where none of them runs this
                for (const std::string& kernel : wished) {
                    int status = tilewright_set_kernel(handle, kernel.c_str());
                    if (status == TILEWRIGHT_STATUS_SUCCESS)
                        status = tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N,
                                                  TILEWRIGHT_OP_N, kSize, kSize, k, &one, A, k, B,
                                                  kSize, &zero, C, kSize);
                    if (status == TILEWRIGHT_STATUS_SUCCESS) return tilewright_last_kernel(handle);
                    if (status != TILEWRIGHT_STATUS_NOT_SUPPORTED)
                        fail(tilewright_last_error(handle));
                }
                fail(tilewright_last_error(handle));
            }};
}

std::vector<Column> columns(const std::vector<std::string>& kernels) {
    std::vector<Column> all;
    if (auto column = cublas()) all.push_back(*column);
    tilewright_handle_t handle;
    if (tilewright_create(&handle) != TILEWRIGHT_STATUS_SUCCESS)
        fail(tilewright_last_error(nullptr));
    constexpr const char* kNames[] = {"FP32", "FP16X3", "BF16X6", "BF16X9", "TF32"};
    for (int mode = TILEWRIGHT_COMPUTE_FP32; mode <= TILEWRIGHT_COMPUTE_TF32; ++mode) {
        const auto compute = static_cast<tilewright_compute_t>(mode);
        if (tilewright_set_compute(handle, compute) == TILEWRIGHT_STATUS_SUCCESS)
            all.push_back(of_mode(handle, kNames[mode], compute, kernels));
    }
    return all;
}

/// Of the sampled rows.
double largest_error(const Rows& exact, const float* C) {
    double most = 0;
    for (size_t i = 0; i < exact.want.size(); ++i) {
        const auto at = exact.index[i / kSize] * kSize + static_cast<int64_t>(i) % kSize;
        const double error = std::fabs(C[at] - exact.want[i]);
        if (error == 0) continue;
        most = std::fmax(most, std::isfinite(error) ? error / exact.magnitude[i] : HUGE_VAL);
    }
    return most;
}

void print_row(const HardData& data, int64_t k, std::vector<Column>& all) {
    const Factors factors = make_factors(data, kSize, kSize, k, 1);
    std::vector<int64_t> rows;
    for (int i = 0; i < kSampledRows; ++i) rows.push_back(i * (kSize / kSampledRows) + 9 * i);
    const Rows exact = gemm({.m = kSize,
                             .n = kSize,
                             .k = k,
                             .A = factors.a.data(),
                             .lda = k,
                             .B = factors.b.data(),
                             .ldb = kSize},
                            std::move(rows));
    Matrix A(factors.a), B(factors.b), C(std::vector<float>(kSize * kSize));
    std::printf("| %-14s | %5d |", data.name, static_cast<int>(k));
    for (Column& column : all) {
        C.clear();
        column.kernels.insert(column.run(A.data(), B.data(), C.data(), static_cast<int>(k)));
        if (on_gpu() && cudaDeviceSynchronize() != cudaSuccess) fail(column.name + " failed");
        const double error = largest_error(exact, C.data()) * 0x1p24;
        std::printf(error < 1000 ? " %6.2f |" : " %6.0e |", error);
    }
    std::puts("");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<int64_t> sizes;
    std::vector<std::string> kernels;
    for (int i = 1; i < argc; ++i) {
        if (std::isdigit(static_cast<unsigned char>(*argv[i])))
            sizes.push_back(std::atoll(argv[i]));
        else
            kernels.emplace_back(argv[i]);
    }
    if (sizes.empty()) sizes = {256, 1024, 4096, 16384};
    std::vector<Column> all = columns(kernels);
    std::string rule = "|---|--:|";
    std::printf("| %-14s | %5s |", "data", "K");
    for (const Column& column : all) {
        std::printf(" %6s |", column.name.c_str());
        rule += "--:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (const HardData& data : hard_data())
        for (const int64_t k : sizes) print_row(data, k, all);
    for (const Column& column : all) {
        std::printf("\n%s:", column.name.c_str());
        for (const std::string& kernel : column.kernels) std::printf(" `%s`", kernel.c_str());
    }
    std::puts("");
}
