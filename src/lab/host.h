// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the operating system tells about this machine.
#pragma once

#include <cstddef>
#include <string>

namespace tilewright::lab {

/// The processor's model, "AMD EPYC 9554" or what else /proc/cpuinfo says.
std::string host_processor();

/// "Debian GNU/Linux 12 (bookworm), Linux 6.1 x86_64".
std::string host_system();

struct HostMemory {
    size_t total, available;
};
/// Bytes that can still be had without swapping; a control group's limit counts.
HostMemory host_memory();

}  // namespace tilewright::lab
