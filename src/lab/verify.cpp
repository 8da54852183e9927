// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "lab/memory.h"

namespace tilewright::lab {

namespace {

GuardedMatrix filled(const Case& test, Operand operand) {
    if (!memory_need(test)) throw std::length_error(describe(test) + ": sizes exceed 64 bits");
    GuardedMatrix matrix(operand, test.layout(operand));
    // What must not be read stays NaN.
    const bool read = operand == Operand::C ? test.beta != 0 : test.has_product();
    if (read) fill(test, operand, matrix.first());
    return matrix;
}

/// Operands that must not be read need not be there.
bool has_null_inputs(const Case& test) {
    return !test.has_product() && test.seed % 2 == 0;
}

/// In pieces: the host need not hold big inputs twice.
GuardedMatrix::Changes input_changes(Device& device, const DeviceBuffer& buffer,
                                     const GuardedMatrix& matrix) {
    constexpr int64_t kPiece = 1 << 22;
    const int64_t size = std::ssize(matrix.image());
    std::vector<float> piece(std::min(size, kPiece));
    GuardedMatrix::Changes found;
    for (int64_t begin = 0; begin < size; begin += kPiece) {
        const int64_t end = std::min(begin + kPiece, size);
        device.download(piece.data(), buffer.floats() + begin, (end - begin) * sizeof(float));
        found += matrix.changes(piece.data(), begin, end);
    }
    return found;
}

void add_sentence(Verdict& verdict, const std::string& sentence) {
    verdict.outcome = Outcome::wrong;
    verdict.reason += (verdict.reason.empty() ? "" : "; ") + sentence;
}

void report_changes(const GuardedMatrix& matrix, const GuardedMatrix::Changes& changes,
                    const char* what, Verdict& verdict) {
    if (changes.count == 0) return;
    add_sentence(verdict, fmt::format("{} written {}: first {}", changes.count, what,
                                      matrix.place(changes.first)));
}

/// The whole of C: rows that the reference left out can still tell that nobody wrote them. A CPU
/// hands a NaN's payload on to the result, so that reading C under beta = 0 looks the same.
void report_unwritten(const GuardedMatrix& C, const std::vector<float>& after, Verdict& verdict) {
    const int64_t rows = C.layout().rows * C.layout().count, cols = C.layout().cols;
    GuardedMatrix::Changes kept;
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t begin = C.origin() + C.layout().begin_of(row);
        for (int64_t i = begin; i < begin + cols; ++i)
            if (C.is_canary(after[i], i)) kept += {1, i};
    }
    if (kept.count == 0) return;
    add_sentence(verdict, fmt::format("{} of {} elements are the NaN that C held before (not "
                                      "written, or C read under beta = 0): first {}",
                                      kept.count, rows * cols, C.place(kept.first)));
}

void compare(const PreparedCase& prepared, const float* C, const reference::Tolerance& tolerance,
             Verdict& verdict) {
    const reference::Rows& expected = prepared.expected();
    const GuardedMatrix& matrix = prepared.matrix(Operand::C);
    verdict.bound = tolerance.relative;
    verdict.checked = std::ssize(expected.want);
    for (size_t r = 0; r < expected.index.size(); ++r) {
        for (int64_t col = 0; col < expected.columns; ++col) {
            const size_t at = r * expected.columns + col;
            const float got = C[matrix.layout().begin_of(expected.index[r]) + col];
            const double want = expected.want[at], magnitude = expected.magnitude[at];
            const double error = relative_error(got, want, magnitude, tolerance);
            verdict.max_error = std::max(verdict.max_error, error);
            if (accepts(got, want, magnitude, tolerance)) continue;
            if (verdict.wrong++ == 0) verdict.first = {expected.index[r], col, got, want};
        }
    }
    if (verdict.wrong == 0) return;
    const auto& [row, col, got, want] = *verdict.first;
    const std::string place = matrix.place(matrix.origin() + matrix.layout().begin_of(row) + col);
    const int64_t all = prepared.test().m * prepared.test().n * prepared.test().batch;
    const std::string looked_at =
        verdict.checked < all ? fmt::format(" (of the {} rows checked)", expected.index.size())
                              : "";
    add_sentence(verdict, fmt::format("{} of {} elements{} wrong: first {} = {:.9g}, "
                                      "expected {:.9g}; largest error {:.3g}, allowed {:.3g}",
                                      verdict.wrong, verdict.checked, looked_at, place, got, want,
                                      verdict.max_error, verdict.bound));
}

}  // namespace

