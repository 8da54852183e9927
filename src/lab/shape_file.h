// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Files that list shapes, a line each:
//
//     layout transA transB M N K [batch=] [slack= added to each ld] [alpha=] [beta=] [graph]
//
// layout is row or col, transA and transB are N or T; what follows # is a comment.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "lab/case.h"

namespace tilewright::lab {

/// A case a line, with everything that the line does not say as `base` has it. Column-major products
/// are their transposes, row-major. `graph` changes nothing here: short calls always are in graphs.
/// Throws UsageError with file and line.
std::vector<Case> parse_shapes(std::istream& text, const std::string& name, const Case& base);
std::vector<Case> read_shapes(const std::string& path, const Case& base);

}  // namespace tilewright::lab
