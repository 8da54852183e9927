// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/async.h"

#include <utility>

namespace tilewright::simt {

void CopyGroups::commit() {
    committed_.push_back(std::exchange(open_, {}));
}

std::vector<Copy> CopyGroups::take(size_t groups) {
    std::vector<Copy> done;
    while (committed_.size() > groups) {
        done.insert(done.end(), committed_.front().begin(), committed_.front().end());
        committed_.pop_front();
    }
    return done;
}

std::vector<Copy> CopyGroups::take_all() {
    commit();
    return take(0);
}

bool Mbarrier::is_ready() const {
    int64_t under_way = 0;
    for (const Copy& copy : copies)
        if (copy.is_announced) under_way += copy.bytes;
    return left == 0 && bytes == under_way;
}

}  // namespace tilewright::simt
