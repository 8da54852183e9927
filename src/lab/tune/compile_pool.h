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

/// Milliseconds by name of what had to be compiled and could be. What is not done when time is up, or
/// fails, is left to whoever tries it.
std::map<std::string, double> compile_all(const std::vector<TuneCandidate>& candidates,
                                          const PoolSettings& settings);

/// The other side: answers on kChildSocket. Returns an ExitStatus.
int serve_compiler(const std::string& architecture);

}  // namespace tilewright::lab
