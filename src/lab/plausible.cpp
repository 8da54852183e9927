// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/plausible.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::lab {

namespace {

constexpr double kTolerance = 1.01;  // of clocks and events

/// The engine has TF32's accuracy from FP16's tensor cores, so that its rate may exceed TF32's peak.
double limit_of(Arithmetic arithmetic, const DeviceInfo& device) {
    return peak_of(arithmetic, device) * (arithmetic == Arithmetic::tf32 ? 2 : 1);
}

/// Without what lies between rows; matrices that a batch shares count once.
double bytes_of(const Case& test, Operand operand) {
    const MatrixLayout layout = test.layout(operand);
    return static_cast<double>(std::min(layout.span(), layout.rows * layout.cols * layout.count)) *
           sizeof(float);
}

}  // namespace

/// Tensor cores multiply FP16 and BF16 twice as fast as TF32, and pieces several times for a product.
/// A mode's products may also be FFMAs.
double peak_of(Arithmetic arithmetic, const DeviceInfo& device) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            return device.peak_gflops;
        case Arithmetic::tf32:
        case Arithmetic::tf32x3:
            return device.tf32_peak_gflops / products_of(arithmetic);
        case Arithmetic::fp16x3:
        case Arithmetic::bf16x6:
        case Arithmetic::bf16x9:
            return device.tf32_peak_gflops * 2 / products_of(arithmetic);
    }
    return 0;
}

double least_us(const Case& test, int sets, const DeviceInfo& device) {
    double bytes = bytes_of(test, Operand::C);
    if (test.has_product()) bytes += bytes_of(test, Operand::A) + bytes_of(test, Operand::B);
    const double all = bytes * sets, kept = static_cast<double>(device.l2_bytes);
    // Whatever a cache keeps of operands that come round, it cannot keep more than it holds.
    if (device.memory_gb_s <= 0 || all <= kept) return 0;
    return bytes * (1 - kept / all) / device.memory_gb_s * 1e-3;
}

std::string implausible(const Case& test, Arithmetic arithmetic, int sets, double microseconds,
                        const DeviceInfo& device) {
    const double work = work_of(test);
    const double gflops = work / microseconds * 1e-3, limit = limit_of(arithmetic, device);
    if (work > 0 && limit > 0 && gflops > limit * kTolerance)
        return fmt::format(
            "{:.0f} GFLOP/s would exceed the GPU's peak of {:.0f}: the time cannot "
            "be right",
            gflops, limit);
    const double least = least_us(test, sets, device);
    if (microseconds * kTolerance < least)
        return fmt::format(
            "{:.4g} us are less than the {:.4g} us in which the GPU's memory delivers "
            "cold operands at {:.0f} GB/s: the time cannot be right",
            microseconds, least, device.memory_gb_s);
    return {};
}

}  // namespace tilewright::lab
