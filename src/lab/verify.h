// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Right or wrong: runs a kernel among canaries and compares each element with the FP64 reference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "lab/case.h"
#include "lab/device.h"
#include "lab/guarded.h"
#include "reference/gemm.h"

namespace tilewright::lab {

enum class Outcome {
    ok,
    wrong,  ///< It ran and its result, or something around it, is not what it must be.
    failed,  ///< It did not run to its end: refused, a fault, a device error.
    not_run,  ///< The case does not fit into memory, or is not for this kernel.
};

const char* name_of(Outcome outcome);

struct WrongElement {
    int64_t row, col;  ///< Rows of a batch are counted over all products.
    float got;
    double want;
};

struct Verdict {
    Outcome outcome = Outcome::ok;
    double max_error = 0;  ///< In units of |alpha| |A||B| + |beta||C|; infinite for a stray NaN.
    double bound = 0;  ///< What max_error may be.
    int64_t checked = 0;  ///< Elements compared with the reference.
    int64_t wrong = 0;  ///< Of these.
    std::optional<WrongElement> first;
    std::string reason;  ///< Sentences for a person; empty when all is right.

    bool ok() const { return outcome == Outcome::ok; }
};

/// A case's inputs on the host and its reference: made once, used for many kernels.
class PreparedCase {
  public:
    /// Throws std::length_error where memory_need() is nullopt, and std::bad_alloc.
    explicit PreparedCase(const Case& test);

    const Case& test() const { return case_; }
    /// Neither data nor reference depend on it.
    void set_parts(int parts) { case_.parts = parts; }
    const GuardedMatrix& matrix(Operand operand) const;
    /// Of a batch, with rows counted over all products.
    const reference::Rows& expected() const { return expected_; }

  private:
    Case case_;
    GuardedMatrix A_, B_, C_;
    reference::Rows expected_;
};

/// What is asked of this kernel's result. cuBLAS does not say how it makes TF32 of factors: where it
/// cuts instead of rounding, each is off by twice as much, always in one direction.
reference::Tolerance tolerance_of(const KernelDefinition& kernel, const Case& test);

/// Verifies kernels on one case, one after another, with A and B uploaded once for all of them: most
/// of what verifying a large case takes is moving and looking at its inputs.
class Verifier {
  public:
    Verifier(Device& device, const PreparedCase& prepared);
    ~Verifier();

    /// Runs the variant once, and looks at all but the inputs. Never throws for what the kernel or
    /// device does.
    Verdict run(const Variant& variant, const reference::Tolerance& tolerance);

    /// What is written into an input by any kernel so far, as a sentence; empty when nothing is. Throws
    /// DeviceError.
    std::string changed_inputs();

    /// C as the last run left it, without what lies between its rows.
    std::vector<float> result() const;

  private:
    class Upload;
    Verdict look(const reference::Tolerance& tolerance);

    Device& device_;
    const PreparedCase& prepared_;
    std::unique_ptr<Upload> matrices_;
    std::vector<float> after_;  ///< C with its surroundings.
};

/// Runs the variant once. Wrong are: an element outside its bound, an element not written, a write
/// outside C (between its rows, before or after it), a change to A or B, a counter that is not zero
/// again. With beta = 0, C starts as
/// NaN; around all three matrices is NaN always. Never throws for what the kernel or device does.
Verdict verify(Device& device, const Variant& variant, const PreparedCase& prepared,
               const reference::Tolerance& tolerance);
Verdict verify(Device& device, const Variant& variant, const PreparedCase& prepared,
               Arithmetic arithmetic = Arithmetic::fp32);
Verdict verify(Device& device, const Variant& variant, const Case& test,
               Arithmetic arithmetic = Arithmetic::fp32);

/// Why the variant says that it cannot run the case; null where it can, or does not say.
const char* refusal_of(Device& device, const Variant& variant, const Case& test);

/// Without the cases that the variant refuses.
std::vector<Case> accepted(Device& device, const Variant& variant, std::vector<Case> cases);

/// C after the variant has run, without what lies between its rows. Throws DeviceError, also when
/// the run failed. For comparing results bit by bit.
std::vector<float> result_of(Device& device, const Variant& variant, const PreparedCase& prepared);

}  // namespace tilewright::lab
