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
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

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
/// and the two products of the epilogue. Flushing denormals to zero is off by up to 2^-126.
inline Tolerance tolerance(Assumption assumption, int64_t k, float alpha) {
    if (assumption == Assumption::exact) return {};
    const double terms = static_cast<double>(k);
    // An alpha that is not finite leaves no denormal products.
    const double scale = std::isfinite(alpha) ? std::fabs(alpha) : 0;
    const double absolute = (terms * scale + 2) * 0x1p-150;
    if (assumption == Assumption::random)
        return {(4 + 2 * std::sqrt(terms)) * kUnitRoundoff, absolute};
    const double nu = (terms + 2) * kUnitRoundoff;
    return {nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity(), absolute};
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
