// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "engine/call.h"
#include "engine/kernels.h"
#include "reference/bound.h"

namespace tilewright::test {

namespace {

/// Of op(X), which is rows x cols.
Layout layout_of(const Product& p, tilewright_operation_t op, int64_t rows, int64_t cols,
                 const Place& place) {
    const bool flipped = p.columns == (op == TILEWRIGHT_OP_N);
    const int64_t lines = flipped ? cols : rows, length = flipped ? rows : cols;
    const int64_t ld = std::max<int64_t>(1, length) + place.slack;
    const int64_t span = span_of(lines, length, ld);
    int64_t stride = std::max<int64_t>(1, lines * ld);
    if (place.stride == Stride::odd) stride = span + (span % 2 == 0 ? 3 : 2);
    if (place.stride == Stride::zero) stride = 0;
    if (place.stride == Stride::padded) stride = (span + 3) / 4 * 4 + 4;
    if (place.stride == Stride::overlapping) stride = ld % 4 == 0 ? 4 : 1;
    if (place.stride == Stride::negative) stride = -span - 1;
    return {lines, length, ld, stride, flipped};
}

int64_t elements_of(const Layout& at, int64_t batch) {
    if (batch == 0 || at.lines == 0 || at.length == 0) return 0;
    return (batch - 1) * std::abs(at.stride) + span_of(at.lines, at.length, at.ld);
}

bool reads(const Product& p) {
    return p.alpha != 0 && p.k > 0;
}

float value(Data data, uint32_t random) {
    if (data == Data::uniform) return static_cast<float>(random >> 8) * 0x1p-23f - 1;
    const float integer = static_cast<float>(random >> 8 & 7) - 3;
    if (data == Data::integers || random % 16 != 0) return integer;
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr float kSpecial[] = {kInf,       -kInf,    std::numeric_limits<float>::quiet_NaN(),
                                  -0.0f,      0.0f,     0x1p-140f,
                                  -0x3p-149f, 0x1p-126f};
    return kSpecial[random >> 16 & 7];
}

}  // namespace

std::string describe(const Product& p) {
    std::ostringstream text;
    const auto place = [&](const char* name, const Place& x) {
        constexpr const char* kStrides[] = {"tight", "odd",         "padded",
                                            "zero",  "overlapping", "negative"};
        text << ' ' << name << "(slack " << x.slack << ", " << kStrides[static_cast<int>(x.stride)]
             << ", " << (x.edge == Edge::back ? "back" : "front") << ", offset " << x.offset << ')';
    };
    text << (p.columns ? "columns " : "rows ") << "NTC"[p.ta] << "NTC"[p.tb] << ' ' << p.m << 'x'
         << p.n << 'x' << p.k << " batch " << p.batch << (p.single ? " single" : "") << " alpha "
         << p.alpha << " beta " << (std::signbit(p.beta) && p.beta == 0 ? "-" : "") << p.beta;
    place("A", p.a), place("B", p.b), place("C", p.c);
    text << " data " << static_cast<int>(p.data) << " seed " << p.seed
         << (p.device_scalars ? " device scalars" : "") << " kernel '" << p.kernel << '\'';
    return text.str();
}

Prepared::Prepared(const Product& p)
    : p_(p),
      at_a_(layout_of(p, p.ta, p.m, p.k, p.a)),
      at_b_(layout_of(p, p.tb, p.k, p.n, p.b)),
      at_c_(layout_of(p, TILEWRIGHT_OP_N, p.m, p.n, p.c)),
      a_(elements_of(at_a_, p.batch), p.a.edge, p.a.offset),
      b_(elements_of(at_b_, p.batch), p.b.edge, p.b.offset),
      c_(elements_of(at_c_, p.batch), p.c.edge, p.c.offset),
      scalars_(2) {
    if (reads(p)) fill(a_, at_a_, p.m, p.k, 3 * p.seed + 1);
    if (reads(p)) fill(b_, at_b_, p.k, p.n, 3 * p.seed + 2);
    if (p.beta != 0) fill(c_, at_c_, p.m, p.n, 3 * p.seed + 3);
    scalars_.data()[0] = p.alpha, scalars_.data()[1] = p.beta;
    for (Memory* memory : {&a_, &b_, &c_, &scalars_}) memory->remember();
    for (Memory* memory : {&a_, &b_, &scalars_}) memory->make_read_only();
}

void Prepared::fill(Memory& memory, const Layout& at, int64_t rows, int64_t cols, uint32_t seed) {
    uint32_t random = seed * 2654435761u + 12345;
    for (int64_t slot = 0; slot < p_.batch; ++slot)
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < cols; ++j) {
                random = random * 1664525u + 1013904223u;
                data_of(memory, at)[at.at(slot, i, j)] = value(p_.data, random ^ random >> 15);
            }
}

