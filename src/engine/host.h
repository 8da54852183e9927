// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the BLAS face needs of the library beside its interface. No part of the interface: it may
// change with any version, and the two libraries are built together.
#pragma once

#include "tilewright/tilewright.h"

/// A handle in CPU mode, whatever the environment says and the machine has: a caller of the BLAS
/// passes pointers of the host. Not by setting the variable, which other threads may be reading.
extern "C" TILEWRIGHT_API tilewright_status_t
tilewright_create_in_cpu_mode(tilewright_handle_t* handle);
