// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
//
// sgemm_ and cblas_sgemm where the BLAS's own test programs (blas_check.py) do not look: those take
// a NaN for a small error, end at matrices of 65 x 65, and have one thread.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*,
            size_t, size_t);
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                 float*, int);

extern int RowMajorStrg;

// A program's own handlers, which come before the library's.
#define EXPORTED __attribute__((visibility("default")))
static std::string reported;

EXPORTED void xerbla_(const char* routine, const int* info, size_t length) {
    reported = std::string(routine, length) + std::to_string(*info);
}

EXPORTED void cblas_xerbla(int code, const char* routine, const char*, ...) {
    reported = std::string(routine) + ' ' + std::to_string(code) + (RowMajorStrg ? " rows" : "");
}

// In a forked child memory of threads that did not come along is no leak.
static bool is_child = false;
#if TILEWRIGHT_ASAN
EXPORTED int __lsan_is_turned_off() {
    return is_child;
}
#endif
}

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kSlack = -77.0f;
constexpr int kRows = 101, kColumns = 102;

/// Element (row, col) of X, as stored.
size_t place(bool along_rows, int row, int col, int ld) {
    return along_rows ? static_cast<size_t>(row) * ld + col : static_cast<size_t>(col) * ld + row;
}

struct Case {
    int layout = kColumns;
    char ta = 'N', tb = 'N';
    int m = 1, n = 1, k = 1;
    float alpha = 1.0f, beta = 0.0f;
    int slack = 3;  ///< Elements between lines.

    bool rows() const { return layout == kRows; }
    bool a_along_k() const { return std::toupper(ta) == 'N'; }
    bool b_along_n() const { return std::toupper(tb) == 'N'; }
    int lda() const { return (rows() == a_along_k() ? k : m) + slack; }
    int ldb() const { return (rows() == b_along_n() ? n : k) + slack; }
    int ldc() const { return (rows() ? n : m) + slack; }
    size_t a_place(int i, int l) const {
        return a_along_k() ? place(rows(), i, l, lda()) : place(rows(), l, i, lda());
    }
    size_t b_place(int l, int j) const {
        return b_along_n() ? place(rows(), l, j, ldb()) : place(rows(), j, l, ldb());
    }
    size_t c_place(int i, int j) const { return place(rows(), i, j, ldc()); }
};

struct Matrices {
    std::vector<float> a, b, c;

    explicit Matrices(const Case& x) {
        const auto square = [](int ld, int lines) { return static_cast<size_t>(ld) * lines; };
        a.assign(square(x.lda(), std::max(x.m, x.k)), kNan);  // slack must not be read
        b.assign(square(x.ldb(), std::max(x.n, x.k)), kNan);
        c.assign(square(x.ldc(), std::max(x.m, x.n)), kSlack);
        std::mt19937 random(x.m * 31 + x.n * 7 + x.k);
        std::uniform_real_distribution<float> value(-1.0f, 1.0f);
        for (int l = 0; l < x.k; ++l) {
            for (int i = 0; i < x.m; ++i) a[x.a_place(i, l)] = value(random);
            for (int j = 0; j < x.n; ++j) b[x.b_place(l, j)] = value(random);
        }
        for (int i = 0; i < x.m; ++i)
            for (int j = 0; j < x.n; ++j)
                c[x.c_place(i, j)] = x.beta == 0.0f ? kNan : value(random);
    }
};

void call(const Case& x, Matrices& of) {
    const int lda = x.lda(), ldb = x.ldb(), ldc = x.ldc();
    const auto cblas = [](char letter) { return letter == 'N' ? 111 : letter == 'T' ? 112 : 113; };
    if (x.rows())
        cblas_sgemm(x.layout, cblas(x.ta), cblas(x.tb), x.m, x.n, x.k, x.alpha, of.a.data(), lda,
                    of.b.data(), ldb, x.beta, of.c.data(), ldc);
    else
        sgemm_(&x.ta, &x.tb, &x.m, &x.n, &x.k, &x.alpha, of.a.data(), &lda, of.b.data(), &ldb,
               &x.beta, of.c.data(), &ldc, 1, 1);
}

