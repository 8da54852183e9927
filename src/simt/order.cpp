// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/order.h"

#include <algorithm>

namespace tilewright::simt {

void Order::begin_block(int threads) {
    threads_ = threads;
    epoch_ = 1;
    fine_ = false;
    clocks_.fill(1);
    for (Published& view : views_) view.epoch = 0;
}

void Order::renew(Published& published) {
    if (published.epoch == epoch_) return;
    published.epoch = epoch_;
    published.clocks.assign(static_cast<size_t>(threads_) + kAgents, 0);
}

void Order::join(Published& into, const Published& from) {
    // What an earlier epoch published, its barrier has ordered already.
    if (from.epoch != epoch_) return;
    renew(into);
    for (size_t i = 0; i < into.clocks.size(); ++i)
        into.clocks[i] = std::max(into.clocks[i], from.clocks[i]);
}

void Order::release(int thread, Published& to) {
    fine_ = true;
    renew(to);
    join(to, views_[thread]);
    uint32_t& own = to.clocks[index_of(thread)];
    own = std::max(own, clocks_[thread]);
    ++clocks_[thread];
}

void Order::meet(std::span<const int> threads) {
    Published all;
    for (const int thread : threads) release(thread, all);
    for (const int thread : threads) acquire(thread, all);
}

}  // namespace tilewright::simt
