// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/cublas.h"

#if TILEWRIGHT_WITH_CUDA

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "lab/cuda_check.h"
#include "lab/library.h"

namespace tilewright::lab {

namespace {

// The few declarations of cublas_v2.h that are needed: no toolkit has to be there to build, and
// versions 11 to 13 fit them.
using Handle = struct cublasContext*;
constexpr int kSuccess = 0, kAllocationFailed = 3, kNoTranspose = 0, kTranspose = 1,
              kPedanticMath = 2, kTf32Math = 3;
constexpr size_t kWorkspaceBytes = size_t{64} << 20;

template <class Integer>
using Sgemm = int(Handle, int, int, Integer m, Integer n, Integer k, const float*, const float*,
                  Integer lda, const float*, Integer ldb, const float*, float*, Integer ldc);

template <class Integer>
using SgemmBatched = int(Handle, int, int, Integer m, Integer n, Integer k, const float*,
                         const float*, Integer lda, long long, const float*, Integer ldb, long long,
                         const float*, float*, Integer ldc, long long, Integer batch);

struct Cublas {
    Library library;
    int (*create)(Handle*);
    int (*get_version)(Handle, int*);
    int (*set_stream)(Handle, cudaStream_t);
    int (*set_workspace)(Handle, void*, size_t);
    int (*set_math_mode)(Handle, int);
    Sgemm<int>* sgemm;
    int (*set_pointer_mode)(Handle, int);
    SgemmBatched<int>* batched;
    Sgemm<int64_t>* sgemm_64;  ///< From version 12 on; null before.
    SgemmBatched<int64_t>* batched_64;

    Handle handle = nullptr;
    void* workspace = nullptr;
    void* stream = nullptr;
    int math_mode = kPedanticMath;
    int device = -1;
};

Cublas& state() {
    static auto* cublas = new Cublas{};  // never destroyed: the driver may be gone before it
    return *cublas;
}

bool load(Cublas& cublas, Library&& library) {
    if (!library || !library.find(cublas.create, "cublasCreate_v2") ||
        !library.find(cublas.get_version, "cublasGetVersion_v2") ||
        !library.find(cublas.set_stream, "cublasSetStream_v2") ||
        !library.find(cublas.set_workspace, "cublasSetWorkspace_v2") ||
        !library.find(cublas.set_math_mode, "cublasSetMathMode") ||
        !library.find(cublas.set_pointer_mode, "cublasSetPointerMode_v2") ||
        !library.find(cublas.sgemm, "cublasSgemm_v2") ||
        !library.find(cublas.batched, "cublasSgemmStridedBatched"))
        return false;
    if (!library.find(cublas.sgemm_64, "cublasSgemm_v2_64") ||
        !library.find(cublas.batched_64, "cublasSgemmStridedBatched_64"))
        cublas.sgemm_64 = nullptr;
    cublas.library = std::move(library);
    return true;
}

/// A library of another CUDA than the driver's loads but makes no handle: the next is tried.
bool start(Cublas& cublas, Library&& library) {
    if (!load(cublas, std::move(library)) || cublas.create(&cublas.handle) != kSuccess)
        return false;
    if (!cublas.workspace) CUDA_CHECK(cudaMalloc(&cublas.workspace, kWorkspaceBytes));
    cublas.stream = nullptr;
    cublas.math_mode = kPedanticMath;
    return cublas.set_workspace(cublas.handle, cublas.workspace, kWorkspaceBytes) == kSuccess &&
           cublas.set_math_mode(cublas.handle, kPedanticMath) == kSuccess;
}

bool find_and_start(Cublas& cublas) {
    if (const char* chosen = std::getenv("TILEWRIGHT_CUBLAS"); chosen && *chosen)
        return start(cublas, Library(chosen));
    const char* const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    for (const char* name : names)
        if (start(cublas, Library(name, RTLD_NOLOAD))) return true;
    for (const char* name : names)
        if (start(cublas, Library(name))) return true;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const char* home = std::getenv(variable);
        for (const char* name : names)
            if (home && start(cublas, Library(fmt::format("{}/lib64/{}", home, name)))) return true;
    }
    for (const char* name : names)
        if (start(cublas, Library(fmt::format("/usr/local/cuda/lib64/{}", name)))) return true;
    return false;
}

Status failed(int code, const char* call) {
    const auto status =
        code == kAllocationFailed ? StatusCode::allocation_failed : StatusCode::execution_failed;
    return {status, fmt::format("{}: cuBLAS status {}", call, code)};
}

template <class Integer>
Status multiply(const Cublas& cublas, const Problem& p, Sgemm<Integer>* sgemm,
                SgemmBatched<Integer>* batched) {
    const auto i = [](int64_t value) { return static_cast<Integer>(value); };
    const int trans_a = p.transpose_a ? kTranspose : kNoTranspose,
              trans_b = p.transpose_b ? kTranspose : kNoTranspose;
    const float* alpha = p.device_alpha ? p.device_alpha : &p.alpha;
    const float* beta = p.device_beta ? p.device_beta : &p.beta;
    if (p.batch == 1) {
        const int code = sgemm(cublas.handle, trans_b, trans_a, i(p.n), i(p.m), i(p.k), alpha, p.B,
                               i(p.ldb), p.A, i(p.lda), beta, p.C, i(p.ldc));
        return code == kSuccess ? Status{} : failed(code, "cublasSgemm");
    }
    const int code =
        batched(cublas.handle, trans_b, trans_a, i(p.n), i(p.m), i(p.k), alpha, p.B, i(p.ldb),
                p.stride_b, p.A, i(p.lda), p.stride_a, beta, p.C, i(p.ldc), p.stride_c, i(p.batch));
    return code == kSuccess ? Status{} : failed(code, "cublasSgemmStridedBatched");
}

/// cuBLAS is column-major, and a row-major matrix read so is its transpose:
/// C^T = B^T A^T, hence the operands and the sizes m and n change places.
template <int math_mode>
Status run(const Problem& p, const Execution& execution) {
    Cublas& cublas = state();
    if (!cublas.handle) return {StatusCode::not_initialized, "cuBLAS was not found"};
    if (cublas.stream != execution.stream) {
        if (int code =
                cublas.set_stream(cublas.handle, static_cast<cudaStream_t>(execution.stream)))
            return failed(code, "cublasSetStream");
        // Setting the stream has put the default workspace back.
        if (int code = cublas.set_workspace(cublas.handle, cublas.workspace, kWorkspaceBytes))
            return failed(code, "cublasSetWorkspace");
        cublas.stream = execution.stream;
    }
    if (cublas.math_mode != math_mode) {
        if (int code = cublas.set_math_mode(cublas.handle, math_mode))
            return failed(code, "cublasSetMathMode");
        cublas.math_mode = math_mode;
    }
    if (p.m == 0 || p.n == 0 || p.batch == 0) return {};
    if (int code = cublas.set_pointer_mode(cublas.handle, p.device_alpha != nullptr))
        return failed(code, "cublasSetPointerMode");
    if (cublas.sgemm_64) return multiply(cublas, p, cublas.sgemm_64, cublas.batched_64);
    for (int64_t size : {p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.batch})
        if (size > std::numeric_limits<int>::max())
            return {StatusCode::not_supported, "cuBLAS before version 12 takes 32-bit sizes"};
    return multiply(cublas, p, cublas.sgemm, cublas.batched);
}

constexpr Variant kVariants[] = {{"default", {}, run<kPedanticMath>}};
constexpr const char* kAliases[] = {"cublas"};
constexpr Variant kTf32Variants[] = {{"default", {}, run<kTf32Math>}};

}  // namespace

