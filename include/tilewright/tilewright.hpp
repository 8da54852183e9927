// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Tilewright for C++17: the C interface (tilewright.h, which says what arguments mean) with a handle
// that is destroyed, enumerations, matrices as one argument, and exceptions in place of statuses.
//
//   tilewright::Handle handle;
//   handle.set_stream(stream);
//   // C := A * transposed B, all row by row: A is m x k, B n x k, C m x n
//   handle.sgemm(tilewright::Layout::row_major, m, n, k, 1, {A, k},
//                {B, k, tilewright::Operation::transpose}, 0, {C, n});
#ifndef TILEWRIGHT_HPP
#define TILEWRIGHT_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "tilewright/tilewright.h"

namespace tilewright {

enum class Layout { row_major = TILEWRIGHT_ROW_MAJOR, col_major = TILEWRIGHT_COL_MAJOR };

enum class Operation {
    none = TILEWRIGHT_OP_N,
    transpose = TILEWRIGHT_OP_T,
    conjugate_transpose = TILEWRIGHT_OP_C
};

enum class Compute {
    fp32 = TILEWRIGHT_COMPUTE_FP32,
    fp16x3 = TILEWRIGHT_COMPUTE_FP16X3,
    bf16x6 = TILEWRIGHT_COMPUTE_BF16X6,
    bf16x9 = TILEWRIGHT_COMPUTE_BF16X9,
    tf32 = TILEWRIGHT_COMPUTE_TF32
};

/// Where the scalars alpha and beta are.
enum class PointerMode { host = 0, device = 1 };

/// The linked library's version, as TILEWRIGHT_VERSION_MAJOR * 10000 + ... of its header.
inline int version() {
    return tilewright_version();
}

/// A status that is not success, with the library's sentence about it.
class Error : public std::runtime_error {
  public:
    Error(tilewright_status_t status, const std::string& reason)
        : std::runtime_error(tilewright_status_string(status) +
                             (reason.empty() ? reason : ": " + reason)),
          status_(status) {}

    tilewright_status_t status() const noexcept { return status_; }

  private:
    tilewright_status_t status_;
};

/// alpha or beta: a number, or where it is found: on the host or the device, as the pointer mode says.
class Scalar {
  public:
    /// Any number, so that 0 is one and no null pointer.
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    Scalar(T value) : value_(static_cast<float>(value)) {}
    Scalar(const float* address) : address_(address), is_number_(false) {}

    bool is_number() const { return is_number_; }
    const float* address() const { return is_number_ ? &value_ : address_; }

  private:
    float value_ = 0;
    const float* address_ = nullptr;
    bool is_number_ = true;
};

/// An operand A or B, as it is stored; the stride is that of a batch.
struct Matrix {
    const float* data;
    std::int64_t leading_dimension;
    Operation operation = Operation::none;
    std::int64_t stride = 0;
};

enum class Side { left = TILEWRIGHT_LEFT, right = TILEWRIGHT_RIGHT };

/// A or B of products to come, from Handle::prepare(). To be destroyed before its handle.
class PreparedOperand {
  public:
    PreparedOperand(PreparedOperand&& other) noexcept
        : handle_(other.handle_), operand_(std::exchange(other.operand_, nullptr)) {}
    PreparedOperand& operator=(PreparedOperand&& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(operand_, other.operand_);
        return *this;
    }
    ~PreparedOperand() {
        if (operand_) tilewright_release(handle_, operand_);
    }

    tilewright_operand_t get() const noexcept { return operand_; }

  private:
    friend class Handle;
    PreparedOperand(tilewright_handle_t handle, tilewright_operand_t operand)
        : handle_(handle), operand_(operand) {}

