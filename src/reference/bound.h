// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How far an FP32 result may lie from the FP64 reference, and why.
//
// A result is alpha * sum + beta * c, where sum has K products. Every operation rounds once, by a
// factor 1 + d with |d| <= u = 2^-24. A product meets at most K + 2 of them, in whatever order the
// sum is taken: its own rounding, K - 1 additions, the factor alpha, the addition of beta * c
// (fma saves the first). beta * c meets two. So, with magnitude = |alpha| |A||B| + |beta| |C|,
//
//     |got - want| <= gamma(K + 2) * magnitude,    gamma(n) = n u / (1 - n u),
//
// for any data [Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1].
//
// On random data the roundings cancel. Where they are independent and the partial sums grow
// steadily, as they do for positive data, the i-th of K steps adds an error of at most
// u / sqrt(3) * (i / K) * magnitude in standard deviation; together they make
// u * sqrt(K / 9) * magnitude. 2 sqrt(K) u is six of these standard deviations; data of mixed signs
// has smaller partial sums and lies further inside. 4 u is for the epilogue and for small K: up to
// K = 7, (4 + 2 sqrt(K)) u exceeds (K + 2) u, and nothing is left to chance.
//
// The reference's own error is at most 2^-29 of gamma's.
//
// In TF32 a factor keeps 11 significant bits. Rounded to nearest it is off by 2^-11, and a product of
// two by 2^-10 (and 2^-22, which the other terms cover); a factor beyond (2 - 2^-11) 2^127 becomes
// Inf, and no distribution here draws one. On random data these errors are independent, uniform at
// most: that of a sum has a standard deviation of 2^-11 sqrt(2 / 3) sqrt(K) times the products' root
// mean square, which for uniform factors is 4/3 of their mean magnitude, so that in all it is
// 2^-10 * 0.55 / sqrt(K) * magnitude; 4 instead of 0.55 is seven of them.
// How tensor cores add is not documented. The products are exact; measured ones [Fasi, Higham,
// Mikaitis, Pranesh: Numerical behavior of NVIDIA tensor cores, PeerJ CS, 2021] cut the eight
// products of a step along k and the accumulator to 24 bits of the largest, or to more, and then
// cut their sum: ten errors of at most 2^-23 of what has been summed up, in one direction. K / 8
// such steps make 2.5 K u. On random data the partial sums grow from nothing, a cut costs half of
// its most on average, and since sm_80 terms keep two bits more before they are added: K / 5 u is
// left, and K / 2 u allowed.
//
// FP16X3 and TF32X3 have two pieces for a factor, off by 2^-22 together, and leave out a product of 2^-22;
// in 64 products at most tensor cores cut as above, and FP32 adds up what these make. BF16X6 and BF16X9,
// whose three pieces hold 24 bits, leave out less.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/kernel.h"

namespace tilewright::reference {

inline constexpr double kUnitRoundoff = 0x1p-24;

/// What is known of the data decides how much may go wrong.
enum class Assumption {
    random,  ///< Values of similar size, independent of each other.
    worst_case,  ///< Nothing.
    exact,  ///< Each intermediate result is a multiple of 1/2 below 2^23: nothing is rounded.
};

/// A result passes when |got - want| <= relative * magnitude + absolute.
struct Tolerance {
    double relative = 0, absolute = 0;
};

/// For a sum of k products.
///
/// absolute: below 2^-126 a rounding is off by up to 2^-150, whatever the size of the result.
/// Additions of such small numbers are exact; left are the k products, which alpha then scales,
/// and the two products of the epilogue. Flushing denormals to zero is off by up to 2^-126. Tensor
/// cores, which cut, are off by up to 2^-149 in each product and each addition.
inline Tolerance tolerance(Assumption assumption, int64_t k, float alpha,
                           Arithmetic arithmetic = Arithmetic::fp32) {
    if (assumption == Assumption::exact) return {};
    const double terms = static_cast<double>(k);
    // An alpha that is not finite leaves no denormal products.
    const double scale = std::isfinite(alpha) ? std::fabs(alpha) : 0;
    const double absolute = (terms * scale + 2) * 0x1p-150;
    const double nu = (terms + 2) * kUnitRoundoff;
    Tolerance result{nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity(), absolute};
    if (assumption == Assumption::random)
        result.relative = (4 + 2 * std::sqrt(terms)) * kUnitRoundoff;
    if (arithmetic == Arithmetic::fp32 || k == 0) return result;
    const bool random = assumption == Assumption::random;
    if (arithmetic != Arithmetic::tf32) {
        const double cut = std::min(terms, 64.0);
        result.relative += 0x1p-21 + (random ? 0.5 : 2.5) * cut * kUnitRoundoff;
        result.absolute += 2 * terms * scale * 0x1p-149;
        return result;
    }
    result.relative += 0x1p-10 * (random ? std::min(1.0, 4 / std::sqrt(terms)) : 1) +
                       (random ? 0.5 : 2.5) * terms * kUnitRoundoff;
    result.absolute += 2 * terms * scale * 0x1p-149;
    return result;
}

/// True when `got` is as good as FP32 makes it. Comparisons are such that a NaN fails them.
///
/// Where the reference is NaN or infinite the result must be the same. Where it is finite but the
/// terms reach beyond FLT_MAX, overflow depends on the order of summation: +Inf is accepted when
/// the positive terms alone can reach it, -Inf likewise, NaN when both can. This looks at terms
/// that alpha has scaled: an |alpha| < 1 that hides an overflow of A * B is not foreseen.
inline bool accepts(float got, double want, double magnitude, const Tolerance& tolerance) {
    if (std::isnan(want)) return std::isnan(got);
    if (std::isinf(want)) return static_cast<double>(got) == want;
    const double allowed = tolerance.relative * magnitude + tolerance.absolute;
    if (std::fabs(static_cast<double>(got) - want) <= allowed) return std::isfinite(got);
    constexpr double kOverflow = 0x1.ffffffp127;  // the least number that rounds to Inf
    const bool up = (magnitude + want) / 2 + allowed >= kOverflow;
    const bool down = (magnitude - want) / 2 + allowed >= kOverflow;
    if (std::isnan(got)) return up && down;
    return std::isinf(got) && (got > 0 ? up : down);
}

/// The error in units of magnitude, comparable with Tolerance::relative; what the absolute part
/// covers does not count. Infinite when a finite number was wanted and none came.
inline double relative_error(float got, double want, double magnitude, const Tolerance& tolerance) {
    if (!std::isfinite(want) || !std::isfinite(got))
        return accepts(got, want, magnitude, tolerance) ? 0
                                                        : std::numeric_limits<double>::infinity();
    const double error = std::fabs(static_cast<double>(got) - want) - tolerance.absolute;
    return error <= 0 ? 0 : error / magnitude;
}

}  // namespace tilewright::reference
