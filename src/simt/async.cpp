// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/async.h"

namespace tilewright::simt {

bool Mbarrier::is_ready() const {
    int64_t under_way = 0;
    for (const Copy& copy : copies)
        if (copy.is_announced) under_way += copy.bytes;
    return left == 0 && bytes == under_way;
}

}  // namespace tilewright::simt