    tilewright_handle_t handle_;
    tilewright_operand_t operand_;
};

/// C.
struct Result {
    float* data;
    std::int64_t leading_dimension;
    std::int64_t stride = 0;
};

/// For one device and one thread at a time. Every member function throws Error.
class Handle {
  public:
    /// For the current device.
    Handle() {
        const tilewright_status_t status = tilewright_create(&handle_);
        if (status != TILEWRIGHT_STATUS_SUCCESS)
            throw Error(status, tilewright_last_error(nullptr));
    }
    /// Waits for the handle's work.
    ~Handle() { destroy(); }

    Handle(Handle&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), log_(std::move(other.log_)) {}
    Handle& operator=(Handle&& other) noexcept {
        if (this == &other) return *this;
        destroy();
        handle_ = std::exchange(other.handle_, nullptr);
        log_ = std::move(other.log_);
        return *this;
    }

    /// For calls of the C interface; null once the handle was moved from.
    tilewright_handle_t get() const noexcept { return handle_; }

    void set_stream(cudaStream_t stream) { check(tilewright_set_stream(handle_, stream)); }
    cudaStream_t stream() const {
        cudaStream_t stream = nullptr;
        check(tilewright_get_stream(handle_, &stream));
        return stream;
    }

    void set_compute(Compute compute) {
        check(tilewright_set_compute(handle_, static_cast<tilewright_compute_t>(compute)));
    }
    Compute compute() const {
        tilewright_compute_t compute = TILEWRIGHT_COMPUTE_FP32;
        check(tilewright_get_compute(handle_, &compute));
        return static_cast<Compute>(compute);
    }

    void set_pointer_mode(PointerMode mode) {
        check(tilewright_set_pointer_mode(handle_, static_cast<int>(mode)));
    }
    PointerMode pointer_mode() const {
        int mode = 0;
        check(tilewright_get_pointer_mode(handle_, &mode));
        return static_cast<PointerMode>(mode);
    }

    void set_workspace(void* workspace, std::size_t bytes) {
        check(tilewright_set_workspace(handle_, workspace, bytes));
    }
    std::size_t workspace_size(Layout layout, Operation op_a, Operation op_b, std::int64_t m,
                               std::int64_t n, std::int64_t k, std::int64_t batch_count = 1) const {
        std::size_t bytes = 0;
        check(tilewright_get_workspace_size(handle_, c(layout), c(op_a), c(op_b), m, n, k,
                                            batch_count, &bytes));
        return bytes;
    }

    /// C := alpha * op(A) * op(B) + beta * C
    void sgemm(Layout layout, std::int64_t m, std::int64_t n, std::int64_t k, Scalar alpha,
               Matrix A, Matrix B, Scalar beta, Result C) {
        check_scalars(alpha, beta);
        check(tilewright_sgemm(handle_, c(layout), c(A.operation), c(B.operation), m, n, k,
                               alpha.address(), A.data, A.leading_dimension, B.data,
                               B.leading_dimension, beta.address(), C.data, C.leading_dimension));
    }
    /// The same in the order of the BLAS.
    void sgemm(Layout layout, Operation op_a, Operation op_b, std::int64_t m, std::int64_t n,
               std::int64_t k, Scalar alpha, const float* A, std::int64_t lda, const float* B,
               std::int64_t ldb, Scalar beta, float* C, std::int64_t ldc) {
        sgemm(layout, m, n, k, alpha, {A, lda, op_a}, {B, ldb, op_b}, beta, {C, ldc});
    }

    /// Of batch_count problems, each a stride behind the one before.
    void sgemm_strided_batched(Layout layout, std::int64_t m, std::int64_t n, std::int64_t k,
                               Scalar alpha, Matrix A, Matrix B, Scalar beta, Result C,
                               std::int64_t batch_count) {
        check_scalars(alpha, beta);
        check(tilewright_sgemm_strided_batched(
            handle_, c(layout), c(A.operation), c(B.operation), m, n, k, alpha.address(), A.data,
            A.leading_dimension, A.stride, B.data, B.leading_dimension, B.stride, beta.address(),
            C.data, C.leading_dimension, C.stride, batch_count));
    }
    void sgemm_strided_batched(Layout layout, Operation op_a, Operation op_b, std::int64_t m,
                               std::int64_t n, std::int64_t k, Scalar alpha, const float* A,
                               std::int64_t lda, std::int64_t stride_a, const float* B,
                               std::int64_t ldb, std::int64_t stride_b, Scalar beta, float* C,
                               std::int64_t ldc, std::int64_t stride_c, std::int64_t batch_count) {
        sgemm_strided_batched(layout, m, n, k, alpha, {A, lda, op_a, stride_a},
                              {B, ldb, op_b, stride_b}, beta, {C, ldc, stride_c}, batch_count);
    }

