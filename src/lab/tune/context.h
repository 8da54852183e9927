// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the tuner's verbs have in common: how a device, a problem and a place are called.
#pragma once

#include <string>

#include "engine/dispatch.h"
#include "engine/tuned_file.h"
#include "lab/case.h"
#include "lab/device.h"
#include "lab/options.h"

namespace tilewright::lab {

/// As the tuning database has it. CPU mode has a name, and no times.
engine::TunedDevice tuned_device_of(const DeviceInfo& device);

/// Its matrices are nowhere: dispatch looks at addresses alone.
Problem problem_nowhere(const Case& test, Arithmetic mode);

/// As dispatch sees a device of this name, without what was tuned.
engine::DeviceTraits traits_of(const engine::TunedDevice& device);

/// The compute mode asked for. Throws UsageError.
Arithmetic mode_of(const std::string& word);

/// The database's file. Throws UsageError with the reason where there is none.
std::string database_path();

}  // namespace tilewright::lab
