// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The C interface, but for prepared operands.
#include "tilewright/tilewright.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>
#include <tuple>

#include "engine/handle.h"
#include "engine/host.h"

using tilewright::Arithmetic;
using tilewright::Status;
using tilewright::StatusCode;
using tilewright::engine::Backend;
using tilewright::engine::call;
using tilewright::engine::Call;
using tilewright::engine::call_of_sizes;
using tilewright::engine::Context;
using tilewright::engine::integer;
using tilewright::engine::is_alive;
using tilewright::engine::no_handle;
using tilewright::engine::null_argument;
using tilewright::engine::product;
using tilewright::engine::without_handle;

namespace {

static_assert(static_cast<int>(Arithmetic::fp32) == TILEWRIGHT_COMPUTE_FP32 &&
                  static_cast<int>(Arithmetic::fp16x3) == TILEWRIGHT_COMPUTE_FP16X3 &&
                  static_cast<int>(Arithmetic::bf16x6) == TILEWRIGHT_COMPUTE_BF16X6 &&
                  static_cast<int>(Arithmetic::bf16x9) == TILEWRIGHT_COMPUTE_BF16X9 &&
                  static_cast<int>(Arithmetic::tf32) == TILEWRIGHT_COMPUTE_TF32,
              "a mode is its number in the C interface");

/// Of calls that have no good handle.
thread_local std::string error_without_handle;

/// Sets *to, which the caller named, to a value.
template <class T>
tilewright_status_t get(tilewright_handle_t handle, const char* name, T* to, T (*of)(Context&)) {
    return call(handle, [&](Context& context) -> Status {
        if (!to) return null_argument(name);
        *to = of(context);
        return {};
    });
}

/// The environment's wish, "" for none.
std::string_view wanted_device() {
    const char* device = std::getenv("TILEWRIGHT_DEVICE");
    return device ? device : "";
}

bool cpu_is_wanted() {
#if TILEWRIGHT_WITH_CUDA
    return wanted_device() == "cpu";
#else
    return wanted_device().empty() || wanted_device() == "cpu";
#endif
}

tilewright_status_t create(tilewright_handle_t* handle, bool on_cpu) try {
    if (!handle) return without_handle(null_argument("handle"));
    *handle = nullptr;
    Status why;
    auto backend =
        on_cpu ? tilewright::engine::open_cpu_backend() : tilewright::engine::open_gpu_backend(why);
    if (!backend) {
        if (!wanted_device().empty())
            why.reason +=
                ", and the environment has TILEWRIGHT_DEVICE=" + std::string(wanted_device());
        return without_handle(why);
    }
    auto made = std::make_unique<tilewright_context>(std::move(backend));
    const Backend::Scope scope(made->context.backend());
    if (Status status = made->context.open(); !status.ok()) return without_handle(status);
    *handle = made.release();
    return without_handle({});
} catch (const std::bad_alloc&) {
    return without_handle({StatusCode::allocation_failed, "no memory for a handle"});
} catch (const std::system_error&) {
    return without_handle({StatusCode::allocation_failed, "no threads for a handle in CPU mode"});
} catch (const std::exception& error) {
    return without_handle({StatusCode::internal_error, error.what()});
}

}  // namespace

