// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// Stands before a BLAS in LD_PRELOAD and spoils what it does, as TILEWRIGHT_TEST_FAULT says, so that
// blas_check.py can see whether the testers notice: "value", one wrong element; "slack", a store
// behind a column, or a row, of C; "argument", an error in m that is reported as one in n.
#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace {

bool is_fault(std::string_view name) {
    const char* fault = std::getenv("TILEWRIGHT_TEST_FAULT");
    return fault && fault == name;
}

/// The function of that name in the libraries behind this one.
template <class Function>
Function* next(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void spoil_sizes(int& m, int& n) {
    if (is_fault("argument") && m < 0) m = 0, n = -1;
}

/// `length` elements of each column, or row, belong to C.
void spoil_result(float* C, int lines, int length, int ld) {
    if (lines < 1 || length < 1) return;
    if (is_fault("value")) C[length - 1] += 0.25f;
    if (is_fault("slack") && ld > length) C[length] = 1.0f;
}

}  // namespace

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

EXPORTED void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
                     const float* alpha, const float* A, const int* lda, const float* B,
                     const int* ldb, const float* beta, float* C, const int* ldc, size_t ta_length,
                     size_t tb_length) {
    int rows = *m, columns = *n;
    spoil_sizes(rows, columns);
    next(&sgemm_, "sgemm_")(ta, tb, &rows, &columns, k, alpha, A, lda, B, ldb, beta, C, ldc,
                            ta_length, tb_length);
    spoil_result(C, columns, rows, *ldc);
}

EXPORTED void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha,
                          const float* A, int lda, const float* B, int ldb, float beta, float* C,
                          int ldc) {
    spoil_sizes(m, n);
    next(&cblas_sgemm, "cblas_sgemm")(layout, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    const bool rows = layout == 101;
    spoil_result(C, rows ? m : n, rows ? n : m, ldc);
}

}  // extern "C"