tilewright_status_t Prepared::run(tilewright_handle_t handle) {
    tilewright_set_pointer_mode(handle, p_.device_scalars);
    const float *alpha = p_.device_scalars ? scalars_.data() : &p_.alpha,
                *beta = p_.device_scalars ? scalars_.data() + 1 : &p_.beta;
    const auto layout = p_.columns ? TILEWRIGHT_COL_MAJOR : TILEWRIGHT_ROW_MAJOR;
    const auto status =
        p_.single ? tilewright_sgemm(handle, layout, p_.ta, p_.tb, p_.m, p_.n, p_.k, alpha, A(),
                                     at_a_.ld, B(), at_b_.ld, beta, C(), at_c_.ld)
                  : tilewright_sgemm_strided_batched(handle, layout, p_.ta, p_.tb, p_.m, p_.n, p_.k,
                                                     alpha, A(), at_a_.ld, at_a_.stride, B(),
                                                     at_b_.ld, at_b_.stride, beta, C(), at_c_.ld,
                                                     at_c_.stride, p_.batch);
    wait();
    return status;
}

bool Prepared::is_untouched() const {
    for (int64_t i = c_.first(); i < c_.last(); ++i)
        if (c_.was_changed(i)) return false;
    return true;
}

std::vector<uint32_t> Prepared::bits() const {
    std::vector<uint32_t> all;
    for (int64_t slot = 0; slot < p_.batch; ++slot)
        for (int64_t i = 0; i < p_.m; ++i)
            for (int64_t j = 0; j < p_.n; ++j)
                all.push_back(std::bit_cast<uint32_t>(data_of(c_, at_c_)[at_c_.at(slot, i, j)]));
    return all;
}

std::string Prepared::fault() const {
    std::ostringstream text;
    const float *A = data_of(a_, at_a_), *B = data_of(b_, at_b_), *C = data_of(c_, at_c_);
    std::vector<char> belongs(c_.last() - c_.first());
    const int64_t origin = C - c_.data() - c_.first();
    const auto assumption =
        p_.data == Data::uniform || std::fmod(p_.alpha, 1) != 0 || std::fmod(p_.beta, 1) != 0
            ? reference::Assumption::worst_case
            : reference::Assumption::exact;
    const Arithmetic arithmetic = arithmetic_of(p_.kernel);
    auto tolerance = reference::tolerance(assumption, p_.k, p_.alpha, arithmetic);
    if (p_.data == Data::special) tolerance = reference::tolerance({}, p_.k, p_.alpha, arithmetic);
    for (int64_t slot = 0; slot < p_.batch; ++slot)
        for (int64_t i = 0; i < p_.m; ++i)
            for (int64_t j = 0; j < p_.n; ++j) {
                double sum = 0, size = 0;
                for (int64_t k = 0; k < (reads(p_) ? p_.k : 0); ++k) {
                    const double product =
                        double{A[at_a_.at(slot, i, k)]} * double{B[at_b_.at(slot, k, j)]};
                    sum += product, size += std::fabs(product);
                }
                const int64_t at = at_c_.at(slot, i, j);
                double want = reads(p_) ? p_.alpha * sum : 0;
                double magnitude = reads(p_) ? std::fabs(p_.alpha * size) : 0;
                if (p_.beta != 0) {
                    const double before = p_.beta * double{c_.before(C - c_.data() + at)};
                    want += before, magnitude += std::fabs(before);
                }
                belongs[origin + at] = 1;
                if (!reference::accepts(C[at], want, magnitude, tolerance)) {
                    text << "C(" << i << ", " << j << ") of matrix " << slot << " is " << C[at]
                         << " and not " << want;
                    return text.str();
                }
            }
    for (int64_t i = c_.first(); i < c_.last(); ++i)
        if (!belongs[i - c_.first()] && c_.was_changed(i)) {
            text << "element " << i << " was written, which is none of C";
            return text.str();
        }
    for (const Memory* memory : {&a_, &b_})
        for (int64_t i = memory->first(); i < memory->last(); ++i)
            if (memory->was_changed(i)) return "an input was written";
    return "";
}