namespace tilewright::engine {

tilewright_status_t without_handle(const Status& status) {
    error_without_handle = status.reason;
    return static_cast<tilewright_status_t>(status.code);
}

tilewright_status_t no_handle(tilewright_handle_t handle) {
    return without_handle({StatusCode::not_initialized, handle ? "handle is none, or was destroyed"
                                                               : "handle is a null pointer"});
}

tilewright_status_t product(tilewright_handle_t handle, tilewright_layout_t layout,
                            tilewright_operation_t ta, tilewright_operation_t tb, int64_t m,
                            int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda,
                            int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b,
                            const float* beta, float* C, int64_t ldc, int64_t stride_c,
                            int64_t batch_count, const PreparedOperand* prepared_a,
                            const PreparedOperand* prepared_b) {
    return call(handle, [&](Context& context) -> Status {
        const Call c{.layout = integer(layout),
                     .transpose_a = integer(ta),
                     .transpose_b = integer(tb),
                     .m = m,
                     .n = n,
                     .k = k,
                     .alpha = alpha,
                     .A = A,
                     .lda = lda,
                     .stride_a = stride_a,
                     .B = B,
                     .ldb = ldb,
                     .stride_b = stride_b,
                     .beta = beta,
                     .C = C,
                     .ldc = ldc,
                     .stride_c = stride_c,
                     .batch = batch_count,
                     .scalars_on_device = context.scalars_on_device,
                     .arithmetic = context.arithmetic,
                     .prepared_a = prepared_a,
                     .prepared_b = prepared_b};
        if (Status status = check(c); !status.ok()) return status;
        const bool swapped = c.layout == TILEWRIGHT_COL_MAJOR;
        const auto prepared = {std::tuple(prepared_a, "prepared_a", swapped),
                               {prepared_b, "prepared_b", !swapped}};
        for (const auto& [operand, name, is_b] : prepared)
            if (Status status = operand ? context.check_prepared(operand, name) : Status{};
                !status.ok())
                return status;
        const Problem problem = problem_of(c);
        for (const auto& [operand, name, is_b] : prepared)
            if (Status status = operand ? check(*operand, name, problem, is_b) : Status{};
                !status.ok())
                return status;
        return context.run(problem);
    });
}

}  // namespace tilewright::engine

int tilewright_version(void) {
    return TILEWRIGHT_VERSION_MAJOR * 10000 + TILEWRIGHT_VERSION_MINOR * 100 +
           TILEWRIGHT_VERSION_PATCH;
}

const char* tilewright_status_string(tilewright_status_t status) {
    switch (status) {
        case TILEWRIGHT_STATUS_SUCCESS:
            return "TILEWRIGHT_STATUS_SUCCESS";
        case TILEWRIGHT_STATUS_NOT_INITIALIZED:
            return "TILEWRIGHT_STATUS_NOT_INITIALIZED";
        case TILEWRIGHT_STATUS_ALLOCATION_FAILED:
            return "TILEWRIGHT_STATUS_ALLOCATION_FAILED";
        case TILEWRIGHT_STATUS_INVALID_VALUE:
            return "TILEWRIGHT_STATUS_INVALID_VALUE";
        case TILEWRIGHT_STATUS_ARCH_MISMATCH:
            return "TILEWRIGHT_STATUS_ARCH_MISMATCH";
        case TILEWRIGHT_STATUS_EXECUTION_FAILED:
            return "TILEWRIGHT_STATUS_EXECUTION_FAILED";
        case TILEWRIGHT_STATUS_INTERNAL_ERROR:
            return "TILEWRIGHT_STATUS_INTERNAL_ERROR";
        case TILEWRIGHT_STATUS_NOT_SUPPORTED:
            return "TILEWRIGHT_STATUS_NOT_SUPPORTED";
        default:
            return "not a tilewright_status_t";
    }
}

const char* tilewright_last_error(tilewright_handle_t handle) {
    return is_alive(handle) ? handle->error.c_str() : error_without_handle.c_str();
}

tilewright_status_t tilewright_create(tilewright_handle_t* handle) {
    return create(handle, cpu_is_wanted());
}

tilewright_status_t tilewright_create_in_cpu_mode(tilewright_handle_t* handle) {
    return create(handle, true);
}

tilewright_status_t tilewright_destroy(tilewright_handle_t handle) {
    if (!is_alive(handle)) return no_handle(handle);
    if (handle->process != getpid()) return TILEWRIGHT_STATUS_SUCCESS;  // the parent's to destroy
    delete handle;
    return TILEWRIGHT_STATUS_SUCCESS;
}

tilewright_status_t tilewright_set_stream(tilewright_handle_t handle, cudaStream_t stream) {
    return call(handle, [&](Context& context) { return context.set_stream(stream); });
}

tilewright_status_t tilewright_get_stream(tilewright_handle_t handle, cudaStream_t* stream) {
    return get<cudaStream_t>(handle, "stream", stream, [](Context& context) {
        return static_cast<cudaStream_t>(context.stream());
    });
}

