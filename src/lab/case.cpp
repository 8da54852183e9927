// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/guarded.h"
#include "lab/sizes.h"
#include "reference/gemm.h"

namespace tilewright::lab {

namespace {

constexpr int kLargestInteger = 4;

constexpr uint64_t kStep = 0x9e3779b97f4a7c15;

/// mix(stream + i * kStep) is the i-th number of a stream, without those before it [Steele, Lea,
/// Flood: Fast splittable pseudorandom number generators, OOPSLA 2014].
uint64_t mix(uint64_t x) {
    x += kStep;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

float draw(Distribution distribution, Operand operand, uint64_t bits) {
    const auto low = static_cast<int>(bits & 0xffff);
    const float positive = static_cast<float>(bits >> 40) * 0x1p-24f;
    const float uniform =
        static_cast<float>(static_cast<int64_t>(bits >> 39) - (1 << 24)) * 0x1p-24f;
    switch (distribution) {
        case Distribution::positive:
            return positive;
        case Distribution::integers:
            return static_cast<float>(low % (2 * kLargestInteger + 1) - kLargestInteger);
        case Distribution::wide:
            return std::ldexp(uniform, low % 41 - 20);
        case Distribution::denormal:
            // Products near 2^-140. The factors themselves are normal numbers.
            return uniform * (operand == Operand::A   ? 0x1p-90f
                              : operand == Operand::B ? 0x1p-50f
                                                      : 0x1p-130f);
        case Distribution::uniform:
        case Distribution::specials:
            break;
    }
    return uniform;
}

/// 2 |factor| is an integer.
bool is_half(float factor) {
    return std::trunc(2 * factor) == 2 * factor;
}

/// A sum that remembers whether it fitted.
struct CheckedSize {
    bool ok = true;
    size_t value = 0;

    CheckedSize& add(int64_t count, size_t bytes) {
        size_t product = 0;
        ok = ok && count >= 0 && !__builtin_mul_overflow(count, bytes, &product) &&
             !__builtin_add_overflow(value, product, &value);
        return *this;
    }
};

}  // namespace

const char* name_of(Distribution distribution) {
    switch (distribution) {
        case Distribution::uniform:
            return "uniform";
        case Distribution::positive:
            return "positive";
        case Distribution::integers:
            return "integers";
        case Distribution::wide:
            return "wide";
        case Distribution::denormal:
            return "denormal";
        case Distribution::specials:
            return "specials";
    }
    return "";
}

std::optional<Distribution> distribution_of(std::string_view name) {
    for (const Distribution distribution : kDistributions)
        if (name == name_of(distribution)) return distribution;
    return std::nullopt;
}

double work_of(const Case& test) {
    return flops({test.m, test.n, test.k}) * static_cast<double>(test.batch);
}

MatrixLayout Case::layout(Operand operand) const {
    const auto make = [&](int64_t rows, int64_t cols, int64_t slack, int64_t offset, int64_t gap) {
        MatrixLayout layout{rows, cols, std::max<int64_t>(1, cols) + slack, offset, batch};
        // What exceeds 64 bits, memory_need() finds by the stride.
        if (batch != 1 && (__builtin_mul_overflow(rows, layout.ld, &layout.stride) ||
                           __builtin_add_overflow(layout.stride, gap, &layout.stride)))
            layout.stride = std::numeric_limits<int64_t>::max();
        return layout;
    };
    switch (operand) {
        case Operand::A:
            return make(transpose_a ? k : m, transpose_a ? m : k, slack_a, offset_a, gap_a);
        case Operand::B:
            return make(transpose_b ? n : k, transpose_b ? k : n, slack_b, offset_b, gap_b);
        case Operand::C:
            break;
    }
    return make(m, n, slack_c, offset_c, gap_c);
}

Problem problem_of(const Case& test, const float* A, const float* B, float* C,
                   const float* scalars) {
    const MatrixLayout a = test.layout(Operand::A), b = test.layout(Operand::B),
                       c = test.layout(Operand::C);
    // Where the device has the values, the host's are taken from nobody.
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    return {.m = test.m,
            .n = test.n,
            .k = test.k,
            .alpha = scalars ? kNone : test.alpha,
            .A = A,
            .lda = a.ld,
            .B = B,
            .ldb = b.ld,
            .beta = scalars ? kNone : test.beta,
            .C = C,
            .ldc = c.ld,
            .transpose_a = test.transpose_a,
            .transpose_b = test.transpose_b,
            .batch = test.batch,
            .stride_a = a.stride,
            .stride_b = b.stride,
            .stride_c = c.stride,
            .device_alpha = scalars,
            .device_beta = scalars ? scalars + 1 : nullptr};
}

std::string describe(const Case& test) {
    std::string text = fmt::format("--shape {}x{}x{}", test.m, test.n, test.k);
    if (test.slack_a) text += fmt::format(" --lda {}", test.layout(Operand::A).ld);
    if (test.slack_b) text += fmt::format(" --ldb {}", test.layout(Operand::B).ld);
    if (test.slack_c) text += fmt::format(" --ldc {}", test.layout(Operand::C).ld);
    if (test.offset_a || test.offset_b || test.offset_c)
        text += fmt::format(" --offset {},{},{}", test.offset_a, test.offset_b, test.offset_c);
    if (test.transpose_a) text += " --transa T";
    if (test.transpose_b) text += " --transb T";
    if (test.batch != 1) text += fmt::format(" --batch {}", test.batch);
    if (test.gap_a) text += fmt::format(" --stride-a {}", test.layout(Operand::A).stride);
    if (test.gap_b) text += fmt::format(" --stride-b {}", test.layout(Operand::B).stride);
    if (test.gap_c) text += fmt::format(" --stride-c {}", test.layout(Operand::C).stride);
    if (test.device_scalars) text += " --device-scalars";
    if (test.parts != 1) text += fmt::format(" --parts {}", test.parts);
    return text + fmt::format(" --alpha {} --beta {} --dist {} --seed {}", test.alpha, test.beta,
                              name_of(test.distribution), test.seed);
}

std::optional<MemoryNeed> memory_need(const Case& test) {
    CheckedSize device, host;
    for (const Operand operand : {Operand::A, Operand::B, Operand::C}) {
        const auto elements = guarded_elements(test.layout(operand));
        if (!elements) return std::nullopt;
        device.add(*elements, sizeof(float));
        // C is kept as it was before, and comes back.
        host.add(*elements, operand == Operand::C ? 2 * sizeof(float) : sizeof(float));
    }
    int64_t results = 0;
    if (__builtin_mul_overflow(test.m, test.n, &results) ||
        __builtin_mul_overflow(results, test.batch, &results))
        return std::nullopt;
    host.add(std::min(results, reference::kMostElements), 2 * sizeof(double));
    if (!device.ok || !host.ok) return std::nullopt;
    return MemoryNeed{device.value, host.value};
}

reference::Tolerance tolerance_of(const Case& test, Arithmetic arithmetic) {
    using reference::Assumption;
    Assumption assumption = Assumption::random;
    if (test.distribution == Distribution::wide) assumption = Assumption::worst_case;
    if (test.distribution == Distribution::integers) {
        constexpr double kProduct = kLargestInteger * kLargestInteger;
        const double sum =
            kProduct * static_cast<double>(test.k) * std::max(1.0f, std::fabs(test.alpha));
        const bool halves = is_half(test.alpha) && is_half(test.beta);
        if (halves && sum + kLargestInteger * std::fabs(test.beta) < 0x1p23)
            assumption = Assumption::exact;
    }
    return reference::tolerance(assumption, test.has_product() ? test.k : 0, test.alpha,
                                arithmetic);
}

void fill(const Case& test, Operand operand, float* first) {
    const MatrixLayout matrix = test.layout(operand);
    const uint64_t stream = mix(test.seed * 4 + static_cast<uint64_t>(operand));
    const int64_t rows = matrix.rows * matrix.count;
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t col = 0; col < matrix.cols; ++col)
            first[matrix.begin_of(row) + col] =
                draw(test.distribution, operand, mix(stream + (row * matrix.cols + col) * kStep));
    if (test.distribution != Distribution::specials || matrix.span() == 0) return;
    constexpr float kSpecials[] = {std::numeric_limits<float>::quiet_NaN(),
                                   std::numeric_limits<float>::infinity(),
                                   -std::numeric_limits<float>::infinity()};
    uint64_t place = stream;
    for (const float special : kSpecials) {
        place = mix(place);
        const auto row = static_cast<int64_t>(place % rows);
        const auto col = static_cast<int64_t>(place / rows % matrix.cols);
        first[matrix.begin_of(row) + col] = special;
    }
}

}  // namespace tilewright::lab
