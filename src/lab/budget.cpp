// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/budget.h"

#include <algorithm>
#include <chrono>

#include "lab/timer.h"

namespace tilewright::lab {

namespace {

constexpr double kLeastSeconds = 0.01, kMostSeconds = 0.25;
constexpr double kReserve = 0.1;  // for kernels of which one call takes longer than its share
// What a kernel's verification takes beside its run, and preparing a case, each by what passes
// through the host: assumed at first, and corrected by what the case at hand has taken.
constexpr double kEachVerified = 5e-3, kBytesVerifiedPerSecond = 1e9;
constexpr double kBytesPreparedPerSecond = 0.3e9;
constexpr double kEachLoaded = 25e-3;  // a kernel's module, at its first call
constexpr double kDrawsPowerFlops = 1e9;  // 100 us of 10 TFLOP/s

double bytes_of(const Case& test, Operand operand) {
    return static_cast<double>(test.layout(operand).span()) * sizeof(float);
}

bool draws_power(const Case& test) {
    return work_of(test) > kDrawsPowerFlops;
}

}  // namespace

double Budget::steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Budget::Budget(double seconds, size_t kernels, std::span<const Case> cases, Clock clock)
    : clock_(std::move(clock)),
      end_(clock_() + seconds * (1 - kReserve)),
      kernels_(static_cast<double>(kernels)),
      left_(cases.begin(), cases.end()) {}

double Budget::expected_fixed(const Case& test) const {
    const double c = bytes_of(test, Operand::C);
    const double all = c + bytes_of(test, Operand::A) + bytes_of(test, Operand::B);
    return kernels_ * (kEachVerified + c / kBytesVerifiedPerSecond) + all / kBytesPreparedPerSecond;
}

void Budget::begin(const Case& test) {
    const auto at = std::find(left_.begin(), left_.end(), test);
    is_first_ = at == left_.begin() && begun_ == 0;
    left_.erase(left_.begin(), at);
    begun_ = clock_();
}

double Budget::min_seconds() const {
    const double now = clock_();
    if (left_.empty() || kernels_ == 0) return kMostSeconds;
    constexpr double kLeastScale = 0.5, kMostScale = 4;
    const double loading = is_first_ ? kernels_ * kEachLoaded : 0;
    const double scale = std::clamp((now - begun_) / (loading + expected_fixed(left_.front())),
                                    kLeastScale, kMostScale);
    double available = end_ - now;
    for (size_t i = 1; i < left_.size(); ++i) available -= scale * expected_fixed(left_[i]);
    const auto wanted = [&](double seconds) {
        double sum = 0;
        for (const Case& test : left_)
            sum += kernels_ * Timer::expected_seconds(seconds, draws_power(test));
        return sum;
    };
    double least = kLeastSeconds, most = kMostSeconds;
    if (wanted(most) <= available) return most;
    constexpr int kSteps = 20;
    for (int i = 0; i < kSteps; ++i) {
        const double middle = (least + most) / 2;
        (wanted(middle) <= available ? least : most) = middle;
    }
    return least;
}

}  // namespace tilewright::lab