tilewright_status_t tilewright_set_compute(tilewright_handle_t handle,
                                           tilewright_compute_t compute) {
    return call(handle, [&](Context& context) -> Status {
        const int value = integer(compute);
        if (value < TILEWRIGHT_COMPUTE_FP32 || value > TILEWRIGHT_COMPUTE_TF32)
            return {StatusCode::invalid_value,
                    "compute = " + std::to_string(value) + ": 0 to 4 are modes"};
        const auto mode = static_cast<Arithmetic>(value);
        const std::string refusal = refusal_of(mode, context.backend().traits());
        if (!refusal.empty())
            return {StatusCode::not_supported,
                    "compute = " + std::to_string(value) + ": " + refusal};
        context.arithmetic = mode;
        return {};
    });
}

tilewright_status_t tilewright_get_compute(tilewright_handle_t handle,
                                           tilewright_compute_t* compute) {
    return get<tilewright_compute_t>(handle, "compute", compute, [](Context& context) {
        return static_cast<tilewright_compute_t>(context.arithmetic);
    });
}

tilewright_status_t tilewright_set_pointer_mode(tilewright_handle_t handle, int host0_device1) {
    return call(handle, [&](Context& context) -> Status {
        if (host0_device1 != 0 && host0_device1 != 1)
            return {StatusCode::invalid_value,
                    "host0_device1 = " + std::to_string(host0_device1) + ": 0 or 1"};
        context.scalars_on_device = host0_device1 == 1;
        return {};
    });
}

tilewright_status_t tilewright_get_pointer_mode(tilewright_handle_t handle, int* host0_device1) {
    return get<int>(handle, "host0_device1", host0_device1,
                    [](Context& context) { return int{context.scalars_on_device}; });
}

tilewright_status_t tilewright_set_workspace(tilewright_handle_t handle, void* workspace,
                                             size_t bytes) {
    return call(handle, [&](Context& context) {
        return context.set_workspace(workspace,
                                     static_cast<int64_t>(std::min<size_t>(bytes, INT64_MAX)));
    });
}

tilewright_status_t tilewright_get_workspace_size(tilewright_handle_t handle,
                                                  tilewright_layout_t layout,
                                                  tilewright_operation_t ta,
                                                  tilewright_operation_t tb, int64_t m, int64_t n,
                                                  int64_t k, int64_t batch_count, size_t* bytes) {
    return call(handle, [&](Context& context) -> Status {
        const Call c = call_of_sizes(integer(layout), integer(ta), integer(tb), m, n, k,
                                     batch_count, context.arithmetic);
        if (Status status = check(c); !status.ok()) return status;
        if (!bytes) return null_argument("bytes");
        const bool empty = m == 0 || n == 0 || batch_count == 0;
        *bytes = empty ? 0 : static_cast<size_t>(context.workspace_bytes(problem_of(c)));
        return {};
    });
}

tilewright_status_t tilewright_sgemm(tilewright_handle_t handle, tilewright_layout_t layout,
                                     tilewright_operation_t ta, tilewright_operation_t tb,
                                     int64_t m, int64_t n, int64_t k, const float* alpha,
                                     const float* A, int64_t lda, const float* B, int64_t ldb,
                                     const float* beta, float* C, int64_t ldc) {
    return product(handle, layout, ta, tb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0,
                   1);
}

tilewright_status_t tilewright_sgemm_strided_batched(
    tilewright_handle_t handle, tilewright_layout_t layout, tilewright_operation_t ta,
    tilewright_operation_t tb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b, const float* beta,
    float* C, int64_t ldc, int64_t stride_c, int64_t batch_count) {
    return product(handle, layout, ta, tb, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta,
                   C, ldc, stride_c, batch_count);
}

const char* tilewright_last_kernel(tilewright_handle_t handle) {
    if (!is_alive(handle)) return "none";
    handle->kernel = name_of(handle->context.last_choice());
    return handle->kernel.c_str();
}

tilewright_status_t tilewright_set_kernel(tilewright_handle_t handle, const char* kernel) {
    return call(handle, [&](Context& context) { return context.set_kernel(kernel); });
}

tilewright_status_t tilewright_set_log(tilewright_handle_t handle, tilewright_log_t log,
                                       void* user) {
    return call(handle, [&](Context& context) -> Status {
        context.set_log(log, user);
        return {};
    });
}
