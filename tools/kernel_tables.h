// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What nvcc made of the ladder's kernels, as tables that are committed, and what must hold of it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tools/kernels.h"

namespace tilewright::tools {

/// JSON, one kernel a line, so that a change of one is a change of one line; in reading order,
/// whatever order the compiler took, and without kernels that do not count.
std::string table(const std::string& name, std::vector<Kernel> kernels, const std::string& nvcc);

/// The program: 0, 1 where something fails, 2 where the arguments say nothing to do.
///   sass_count resources NVCC OBJECT...   registers and memory, as ptxas reports them
///   sass_count sass NVCC OBJECT...        what the GPU runs: instructions by kind
///   sass_count check NVCC ARCHITECTURES FOLDER OBJECT...
/// fails on spills, on local memory, on a kernel that is not there, on shared loads that the
/// compiler split, and where a table in FOLDER, written by the same nvcc, says something else.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace tilewright::tools
