// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// The BLAS's own names for the product, sgemm_ and cblas_sgemm, so that programs which know nothing
// of Tilewright can call it; above all the BLAS's test programs (tests/blas_check.py).
//
// A caller of the BLAS passes pointers of the host and expects C when the call returns: the work is
// done in CPU mode, also where there is a GPU. That is for checking results, not for speed.
//
// Declarations are those of any cblas.h, which is why there is no header here. Integers have 32
// bits (LP64). Errors go to xerbla_ and cblas_xerbla, the program's where it has some.
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/host.h"
#include "tilewright/tilewright.h"

extern "C" {
TILEWRIGHT_API void xerbla_(const char* routine, const int* info, size_t length);
TILEWRIGHT_API void cblas_xerbla(int code, const char* routine, const char* format, ...);

// The reference CBLAS has it, and handlers that were written for that read it: whether the call that
// has an error was a row-major one. A name that is in use beside ours, so that it is weak.
extern TILEWRIGHT_API int RowMajorStrg;
__attribute__((weak)) int RowMajorStrg = 0;
}

namespace {

/// Of cblas_sgemm's call that has an error, for our cblas_xerbla.
thread_local bool error_has_rows = false;

/// After this thread's handle was destroyed a call creates one of its own: objects that are
/// destroyed later may still multiply.
thread_local bool thread_has_ended = false;

[[noreturn]] void fail(const char* routine, tilewright_handle_t handle) {
    // The BLAS has no word for it, and going on with a wrong C is worse than an end.
    std::fprintf(stderr, "tilewright: %s: %s\n", routine, tilewright_last_error(handle));
    std::abort();
}

tilewright_handle_t create(const char* routine) {
    tilewright_handle_t handle;
    if (tilewright_create_in_cpu_mode(&handle) != TILEWRIGHT_STATUS_SUCCESS) fail(routine, nullptr);
    return handle;
}

/// A thread's handle, created when it is first needed.
class ThreadHandle {
  public:
    ~ThreadHandle() {
        thread_has_ended = true;
        if (handle_ && process_ == getpid()) tilewright_destroy(handle_);
    }

    tilewright_handle_t get(const char* routine) {
        // A fork leaves the handle's workers behind: nobody would do the work, nor end when told
        // to, so that the child forgets the handle.
        if (const pid_t process = getpid(); !handle_ || process_ != process) {
            handle_ = create(routine);
            process_ = process;
        }
        return handle_;
    }

  private:
    tilewright_handle_t handle_ = nullptr;
    pid_t process_ = 0;
};

struct Product {
    tilewright_layout_t layout;
    tilewright_operation_t ta, tb;
    int m, n, k;
    float alpha;
    const float* A;
    int lda;
    const float* B;
    int ldb;
    float beta;
    float* C;
    int ldc;
};

/// The first bad argument's position in SGEMM's list; 0 where there is none. Operations, which each
/// face writes in its own way, were checked before.
int first_bad(const Product& p) {
    const bool rows = p.layout == TILEWRIGHT_ROW_MAJOR;
    const auto is_short = [](int ld, int length) { return ld < std::max(1, length); };
    if (p.m < 0) return 3;
    if (p.n < 0) return 4;
    if (p.k < 0) return 5;
    if (is_short(p.lda, rows == (p.ta == TILEWRIGHT_OP_N) ? p.k : p.m)) return 8;
    if (is_short(p.ldb, rows == (p.tb == TILEWRIGHT_OP_N) ? p.n : p.k)) return 10;
    if (is_short(p.ldc, rows ? p.n : p.m)) return 13;
    return 0;
}

void run(const char* routine, const Product& p) {
    // As the BLAS has it, C is not touched at all where it stays what it is.
    if (p.m == 0 || p.n == 0 || ((p.alpha == 0.0f || p.k == 0) && p.beta == 1.0f)) return;
    const auto multiply = [&](tilewright_handle_t handle) {
        if (tilewright_sgemm(handle, p.layout, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A, p.lda, p.B,
                             p.ldb, &p.beta, p.C, p.ldc) != TILEWRIGHT_STATUS_SUCCESS)
            fail(routine, handle);
    };
    if (thread_has_ended) {
        const tilewright_handle_t handle = create(routine);
        multiply(handle);
        tilewright_destroy(handle);
        return;
    }
    thread_local ThreadHandle handle;
    multiply(handle.get(routine));
}

bool read_operation(char letter, tilewright_operation_t& operation) {
    switch (letter) {
        case 'N':
        case 'n':
            operation = TILEWRIGHT_OP_N;
            return true;
        case 'T':
        case 't':
            operation = TILEWRIGHT_OP_T;
            return true;
        case 'C':
        case 'c':
            operation = TILEWRIGHT_OP_C;
            return true;
        default:
            return false;
    }
}

/// CBLAS's values: 111, 112 and 113.
bool read_operation(int value, tilewright_operation_t& operation) {
    if (value < 111 || value > 113) return false;
    operation = static_cast<tilewright_operation_t>(value - 111);
    return true;
}

/// What row-major callers know as M and N, A and B, the reference passes to SGEMM the other way
/// round. Handlers expect its positions and turn them back, so that they must be turned here.
int turned(int code) {
    switch (code) {
        case 4:
            return 5;
        case 5:
            return 4;
        case 9:
            return 11;
        case 11:
            return 9;
        default:
            return code;
    }
}

}  // namespace