const char* name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::ok:
            return "ok";
        case Outcome::wrong:
            return "wrong";
        case Outcome::failed:
            return "failed";
        case Outcome::not_run:
            return "not_run";
    }
    return "";
}

PreparedCase::PreparedCase(const Case& test)
    : case_(test),
      A_(filled(test, Operand::A)),
      B_(filled(test, Operand::B)),
      C_(filled(test, Operand::C)) {
    const Problem problem = problem_of(test, A_.first(), B_.first(), C_.first());
    expected_ = reference::gemm(
        problem, reference::pick_rows(test.m * test.batch, test.n, test.k, test.seed));
}

const GuardedMatrix& PreparedCase::matrix(Operand operand) const {
    return operand == Operand::A ? A_ : operand == Operand::B ? B_ : C_;
}

/// The three matrices of a case on a device.
class Verifier::Upload {
  public:
    Upload(Device& device, const PreparedCase& prepared)
        : A(upload(device, prepared.matrix(Operand::A))),
          B(upload(device, prepared.matrix(Operand::B))),
          C(device, bytes_of(prepared.matrix(Operand::C))),
          scalars(device, 2 * sizeof(float)) {
        const float values[] = {prepared.test().alpha, prepared.test().beta};
        device.upload(scalars.floats(), values, sizeof values);
    }

    Problem problem(const PreparedCase& prepared) const {
        const Case& test = prepared.test();
        const bool null = has_null_inputs(test);
        const auto &a = prepared.matrix(Operand::A), &b = prepared.matrix(Operand::B),
                   &c = prepared.matrix(Operand::C);
        return problem_of(test, null ? nullptr : A.floats() + a.origin(),
                          null ? nullptr : B.floats() + b.origin(), C.floats() + c.origin(),
                          test.device_scalars ? scalars.floats() : nullptr);
    }

    DeviceBuffer A, B, C, scalars;

  private:
    static size_t bytes_of(const GuardedMatrix& matrix) {
        return matrix.image().size() * sizeof(float);
    }
    static DeviceBuffer upload(Device& device, const GuardedMatrix& matrix) {
        DeviceBuffer buffer(device, bytes_of(matrix));
        device.upload(buffer.floats(), matrix.image().data(), buffer.bytes());
        return buffer;
    }
};

reference::Tolerance tolerance_of(const KernelDefinition& kernel, const Case& test) {
    if (kernel.kind != Kind::baseline || kernel.arithmetic != Arithmetic::tf32)
        return tolerance_of(test, kernel.arithmetic);
    Case worst = test;
    worst.distribution = Distribution::wide;
    reference::Tolerance tolerance = tolerance_of(worst, Arithmetic::tf32);
    tolerance.relative *= 2;
    return tolerance;
}

Verifier::Verifier(Device& device, const PreparedCase& prepared)
    : device_(device), prepared_(prepared) {}
Verifier::~Verifier() = default;

Verdict Verifier::run(const Variant& variant, const reference::Tolerance& tolerance) try {
    const auto no_verdict = [](Outcome outcome, std::string reason) {
        return Verdict{.outcome = outcome, .first = {}, .reason = std::move(reason)};
    };
    if (const char* why = refusal_of(device_, variant, prepared_.test()))
        return no_verdict(Outcome::not_run, why);
    if (!matrices_) matrices_ = std::make_unique<Upload>(device_, prepared_);
    device_.upload(matrices_->C.floats(), prepared_.matrix(Operand::C).image().data(),
                   matrices_->C.bytes());
    device_.release_workspace();
    const Status status =
        device_.run(variant, matrices_->problem(prepared_), prepared_.test().parts);
    if (status.code == StatusCode::allocation_failed)
        return no_verdict(Outcome::not_run, status.reason);
    if (!status.ok()) return no_verdict(Outcome::failed, status.reason);
    device_.synchronise();
    return look(tolerance);
} catch (const OutOfMemory& error) {
    return {.outcome = Outcome::not_run, .first = {}, .reason = error.what()};
} catch (const DeviceError& error) {
    return {.outcome = Outcome::failed, .first = {}, .reason = error.what()};
}

