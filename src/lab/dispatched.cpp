// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/dispatched.h"

#include <algorithm>
#include <cmath>

#include "engine/call.h"
#include "engine/tuned_file.h"
#include "lab/device.h"
#include "lab/tune/context.h"
#include "tilewright/tilewright.h"

namespace tilewright::lab {

namespace {

constexpr const char* kName = "NVIDIA H200";
constexpr int kMultiprocessors = 132, kComputeCapability = 90;

int64_t number_or(const std::string& text, const char* option, int64_t usual) {
    return text.empty() ? usual : parse_number<int64_t>(text, option);
}

/// An address so many elements behind a 16-byte boundary, where nothing is.
float* place(const std::string& offset, const char* option) {
    const auto elements = parse_number<int64_t>(offset, option);
    if (elements < 0 || elements > 1 << 20)
        throw UsageError(fmt::format("{}: {} is not between 0 and 2^20", option, elements));
    return reinterpret_cast<float*>(uintptr_t{256} + static_cast<uintptr_t>(elements) * 4);
}

/// "9.0" as 90.
int capability_of(const std::string& text) {
    const auto value = parse_number<double>(text, "--compute-capability");
    const auto tenths = std::round(value * 10);
    if (!(value >= 1 && value < 100) || std::fabs(tenths - value * 10) > 1e-6)
        throw UsageError(fmt::format(
            "--compute-capability: '{}' is none; an H200's is 9.0, an RTX 3090's 8.6", text));
    return static_cast<int>(tenths);
}

/// An H200, CPU mode or a GPU that is here, but for what the options say.
engine::TunedDevice device_asked_for(const Options& o) {
    engine::TunedDevice named{kName, kMultiprocessors, kComputeCapability};
    if (!o.device.empty()) named = tuned_device_of(open_device(o.device)->info());
    const int64_t sms = number_or(o.multiprocessors, "--multiprocessors", named.multiprocessors);
    if (sms < 1 || sms > 1 << 16)
        throw UsageError(fmt::format("--multiprocessors: {} is not between 1 and 65536", sms));
    named.multiprocessors = static_cast<int>(sms);
    if (!o.compute_capability.empty())
        named.compute_capability = capability_of(o.compute_capability);
    return named;
}

/// Sets `tuned` to what the tuning database has for the device, which is why it needs a name.
engine::DeviceTraits traits_asked_for(const Options& o,
                                      std::unique_ptr<const engine::Tuned>& tuned) {
    const engine::TunedDevice named = device_asked_for(o);
    engine::DeviceTraits traits = traits_of(named);
    const int64_t rate = number_or(o.tensor_rate, "--tensor-rate", traits.tensor_rate);
    if (rate < 1 || rate > 1 << 16)
        throw UsageError(fmt::format("--tensor-rate: {} is not between 1 and 65536", rate));
    traits.tensor_rate = static_cast<int>(rate);
    tuned = engine::tuned_for(named);
    traits.tuned = tuned.get();
    return traits;
}

int64_t product_of(int64_t a, int64_t b) {
    int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result))
        throw UsageError("the matrices would span more elements than 64 bits count");
    return result;
}

}  // namespace

DispatchQuestion dispatch_question(const Options& o) {
    static const float any = 1.0f;
    const auto alpha = parse_number<float>(o.alpha, "--alpha");
    const bool ta = is_transposed(o.product.at(0), "A's operation"),
               tb = is_transposed(o.product.at(1), "B's operation");
    engine::Call call{.layout = TILEWRIGHT_ROW_MAJOR,
                      .transpose_a = ta ? TILEWRIGHT_OP_T : TILEWRIGHT_OP_N,
                      .transpose_b = tb ? TILEWRIGHT_OP_T : TILEWRIGHT_OP_N,
                      .m = parse_number<int64_t>(o.product.at(2), "M"),
                      .n = parse_number<int64_t>(o.product.at(3), "N"),
                      .k = parse_number<int64_t>(o.product.at(4), "K"),
                      .alpha = &alpha,
                      .A = place(o.offset_a, "--offset-a"),
                      .B = place(o.offset_b, "--offset-b"),
                      .beta = &any,
                      .C = place(o.offset_c, "--offset-c"),
                      .batch = parse_number<int64_t>(o.batch, "--batch"),
                      .scalars_on_device = o.device_scalars,
                      .arithmetic = mode_of(o.compute)};
    const auto least = [](int64_t length) { return std::max<int64_t>(1, length); };
    call.lda = number_or(o.lda, "--lda", least(ta ? call.m : call.k));
    call.ldb = number_or(o.ldb, "--ldb", least(tb ? call.k : call.n));
    call.ldc = number_or(o.ldc, "--ldc", least(call.n));
    call.stride_a = number_or(o.stride_a, "--stride-a", product_of(ta ? call.k : call.m, call.lda));
    call.stride_b = number_or(o.stride_b, "--stride-b", product_of(tb ? call.n : call.k, call.ldb));
    call.stride_c = number_or(o.stride_c, "--stride-c", product_of(call.m, call.ldc));
    if (const Status status = engine::check(call); !status.ok()) throw UsageError(status.reason);
    DispatchQuestion question{.problem = engine::problem_of(call)};
    question.device = traits_asked_for(o, question.tuned);
    if (call.scalars_on_device)  // `alpha` ends with this function
        question.problem.device_alpha = question.problem.device_beta = &any;
    if (const std::string why = engine::refusal_of(call.arithmetic, question.device); !why.empty())
        throw UsageError("--compute: " + why);
    if ((o.prepared_a || o.prepared_b) && !engine::preparation_of(call.arithmetic, question.device))
        throw UsageError(fmt::format("{}: in {} operands are taken as they are",
                                     o.prepared_a ? "--prepared-a" : "--prepared-b",
                                     name_of(call.arithmetic)));
    if (o.prepared_a) question.problem.prepared_a = &any;
    if (o.prepared_b) question.problem.prepared_b = &any;
    question.workspace_bytes =
        number_or(o.workspace, "--workspace", engine::own_workspace_bytes(call.arithmetic));
    if (question.workspace_bytes < 0)
        throw UsageError(fmt::format("--workspace: {} is negative", question.workspace_bytes));
    return question;
}

}  // namespace tilewright::lab
