// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How a launch or a library call ended.
#pragma once

#include <string>

namespace tilewright {

/// cuBLAS's values, so that a program that knows them needs no table.
enum class StatusCode {
    success = 0,
    not_initialized = 1,
    allocation_failed = 3,
    invalid_value = 7,
    architecture_mismatch = 8,
    execution_failed = 13,
    internal_error = 14,
    not_supported = 15,
};

struct [[nodiscard]] Status {
    StatusCode code = StatusCode::success;
    std::string reason;  ///< A sentence for a person: what failed, where, and the likely cause.

    bool ok() const { return code == StatusCode::success; }
};

}  // namespace tilewright