/// What is wrong with C after a call; "" if nothing.
std::string fault_of(const Case& x) {
    Matrices got(x);
    const std::vector<float> before = got.c;
    call(x, got);
    std::vector<bool> belongs(before.size());
    for (int i = 0; i < x.m; ++i) {
        for (int j = 0; j < x.n; ++j) {
            const size_t at = x.c_place(i, j);
            belongs[at] = true;
            double sum = 0.0, size = 0.0;
            for (int l = 0; l < x.k; ++l) {
                const double product = double{got.a[x.a_place(i, l)]} * got.b[x.b_place(l, j)];
                sum += product, size += std::abs(product);
            }
            double want = x.alpha * sum;
            if (x.beta != 0.0f) want += double{x.beta} * before[at], size += std::abs(before[at]);
            // Written so that a NaN is a fault too.
            if (!(std::abs(got.c[at] - want) <= (x.k + 2) * 6e-8 * size))
                return "C(" + std::to_string(i) + ", " + std::to_string(j) +
                       ") = " + std::to_string(got.c[at]) + ", not " + std::to_string(want);
        }
    }
    for (size_t at = 0; at < before.size(); ++at)
        if (!belongs[at] && got.c[at] != kSlack) return "slack was written to";
    return "";
}

TEST(Blas, ProductsLargerThanTheTestersKnow) {
    for (const int layout : {kColumns, kRows})
        for (const char ta : {'N', 'T', 'C'})
            for (const char tb : {'N', 'T', 'C'})
                for (const float beta : {0.0f, 1.3f}) {
                    const Case x{layout, ta, tb, 130, 67, 71, 0.7f, beta};
                    EXPECT_EQ(fault_of(x), "") << layout << ta << tb << beta;
                }
    EXPECT_EQ(fault_of({.m = 3, .n = 5, .k = 2000}), "");
    EXPECT_EQ(fault_of({.m = 200, .n = 190, .k = 33, .slack = 0}), "");
}

TEST(Blas, LettersMayBeSmall) {
    for (const char ta : {'n', 't', 'c'})
        for (const char tb : {'n', 't', 'c'}) {
            const Case x{kColumns, ta, tb, 5, 4, 3};
            EXPECT_EQ(fault_of(x), "") << ta << tb;
        }
}

TEST(Blas, NothingThatIsNoNumberIsReadOrHidden) {
    const int one = 1, two = 2, none = 0;
    const float zero = 0.0f, unit = 1.0f;
    const float nans[] = {kNan, kNan};
    float c = kNan;
    // beta = 0: C is not read. alpha = 0, or no k: neither are A and B.
    sgemm_("N", "N", &one, &one, &one, &zero, nans, &one, nans, &one, &zero, &c, &one, 1, 1);
    EXPECT_EQ(c, 0.0f);
    c = kNan;
    sgemm_("N", "N", &one, &one, &none, &unit, nans, &one, nans, &one, &zero, &c, &one, 1, 1);
    EXPECT_EQ(c, 0.0f);
    c = 3.0f;
    const float half = 0.5f;
    sgemm_("N", "N", &one, &one, &one, &zero, nullptr, &one, nullptr, &one, &half, &c, &one, 1, 1);
    EXPECT_EQ(c, 1.5f);
    // A zero beside an infinity, or a NaN, makes a NaN.
    const float zeros[] = {0.0f, 1.0f}, infinities[] = {kInfinity, 1.0f};
    sgemm_("N", "N", &one, &one, &two, &unit, zeros, &one, infinities, &two, &zero, &c, &one, 1, 1);
    EXPECT_TRUE(std::isnan(c));
    sgemm_("N", "N", &one, &one, &two, &unit, zeros, &one, nans, &two, &zero, &c, &one, 1, 1);
    EXPECT_TRUE(std::isnan(c));
}

