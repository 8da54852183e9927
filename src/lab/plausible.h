// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Times that a device cannot have reached.
#pragma once

#include <string>

#include "lab/case.h"
#include "lab/device.h"

namespace tilewright::lab {

/// GFLOP/s that no kernel of this arithmetic exceeds; 0 where it is not known.
double peak_of(Arithmetic arithmetic, const DeviceInfo& device);

/// Microseconds that a call takes at least, by what it must move to and from memory: each call takes
/// the next of `sets` of operands, of which the L2 cache can keep as much as it holds. 0 where it
/// holds all of them, and where the memory's speed is not known.
double least_us(const Case& test, int sets, const DeviceInfo& device);

/// Why a call cannot have taken this time; empty when it can.
std::string implausible(const Case& test, Arithmetic arithmetic, int sets, double microseconds,
                        const DeviceInfo& device);

}  // namespace tilewright::lab
