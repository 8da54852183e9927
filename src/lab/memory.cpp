// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/memory.h"

#include <fmt/format.h>

#include "lab/host.h"
#include "lab/sizes.h"
#include "lab/usage.h"

namespace tilewright::lab {

std::string memory_reason(Device& device, const Case& test) {
    const auto need = memory_need(test);
    if (!need)
        return "shape " + text_of(Shape{test.m, test.n, test.k}) +
               " needs more bytes than 64 bits count";
    const bool shared = !device.info().gpu;  // CPU mode's device memory is the host's
    const size_t host = need->host + (shared ? need->device : 0);
    const auto too_large = [&](const char* where, size_t bytes, size_t available) {
        return fmt::format("shape {} needs {} of {} memory, {} are available",
                           text_of(Shape{test.m, test.n, test.k}), text_of_bytes(bytes), where,
                           text_of_bytes(available));
    };
    if (!shared && need->device > device.free_memory())
        return too_large("GPU", need->device, device.free_memory());
    if (host < need->host || host > host_memory().available)
        return too_large("host", host, host_memory().available);
    return {};
}

void require_memory(Device& device, const std::vector<Case>& cases) {
    if (cases.size() != 1) return;
    const std::string reason = memory_reason(device, cases.front());
    if (!reason.empty()) throw UsageError(reason);
}

}  // namespace tilewright::lab