Verdict Verifier::look(const reference::Tolerance& tolerance) {
    Verdict verdict;
    const GuardedMatrix& C = prepared_.matrix(Operand::C);
    after_.resize(C.image().size());
    device_.download(after_.data(), matrices_->C.floats(), matrices_->C.bytes());
    if (prepared_.test().beta == 0) report_unwritten(C, after_, verdict);
    compare(prepared_, after_.data() + C.origin(), tolerance, verdict);
    report_changes(C, C.changes_around(after_.data()), "outside C", verdict);
    if (const int64_t left = device_.counters_left(); left > 0)
        add_sentence(verdict, fmt::format("{} counters are not zero again", left));
    return verdict;
}

std::string Verifier::changed_inputs() {
    Verdict verdict;
    if (!matrices_) return {};
    for (const Operand input : {Operand::A, Operand::B}) {
        const GuardedMatrix& matrix = prepared_.matrix(input);
        const DeviceBuffer& buffer = input == Operand::A ? matrices_->A : matrices_->B;
        report_changes(matrix, input_changes(device_, buffer, matrix), "into an input", verdict);
    }
    return verdict.reason;
}

Verdict verify(Device& device, const Variant& variant, const PreparedCase& prepared,
               const reference::Tolerance& tolerance) try {
    Verifier verifier(device, prepared);
    Verdict verdict = verifier.run(variant, tolerance);
    if (verdict.outcome != Outcome::ok && verdict.outcome != Outcome::wrong) return verdict;
    if (const std::string changed = verifier.changed_inputs(); !changed.empty())
        add_sentence(verdict, changed);
    return verdict;
} catch (const DeviceError& error) {
    return {.outcome = Outcome::failed, .first = {}, .reason = error.what()};
}

Verdict verify(Device& device, const Variant& variant, const PreparedCase& prepared,
               Arithmetic arithmetic) {
    return verify(device, variant, prepared, tolerance_of(prepared.test(), arithmetic));
}

Verdict verify(Device& device, const Variant& variant, const Case& test, Arithmetic arithmetic) {
    const auto not_run = [&](std::string reason) {
        return Verdict{.outcome = Outcome::not_run, .first = {}, .reason = std::move(reason)};
    };
    if (std::string reason = memory_reason(device, test); !reason.empty())
        return not_run(std::move(reason));
    try {
        return verify(device, variant, PreparedCase(test), arithmetic);
    } catch (const std::bad_alloc&) {
        return not_run("the host's memory is used up");
    }
}

const char* refusal_of(Device& device, const Variant& variant, const Case& test) {
    // The library asks nobody for an empty C.
    if (!variant.refusal || test.m == 0 || test.n == 0 || test.batch == 0) return nullptr;
    // It looks at addresses, and reads nothing there.
    const auto at = [](int offset) {
        constexpr uintptr_t kBoundary = 256;
        return reinterpret_cast<float*>(kBoundary + sizeof(float) * static_cast<unsigned>(offset));
    };
    Execution where = device.execution();
    where.splits = test.parts;
    unsigned counter = 0;
    where.counters = &counter;
    const bool null = has_null_inputs(test);
    return variant.refusal(
        problem_of(test, null ? nullptr : at(test.offset_a), null ? nullptr : at(test.offset_b),
                   at(test.offset_c), test.device_scalars ? at(0) : nullptr),
        where);
}

std::vector<Case> accepted(Device& device, const Variant& variant, std::vector<Case> cases) {
    std::erase_if(cases,
                  [&](const Case& test) { return refusal_of(device, variant, test) != nullptr; });
    return cases;
}

std::vector<float> Verifier::result() const {
    const GuardedMatrix& C = prepared_.matrix(Operand::C);
    std::vector<float> elements;
    for (int64_t row = 0; row < C.layout().rows * C.layout().count; ++row) {
        const auto begin = after_.begin() + C.origin() + C.layout().begin_of(row);
        elements.insert(elements.end(), begin, begin + C.layout().cols);
    }
    return elements;
}

std::vector<float> result_of(Device& device, const Variant& variant, const PreparedCase& prepared) {
    Verifier verifier(device, prepared);
    const Verdict verdict = verifier.run(variant, tolerance_of(prepared.test()));
    if (verdict.outcome != Outcome::ok && verdict.outcome != Outcome::wrong)
        throw DeviceError(verdict.reason);
    return verifier.result();
}

}  // namespace tilewright::lab
