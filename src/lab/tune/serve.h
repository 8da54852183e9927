// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The other side of a Child: tries the candidates that it is asked for, one at a time.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/selection.h"
#include "lab/tune/candidate.h"

namespace tilewright::lab {

/// A kernel and a variant that run; their memory outlives the next call.
struct Resolved {
    Candidate candidate{nullptr, nullptr};  ///< Null where there is none, with the reason.
    std::string reason;
    double compile_ms = 0;
};
using Resolve = std::function<Resolved(const TuneCandidate&)>;

/// Of those that are compiled in.
Resolved resolve_compiled_in(const Device& device, const TuneCandidate& wanted);

/// Answers on kChildSocket until nobody asks any more, or the parent is gone. Returns an ExitStatus.
int serve(const std::function<nlohmann::ordered_json(const nlohmann::ordered_json&)>& answer_to);

/// Tries candidates. A kernel's crash ends this process.
int serve(Device& device, const Case& test, bool rotate, const Resolve& resolve);

}  // namespace tilewright::lab