extern "C" {

// The two handlers for programs without any of their own. The BLAS's default is to stop.

TILEWRIGHT_API __attribute__((weak)) void xerbla_(const char* routine, const int* info,
                                                  size_t length) {
    std::fprintf(stderr, " ** On entry to %.*s parameter number %d had an illegal value\n",
                 static_cast<int>(length), routine, *info);
    std::exit(EXIT_FAILURE);
}

TILEWRIGHT_API __attribute__((weak)) void cblas_xerbla(int code, const char* routine,
                                                       const char* format, ...) {
    if (error_has_rows) code = turned(code);
    std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n", code, routine);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::exit(EXIT_FAILURE);
}

// Behind the list Fortran passes the lengths of both strings, of which only the first letter counts.
TILEWRIGHT_API void sgemm_(const char* transa, const char* transb, const int* m, const int* n,
                           const int* k, const float* alpha, const float* A, const int* lda,
                           const float* B, const int* ldb, const float* beta, float* C,
                           const int* ldc, size_t, size_t) {
    Product p{.layout = TILEWRIGHT_COL_MAJOR,
              .m = *m,
              .n = *n,
              .k = *k,
              .alpha = *alpha,
              .A = A,
              .lda = *lda,
              .B = B,
              .ldb = *ldb,
              .beta = *beta,
              .C = C,
              .ldc = *ldc};
    int info = 0;
    if (!read_operation(*transa, p.ta))
        info = 1;
    else if (!read_operation(*transb, p.tb))
        info = 2;
    else
        info = first_bad(p);
    if (info != 0) return xerbla_("SGEMM ", &info, 6);
    run("SGEMM", p);
}

TILEWRIGHT_API void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k,
                                float alpha, const float* A, int lda, const float* B, int ldb,
                                float beta, float* C, int ldc) {
    Product p{.layout = static_cast<tilewright_layout_t>(layout),
              .m = m,
              .n = n,
              .k = k,
              .alpha = alpha,
              .A = A,
              .lda = lda,
              .B = B,
              .ldb = ldb,
              .beta = beta,
              .C = C,
              .ldc = ldc};
    const bool rows = layout == TILEWRIGHT_ROW_MAJOR;
    int code = 0;
    if (!rows && layout != TILEWRIGHT_COL_MAJOR)
        code = 1;
    else if (!read_operation(transa, p.ta))
        code = 2;
    else if (!read_operation(transb, p.tb))
        code = 3;
    else if (const int position = first_bad(p))
        code = position + 1;  // the layout comes before
    if (code != 0) {
        error_has_rows = rows;
        RowMajorStrg = rows;
        return cblas_xerbla(rows ? turned(code) : code, "cblas_sgemm", "");
    }
    run("cblas_sgemm", p);
}

}  // extern "C"
