// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the library's dispatch is asked on the command line.
#pragma once

#include <memory>

#include "engine/dispatch.h"
#include "lab/options.h"

namespace tilewright::lab {

struct DispatchQuestion {
    Problem problem;  ///< Its matrices are nowhere: dispatch looks at addresses alone.
    engine::DeviceTraits device;  ///< Asks `tuned`.
    std::unique_ptr<const engine::Tuned> tuned;
    int64_t workspace_bytes = engine::kWorkspaceBytes;  ///< INT64_MAX: as much as it takes.
};

/// Throws UsageError: for bad arguments with the sentence that the C interface has for them.
DispatchQuestion dispatch_question(const Options& options);

}  // namespace tilewright::lab
