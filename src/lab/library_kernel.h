// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The library as a whole as a kernel: each call goes through dispatch, as a program's does.
#pragma once

#include <string>

#include "core/kernel.h"

namespace tilewright::lab {

inline constexpr const char* kLibrary = "library";

/// With the id kLibrary, in this compute mode, on the current GPU or in CPU mode.
const KernelDefinition& library_definition(Arithmetic mode, bool gpu);

struct LibraryChoice {
    std::string kernel;  ///< As dispatch names it: "tile/64x64 parts=4".
    bool tuned = false;  ///< Taken for an entry of the tuning database.
};
/// What its last call took. Empty for no call, and for a product that needs no kernel.
LibraryChoice library_choice(bool gpu);

}  // namespace tilewright::lab
