/* SPDX-FileCopyrightText: 2026 The Tilewright authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tilewright's C interface: C := alpha * op(A) * op(B) + beta * C of FP32 numbers, on NVIDIA GPUs.
 *
 * The meaning of every argument is the BLAS's, and cuBLAS's where the BLAS has none:
 *
 *   op(A) is m x k, op(B) is k x n, C is m x n. Stored row by row (TILEWRIGHT_ROW_MAJOR) or column
 *   by column (TILEWRIGHT_COL_MAJOR), the beginnings of two neighbouring rows, or columns, are a
 *   leading dimension apart, in elements: at least 1 and at least as long as what is stored between.
 *
 *   Arguments are checked before anything else, in their order; the first bad one is named by
 *   tilewright_last_error(). Nothing is done where m, n or batch_count is 0. Where k or alpha is 0,
 *   A and B are not read and may be null. Where beta is 0, also -0, C is not read. Infinities and
 *   NaNs go through, and 0 * infinity is NaN.
 *
 *   Pointers need the alignment of a float. Sizes are 64-bit throughout.
 *
 *   Work goes to the handle's stream. A call neither waits nor, in FP32, allocates, but for what CUDA
 *   does when a kernel is first used, and may be captured in a graph. The same call gives the same
 *   bits each time, and a problem the same bits in every slot of a batch.
 *
 *   In other compute modes the handle's own workspace grows, in the order of the stream, to what the
 *   largest product wants. In a capture it does not, nor where memory is used up: such a product is
 *   computed in parts, more slowly and with the same bits, or by another kernel with other bits. A
 *   workspace of the caller's never grows.
 *
 * A handle belongs to the device that was current when it was created, to one thread at a time, and
 * not to a child that is forked.
 * Calls in several streams take turns with its workspace. Graphs cannot: one that was captured with
 * a handle must not run at the same time as other work of it, nor may two streams of one capture use
 * one handle. What is to overlap needs handles of its own.
 *
 * Without CUDA, or where the environment says TILEWRIGHT_DEVICE=cpu, the same kernels run on the
 * processor, far more slowly: pointers are then the host's, and a call returns when its work is done.
 *
 * TILEWRIGHT_LOG=1 in the environment writes a line to stderr for each call: what was asked for, in
 * row-major terms, as a command of the tilewright program that explains the choice, and which kernel
 * was chosen.
 */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#define TILEWRIGHT_VERSION_MAJOR 0
#define TILEWRIGHT_VERSION_MINOR 2
#define TILEWRIGHT_VERSION_PATCH 0

#if defined(_WIN32) || !defined(__GNUC__)
#define TILEWRIGHT_API
#else
#define TILEWRIGHT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* CUDA's own type, so that no CUDA header is needed here. */
typedef struct CUstream_st* cudaStream_t;

typedef struct tilewright_context* tilewright_handle_t;
typedef struct tilewright_operand* tilewright_operand_t;

/* How a call ended. The values are cuBLAS's. */
typedef int tilewright_status_t;
enum {
    TILEWRIGHT_STATUS_SUCCESS = 0,
    TILEWRIGHT_STATUS_NOT_INITIALIZED = 1, /* no handle, or no device */
    TILEWRIGHT_STATUS_ALLOCATION_FAILED = 3, /* no memory for a handle */
    TILEWRIGHT_STATUS_INVALID_VALUE = 7, /* a bad argument; nothing was done */
    TILEWRIGHT_STATUS_ARCH_MISMATCH = 8, /* this build has no kernels for the device */
    TILEWRIGHT_STATUS_EXECUTION_FAILED = 13, /* a kernel could not be launched */
    TILEWRIGHT_STATUS_INTERNAL_ERROR = 14,
    TILEWRIGHT_STATUS_NOT_SUPPORTED = 15 /* by this build or device */
};

/* CBLAS's values. */
typedef enum { TILEWRIGHT_ROW_MAJOR = 101, TILEWRIGHT_COL_MAJOR = 102 } tilewright_layout_t;

/* op(X) is X, its transpose, or its conjugate transpose, which for real numbers is the transpose. */
typedef enum {
    TILEWRIGHT_OP_N = 0,
    TILEWRIGHT_OP_T = 1,
    TILEWRIGHT_OP_C = 2
} tilewright_operation_t;