    /// op(X) is rows x cols; X.stride is not looked at.
    PreparedOperand prepare(Layout layout, Side side, std::int64_t rows, std::int64_t cols,
                            Matrix X) {
        tilewright_operand_t operand = nullptr;
        check(tilewright_prepare(handle_, c(layout), static_cast<tilewright_side_t>(side),
                                 c(X.operation), rows, cols, X.data, X.leading_dimension,
                                 &operand));
        return {handle_, operand};
    }
    /// sgemm() with what was prepared of A, of B, or of both; null where nothing was.
    void sgemm_prepared(Layout layout, std::int64_t m, std::int64_t n, std::int64_t k, Scalar alpha,
                        Matrix A, const PreparedOperand* prepared_a, Matrix B,
                        const PreparedOperand* prepared_b, Scalar beta, Result C) {
        check_scalars(alpha, beta);
        check(tilewright_sgemm_prepared(
            handle_, c(layout), c(A.operation), c(B.operation), m, n, k, alpha.address(), A.data,
            A.leading_dimension, prepared_a ? prepared_a->get() : nullptr, B.data,
            B.leading_dimension, prepared_b ? prepared_b->get() : nullptr, beta.address(), C.data,
            C.leading_dimension));
    }

    std::string last_kernel() const { return tilewright_last_kernel(handle_); }

    /// Takes this kernel from now on; "" takes the fastest again.
    void set_kernel(const std::string& kernel) {
        check(tilewright_set_kernel(handle_, kernel.empty() ? nullptr : kernel.c_str()));
    }

    /// Gets a line for each call; an empty function ends that. What it throws is lost.
    void set_log(std::function<void(const char* line)> log) {
        auto next = log ? std::make_unique<Log>(std::move(log)) : nullptr;
        check(tilewright_set_log(handle_, next ? &Handle::write : nullptr, next.get()));
        log_ = std::move(next);
    }

  private:
    using Log = std::function<void(const char* line)>;

    static tilewright_layout_t c(Layout layout) { return static_cast<tilewright_layout_t>(layout); }
    static tilewright_operation_t c(Operation operation) {
        return static_cast<tilewright_operation_t>(operation);
    }

    static void write(const char* line, void* log) noexcept {
        try {
            (*static_cast<Log*>(log))(line);
        } catch (...) {  // the caller is C
        }
    }

    void check(tilewright_status_t status) const {
        if (status != TILEWRIGHT_STATUS_SUCCESS)
            throw Error(status, tilewright_last_error(handle_));
    }

    /// A number lies on the host, where a kernel could not read it.
    void check_scalars(const Scalar& alpha, const Scalar& beta) const {
        if ((alpha.is_number() || beta.is_number()) && pointer_mode() == PointerMode::device)
            throw Error(TILEWRIGHT_STATUS_INVALID_VALUE,
                        std::string(alpha.is_number() ? "alpha" : "beta") +
                            " is a number, and the pointer mode asks for the device's memory");
    }

    void destroy() noexcept {
        if (handle_) tilewright_destroy(handle_);
    }

    tilewright_handle_t handle_ = nullptr;
    std::unique_ptr<Log> log_;  // where it is must not change when the handle moves
};

}  // namespace tilewright

#endif  // TILEWRIGHT_HPP
