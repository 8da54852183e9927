// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Compiles many configurations at once, into the cache, in processes of their own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/tune/candidate.h"

namespace tilewright::lab {

struct PoolSettings {
    std::vector<std::string> arguments;  ///< Of this program, for serve_compiler().
    double seconds;  ///< In all.
    double step_timeout;
    std::function<void(const std::string&)> progress;
};

struct CompileResult {
    double compile_ms = 0;  ///< 0: it was in the cache.
    std::string failure;  ///< "" where there was none.
};
/// By name. Those that are not among them were not compiled when time was up: whoever tries one will.
std::map<std::string, CompileResult> compile_all(const std::vector<TuneCandidate>& candidates,
                                                 const PoolSettings& settings);

/// The other side: answers on kChildSocket. Returns an ExitStatus.
int serve_compiler(const std::string& architecture);

}  // namespace tilewright::lab
