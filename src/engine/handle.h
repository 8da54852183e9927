// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the functions of the C interface share: a handle, and how a call finds its context and turns what
// happens into a status.
#pragma once

#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "engine/context.h"

struct tilewright_context {
    static constexpr uint64_t kAlive = 0x7469'6c65'7772'6967;

    explicit tilewright_context(std::unique_ptr<tilewright::engine::Backend> backend)
        : context(std::move(backend)) {}
    ~tilewright_context() { alive = 0; }

    volatile uint64_t alive = kAlive;
    const pid_t process = getpid();
    tilewright::engine::Context context;
    std::string error, kernel;
};

namespace tilewright::engine {

inline bool is_alive(tilewright_handle_t handle) {
    return handle && handle->alive == tilewright_context::kAlive;
}

/// The status of a call that has no good handle; the thread keeps its reason.
tilewright_status_t without_handle(const Status& status);
tilewright_status_t no_handle(tilewright_handle_t handle);

/// An enumeration as the integer that it is in C, where any may come. In C++ reading it is undefined.
template <class Enumeration>
int integer(const Enumeration& value) {
    int result = 0;
    static_assert(sizeof(result) == sizeof(value));
    std::memcpy(&result, &value, sizeof(result));
    return result;
}

inline Status null_argument(const char* name) {
    return {StatusCode::invalid_value, std::string(name) + " is a null pointer"};
}

/// No exception leaves the C interface.
template <class Function>
tilewright_status_t call(tilewright_handle_t handle, const Function& function) {
    if (!is_alive(handle)) return no_handle(handle);
    // Neither a GPU's context nor CPU mode's threads are in a child.
    if (handle->process != getpid())
        return without_handle({StatusCode::not_initialized,
                               "handle was created before a fork: a child needs its own"});
    try {
        const Backend::Scope scope(handle->context.backend());
        Status status = function(handle->context);
        handle->error.swap(status.reason);
        return static_cast<tilewright_status_t>(status.code);
    } catch (const std::bad_alloc&) {
        handle->error.clear();
        return TILEWRIGHT_STATUS_ALLOCATION_FAILED;
    } catch (...) {  // also what a caller's log function throws
        handle->error.clear();
        return TILEWRIGHT_STATUS_INTERNAL_ERROR;
    }
}

/// tilewright_sgemm_strided_batched, with what was prepared of A and of B, or null.
tilewright_status_t product(tilewright_handle_t handle, tilewright_layout_t layout,
                            tilewright_operation_t ta, tilewright_operation_t tb, int64_t m,
                            int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda,
                            int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b,
                            const float* beta, float* C, int64_t ldc, int64_t stride_c,
                            int64_t batch_count, const PreparedOperand* prepared_a = nullptr,
                            const PreparedOperand* prepared_b = nullptr);

}  // namespace tilewright::engine