const KernelDefinition& cublas_definition() {
    static const KernelDefinition definition{
        .file = "00_cublas",
        .id = "k0",
        .aliases = kAliases,
        .parent = "",
        .kind = Kind::baseline,
        .title = "cuBLAS",
        .idea = "NVIDIA's library in FP32 (cublasSgemm, pedantic math): the opponent.",
        .requirements = "a GPU, and libcublas where the dynamic linker finds it",
        .variants = kVariants,
    };
    return definition;
}

const KernelDefinition& cublas_tf32_definition() {
    static const KernelDefinition definition{
        .file = "cublas_tf32",
        .id = "k0_tf32",
        .aliases = {},
        .parent = "",
        .kind = Kind::baseline,
        .title = "cuBLAS in TF32",
        .idea = "NVIDIA's library where it may use TF32: the opponent of what computes so.",
        .requirements = "a GPU, and libcublas where the dynamic linker finds it",
        .variants = kTf32Variants,
        .arithmetic = Arithmetic::tf32,
    };
    return definition;
}

CublasInfo start_cublas() {
    CublasInfo result;
    // Before the library starts: it reads some of them once.
    for (const char* name :
         {"NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION", "CUBLAS_EMULATION_STRATEGY"}) {
        if (!std::getenv(name)) continue;
        result.unset.push_back(name);
        unsetenv(name);
    }
    Cublas& cublas = state();
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    if (cublas.device != device) {
        cublas.handle = nullptr;
        cublas.workspace = nullptr;
        if (!find_and_start(cublas)) cublas.handle = nullptr;
        cublas.device = device;
    }
    if (!cublas.handle) {
        result.missing = "no libcublas.so.13, .12 or libcublas.so that works with this driver";
        return result;
    }
    int version = 0;
    static_cast<void>(cublas.get_version(cublas.handle, &version));
    result.version = fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
    result.math_mode = "CUBLAS_PEDANTIC_MATH";
    result.library = cublas.library.path();
    return result;
}

}  // namespace tilewright::lab

#endif
