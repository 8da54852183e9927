// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What tune starts this program again with: the processes in which candidates are compiled and run.
// Not for people.
#include "lab/tune/compile_pool.h"
#include "lab/tune/module.h"
#include "lab/tune/serve.h"
#include "lab/verbs.h"

namespace tilewright::lab {

int run_tune_child(const Options& options) {
    const auto device = open_device(options, CpuMode::fast);
    const Case test = cases_of(options).at(0);
    return serve(*device, test, !options.hot, [&](const TuneCandidate& wanted) {
        if (wanted.config) return resolve_compiled(*device, wanted);
        return resolve_compiled_in(*device, wanted);
    });
}

int run_tune_compiler(const Options& options) {
    return serve_compiler(options.architecture);
}

}  // namespace tilewright::lab
