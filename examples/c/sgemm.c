/* SPDX-FileCopyrightText: 2026 The Tilewright authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A product from C11, in CPU mode, so that it runs anywhere and memory is malloc's. On a GPU the calls
 * are the same, with cudaMalloc's: examples/cuda. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tilewright/tilewright.h"

enum { M = 70, N = 50, K = 30 };

static int fail(tilewright_handle_t handle, const char* call, tilewright_status_t status) {
    fprintf(stderr, "%s: %s: %s\n", call, tilewright_status_string(status),
            tilewright_last_error(handle));
    return EXIT_FAILURE;
}

int main(void) {
    setenv("TILEWRIGHT_DEVICE", "cpu", 1);
    tilewright_handle_t handle = NULL;
    tilewright_status_t status = tilewright_create(&handle);
    if (status != TILEWRIGHT_STATUS_SUCCESS) return fail(NULL, "tilewright_create", status);

    /* Small whole numbers, whose products and sums are exact in FP32. */
    float* A = malloc(sizeof(float) * M * K);
    float* B = malloc(sizeof(float) * K * N);
    float* C = malloc(sizeof(float) * M * N);
    if (!A || !B || !C) return EXIT_FAILURE;
    for (int i = 0; i < M * K; ++i) A[i] = (float)(i % 7 - 3);
    for (int i = 0; i < K * N; ++i) B[i] = (float)(i % 5 - 2);
    for (int i = 0; i < M * N; ++i) C[i] = 1.0f;

    /* C := 2 * A * B - C, stored row by row */
    const float alpha = 2.0f, beta = -1.0f;
    status = tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, M, N,
                              K, &alpha, A, K, B, N, &beta, C, N);
    if (status != TILEWRIGHT_STATUS_SUCCESS) return fail(handle, "tilewright_sgemm", status);
    printf("tilewright %d ran %s\n", tilewright_version(), tilewright_last_kernel(handle));

    int wrong = 0;
    for (int row = 0; row < M; ++row)
        for (int column = 0; column < N; ++column) {
            float sum = 0.0f;
            for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
            wrong += fabsf(C[row * N + column] - (2.0f * sum - 1.0f)) > 0.0f;
        }
    printf("%d of %d elements are wrong\n", wrong, M * N);

    /* What goes wrong is told by a status and a sentence: rows of C have N elements, not N - 1. */
    status = tilewright_sgemm(handle, TILEWRIGHT_ROW_MAJOR, TILEWRIGHT_OP_N, TILEWRIGHT_OP_N, M, N,
                              K, &alpha, A, K, B, N, &beta, C, N - 1);
    printf("on purpose: %s: %s\n", tilewright_status_string(status), tilewright_last_error(handle));
    wrong += status != TILEWRIGHT_STATUS_INVALID_VALUE;

    tilewright_destroy(handle);
    free(A);
    free(B);
    free(C);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