Problem Prepared::problem() {
    return engine::problem_of({.layout = p_.columns ? 102 : 101,
                               .transpose_a = p_.ta,
                               .transpose_b = p_.tb,
                               .m = p_.m,
                               .n = p_.n,
                               .k = p_.k,
                               .alpha = scalars_.data(),
                               .A = A(),
                               .lda = at_a_.ld,
                               .stride_a = at_a_.stride,
                               .B = B(),
                               .ldb = at_b_.ld,
                               .stride_b = at_b_.stride,
                               .beta = scalars_.data() + 1,
                               .C = C(),
                               .ldc = at_c_.ld,
                               .stride_c = at_c_.stride,
                               .batch = p_.batch,
                               .scalars_on_device = p_.device_scalars,
                               .arithmetic = arithmetic_of(p_.kernel)});
}

namespace {

std::string fault_of_runs(tilewright_handle_t handle, const Product& product, bool* refused,
                          bool two) {
    Prepared prepared(product);
    const tilewright_status_t taken = take_kernel(handle, product.kernel);
    if (refused) *refused = taken == TILEWRIGHT_STATUS_NOT_SUPPORTED;
    if (taken == TILEWRIGHT_STATUS_NOT_SUPPORTED) return "";  // the mode, by this device
    if (taken != TILEWRIGHT_STATUS_SUCCESS) return tilewright_last_error(handle);
    const tilewright_status_t status = prepared.run(handle);
    const std::string error = tilewright_last_error(handle);
    if (refused) *refused = status == TILEWRIGHT_STATUS_NOT_SUPPORTED;
    if (status == TILEWRIGHT_STATUS_NOT_SUPPORTED && !product.kernel.empty()) {
        if (!prepared.is_untouched()) return "C was written by a call that failed";
        return error.find("cannot run this problem: ") + 25 < error.size() ? "" : "no reason";
    }
    if (status != TILEWRIGHT_STATUS_SUCCESS)
        return tilewright_status_string(status) + (": " + error);
    if (std::string fault = prepared.fault(); !fault.empty() || !two) return fault;
    const auto bits = prepared.bits();
    prepared.restore();
    prepared.run(handle);
    return prepared.bits() == bits ? "" : "other bits the second time";
}

}  // namespace

std::string fault_of(tilewright_handle_t handle, const Product& product, bool* refused) {
    return fault_of_runs(handle, product, refused, false);
}

std::string fault_of_two_runs(tilewright_handle_t handle, const Product& product, bool* refused) {
    return fault_of_runs(handle, product, refused, true);
}

engine::DeviceTraits traits() {
#if TILEWRIGHT_WITH_CUDA
    if (on_gpu()) {
        const auto attribute = [](cudaDeviceAttr name) {
            int value = 0;
            cudaDeviceGetAttribute(&value, name, 0);
            return value;
        };
        return {Target::gpu, attribute(cudaDevAttrMultiProcessorCount),
                10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                    attribute(cudaDevAttrComputeCapabilityMinor)};
    }
#endif
    return {Target::cpu_fast, 6, 90};  // as CPU mode has them
}

std::vector<std::string> variant_names() {
    std::vector<std::string> names;
    for (const KernelDefinition* kernel : engine::kernels(traits().target))
        for (const Variant& variant : kernel->variants)
            names.push_back(std::string(kernel->id) + '/' + variant.name);
    return names;
}

Arithmetic arithmetic_of(const std::string& name) {
    for (const KernelDefinition* kernel : engine::kernels(traits().target))
        if (name.starts_with(std::string(kernel->id) + '/')) return kernel->arithmetic;
    return Arithmetic::fp32;
}

tilewright_status_t take_kernel(tilewright_handle_t handle, const std::string& kernel) {
    const auto mode = static_cast<tilewright_compute_t>(arithmetic_of(kernel));
    const tilewright_status_t status = tilewright_set_compute(handle, mode);
    return status == TILEWRIGHT_STATUS_SUCCESS ? tilewright_set_kernel(handle, kernel.c_str())
                                               : status;
}

}  // namespace tilewright::test
