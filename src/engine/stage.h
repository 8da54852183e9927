// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// A place among the stages of a ring of tiles in shared memory, and the phase of its mbarriers: the
/// parity of the round.
template <int kStages>
struct Stage {
    int index = 0;
    unsigned phase = 0;

    __device__ void advance() {
        if (++index == kStages) index = 0, phase ^= 1;
    }
};

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