TEST(Blas, WhatStaysAsItIsIsNotTouched) {
    const int one = 1, none = 0;
    const float zero = 0.0f, unit = 1.0f;
    sgemm_("N", "N", &one, &one, &one, &zero, nullptr, &one, nullptr, &one, &unit, nullptr, &one, 1,
           1);
    sgemm_("N", "N", &one, &one, &none, &unit, nullptr, &one, nullptr, &one, &unit, nullptr, &one,
           1, 1);
    sgemm_("N", "N", &none, &one, &one, &unit, nullptr, &one, nullptr, &one, &zero, nullptr, &one,
           1, 1);
}

TEST(Blas, ErrorsGoToTheProgramsHandlers) {
    float c = 0.0f;
    const auto fortran = [&](const char* ta, int m, int n, int ldc) {
        const int one = 1;
        const float unit = 1.0f;
        reported = "";
        sgemm_(ta, "N", &m, &n, &one, &unit, &c, &m, &c, &one, &unit, &c, &ldc, 1, 1);
        return reported;
    };
    EXPECT_EQ(fortran("X", -1, 1, 1), "SGEMM 1");
    EXPECT_EQ(fortran("N", -1, 1, 1), "SGEMM 3");
    EXPECT_EQ(fortran("N", 2, 0, 1), "SGEMM 13");
    const auto c_face = [&](int layout, int ta, int m, int n, int lda, int ldb) {
        reported = "";
        cblas_sgemm(layout, ta, 111, m, n, 2, 1.0f, &c, lda, &c, ldb, 1.0f, &c, 9);
        return reported;
    };
    EXPECT_EQ(c_face(100, 111, 0, 0, 2, 2), "cblas_sgemm 1");
    EXPECT_EQ(c_face(kRows, 110, 0, 0, 2, 2), "cblas_sgemm 2 rows");
    EXPECT_EQ(c_face(kColumns, 111, -1, 0, 2, 2), "cblas_sgemm 4");
    // What handlers turn back.
    EXPECT_EQ(c_face(kRows, 111, -1, 0, 2, 2), "cblas_sgemm 5 rows");
    EXPECT_EQ(c_face(kRows, 111, 0, 0, 1, 2), "cblas_sgemm 11 rows");
    EXPECT_EQ(c_face(kRows, 111, 0, 3, 2, 2), "cblas_sgemm 9 rows");
}

TEST(Blas, ThreadsCallAtTheSameTime) {
    std::vector<std::string> faults(4, "did not run");
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                faults[t] = "";
                for (int i = 0; i < 20 && faults[t].empty(); ++i)
                    faults[t] = fault_of({.m = 20 + t, .n = 33, .k = 5 + i});
            });
    }
    for (const std::string& fault : faults) EXPECT_EQ(fault, "");
}

/// Runs a function in a forked child, and returns its exit status; -1 where it did not exit.
template <class Function>
int status_of_child(const Function& function) {
    const pid_t child = fork();
    if (child == 0) {
        is_child = true;
        alarm(60);
        function();
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Blas, AForkedProcessCalls) {
    ASSERT_EQ(fault_of({.m = 9}), "");  // a handle whose workers stay behind
    EXPECT_EQ(status_of_child([] { std::exit(fault_of({.m = 9}).empty() ? 7 : 8); }), 7);
    EXPECT_EQ(status_of_child([] { std::exit(7); }), 7);
}

TEST(Blas, DestructorsCallWhileTheProcessEnds) {
    struct AtTheEnd {
        ~AtTheEnd() { _exit(fault_of({.m = 9}).empty() ? 7 : 8); }
    };
    EXPECT_EQ(status_of_child([] {
                  static AtTheEnd at_the_end;
                  if (fault_of({.m = 9}).empty()) std::exit(0);
                  _exit(9);
              }),
              7);
}

}  // namespace