/* What products may be made of. FP32 is the default: FMA, each product and sum rounded once to FP32.
 * The others allow tensor cores, and promise an accuracy: FP32's kernels run where they are faster.
 * FP16X3 keeps FP32's but for data whose sizes run against each other along k, as quantities of very
 * different units in the columns of A and the rows of B do: docs/accuracy.md. */
typedef enum {
    TILEWRIGHT_COMPUTE_FP32 = 0,
    TILEWRIGHT_COMPUTE_FP16X3 = 1, /* FP32's, by three products of FP16 pieces */
    TILEWRIGHT_COMPUTE_BF16X6 = 2, /* FP32's, by six products of BF16 pieces, */
    TILEWRIGHT_COMPUTE_BF16X9 = 3, /* or all nine of them */
    TILEWRIGHT_COMPUTE_TF32 = 4 /* less, TF32's: factors rounded to 11 bits */
} tilewright_compute_t;

/* major * 10000 + minor * 100 + patch */
TILEWRIGHT_API int tilewright_version(void);

/* A name such as "TILEWRIGHT_STATUS_INVALID_VALUE"; never null. */
TILEWRIGHT_API const char* tilewright_status_string(tilewright_status_t status);

/* Why the handle's last call failed, naming the argument and its value; "" where it did not. Of a
 * null handle: why this thread's last call without a good handle failed. Valid until the next call
 * with the same handle. */
TILEWRIGHT_API const char* tilewright_last_error(tilewright_handle_t handle);

/* A handle for the current device. Allocates 32 MiB of workspace there, and waits for the device:
 * create handles before a capture begins. On failure *handle is null. */
TILEWRIGHT_API tilewright_status_t tilewright_create(tilewright_handle_t* handle);

/* Waits for the device's work, as the handle's memory goes back. A null handle is NOT_INITIALIZED. */
TILEWRIGHT_API tilewright_status_t tilewright_destroy(tilewright_handle_t handle);

/* Where work goes from now on; null, as at first, is the default stream. For a second stream the
 * handle allocates another workspace, once; where it cannot, kernels that need none run there. Work
 * that was given to another stream before need not be complete. The stream belongs to the handle's
 * device. */
TILEWRIGHT_API tilewright_status_t tilewright_set_stream(tilewright_handle_t handle,
                                                         cudaStream_t stream);
TILEWRIGHT_API tilewright_status_t tilewright_get_stream(tilewright_handle_t handle,
                                                         cudaStream_t* stream);

/* The mode from now on; FP32 at first. NOT_SUPPORTED where this build has no kernel of the mode's own
 * for the device. */
TILEWRIGHT_API tilewright_status_t tilewright_set_compute(tilewright_handle_t handle,
                                                          tilewright_compute_t compute);
TILEWRIGHT_API tilewright_status_t tilewright_get_compute(tilewright_handle_t handle,
                                                          tilewright_compute_t* compute);

/* 0, as at first: alpha and beta are the host's, and read during the call. 1: they are the device's,
 * and read when the work runs. */
TILEWRIGHT_API tilewright_status_t tilewright_set_pointer_mode(tilewright_handle_t handle,
                                                               int host0_device1);
TILEWRIGHT_API tilewright_status_t tilewright_get_pointer_mode(tilewright_handle_t handle,
                                                               int* host0_device1);

/* Device memory, on 256 bytes, that calls may write to in place of the handle's own; the caller keeps
 * it until the work is done. Calls in different streams take turns there. Too small, or none at all
 * (0 bytes), means a product in parts or another kernel, and no failure. A null pointer with 0 bytes
 * gives the handle its own back. */
TILEWRIGHT_API tilewright_status_t tilewright_set_workspace(tilewright_handle_t handle,
                                                            void* workspace, size_t bytes);

/* What the fastest kernel for such a problem writes to in the handle's compute mode, with operands on
 * 16-byte boundaries. */
TILEWRIGHT_API tilewright_status_t tilewright_get_workspace_size(
    tilewright_handle_t handle, tilewright_layout_t layout, tilewright_operation_t ta,
    tilewright_operation_t tb, int64_t m, int64_t n, int64_t k, int64_t batch_count, size_t* bytes);

/* C := alpha * op(A) * op(B) + beta * C */
TILEWRIGHT_API tilewright_status_t tilewright_sgemm(
    tilewright_handle_t handle, tilewright_layout_t layout, tilewright_operation_t ta,
    tilewright_operation_t tb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, const float* B, int64_t ldb, const float* beta, float* C, int64_t ldc);

/* The same for batch_count problems, each a stride behind the one before, in elements. A stride of A
 * or B may be 0 or negative; that of C must not be 0 where there is more than one, and the matrices
 * C must not overlap. */
TILEWRIGHT_API tilewright_status_t tilewright_sgemm_strided_batched(
    tilewright_handle_t handle, tilewright_layout_t layout, tilewright_operation_t ta,
    tilewright_operation_t tb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b, const float* beta,
    float* C, int64_t ldc, int64_t stride_c, int64_t batch_count);

/* A or B of products to come, as weights are, made once into what a compute mode for tensor cores
 * multiplies: left is A, and op(X) then m x k; right is B, k x n. Takes 1.05 times the matrix in device
 * memory for FP16X3, 1.54 times for BF16X6 and BF16X9 and 0.54 times for TF32, rows rounded up to 16 and
 * k to 64. Works in the handle's stream and allocates there: not in a capture (NOT_SUPPORTED, as in
 * FP32 mode, where nothing is to be prepared). Errors name X as A or B, and its sizes as such a
 * product's. On failure *operand is null. */
typedef enum {
    TILEWRIGHT_LEFT = 141,
    TILEWRIGHT_RIGHT = 142
} tilewright_side_t; /* CBLAS's values */
TILEWRIGHT_API tilewright_status_t tilewright_prepare(tilewright_handle_t handle,
                                                      tilewright_layout_t layout,
                                                      tilewright_side_t side,
                                                      tilewright_operation_t op, int64_t rows,
                                                      int64_t cols, const float* X, int64_t ldx,
                                                      tilewright_operand_t* operand);

/* tilewright_sgemm with what was prepared of A, of B, or of both; null where nothing was. A and B are
 * given as well, unchanged since: kernels read them where the fastest takes operands as they are, and
 * for what pieces do not suit. The bits are those of tilewright_sgemm with the same kernel. An operand
 * that was prepared of another matrix, in another mode or with another handle is INVALID_VALUE; in
 * another stream than it was prepared in, the caller waits for that first. */
TILEWRIGHT_API tilewright_status_t tilewright_sgemm_prepared(
    tilewright_handle_t handle, tilewright_layout_t layout, tilewright_operation_t ta,
    tilewright_operation_t tb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, tilewright_operand_t prepared_a, const float* B, int64_t ldb,
    tilewright_operand_t prepared_b, const float* beta, float* C, int64_t ldc);

/* Gives its memory back, after the work that the handle's stream has been given; work in other streams,
 * and graphs that use it, must be complete. Not in a capture (NOT_SUPPORTED). To be called before the
 * handle is destroyed. Null is nothing. */
TILEWRIGHT_API tilewright_status_t tilewright_release(tilewright_handle_t handle,
                                                      tilewright_operand_t operand);

/* Which kernel the handle's last product ran: "tile/64x64 parts=4"; with its compute mode, if that is
 * not FP32, "tensor_tile/256x128-32 compute=fp16x3"; or "none" where there was nothing to run. Valid
 * until the next call with the same handle. */
TILEWRIGHT_API const char* tilewright_last_kernel(tilewright_handle_t handle);

/* From now on takes this kernel, named as above, where it can run the problem, with as many parts of
 * k as there are k-tiles at most, and fails with NOT_SUPPORTED and the reason where it cannot, for
 * example as it is of another compute mode. A name that no kernel has is INVALID_VALUE. Null or "":
 * the fastest again. For tests and measurements. */
TILEWRIGHT_API tilewright_status_t tilewright_set_kernel(tilewright_handle_t handle,
                                                         const char* kernel);

/* From now on gets the lines that TILEWRIGHT_LOG=1 would write; null ends that. It is called in the
 * calling thread, before the work is launched, and must not call with the same handle. */
typedef void (*tilewright_log_t)(const char* line, void* user);
TILEWRIGHT_API tilewright_status_t tilewright_set_log(tilewright_handle_t handle,
                                                      tilewright_log_t log, void* user);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_H */
