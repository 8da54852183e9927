// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/hazard.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tilewright::simt {

namespace {

/// As many as a person reads: a storm of them costs time and says no more.
constexpr size_t kKept = 64;

struct Words {
    const char *key, *name, *cause;
};

Words words_of(HazardKind kind) {
    switch (kind) {
        case HazardKind::out_of_bounds:
            return {"out_of_bounds", "out of bounds",
                    "a guard at the matrix's or the tile's edge is missing"};
        case HazardKind::misaligned:
            return {"misaligned", "misaligned",
                    "a vector access where rows need not start on its boundary"};
        case HazardKind::read_after_write:
            return {"read_after_write", "race, read after write",
                    "no __syncthreads() (within a warp: __syncwarp()) between filling a tile and "
                    "reading it"};
        case HazardKind::write_after_read:
            return {"write_after_read", "race, write after read",
                    "no __syncthreads() (within a warp: __syncwarp()) between reading a tile and "
                    "overwriting it"};
        case HazardKind::write_after_write:
            return {"write_after_write", "race, write after write",
                    "two threads own the same element: their index arithmetic overlaps"};
        case HazardKind::uninitialised_shared:
            return {"uninitialised_shared", "uninitialised shared memory",
                    "the loads of the tile do not cover it, or leave out its edge instead of "
                    "writing zeros"};
        case HazardKind::uninitialised_register:
            return {"uninitialised_register", "uninitialised register",
                    "an accumulator without = {}, or a fragment of which only a part is loaded"};
        case HazardKind::uninitialised_barrier:
            return {"uninitialised_barrier", "mbarrier not initialised",
                    "no mbarrier_init, or no __syncthreads() between it and the first use"};
        case HazardKind::incomplete_copy:
            return {"incomplete_copy", "asynchronous copy not complete",
                    "the wait is missing, waits for a group too few, or comes before the commit"};
        case HazardKind::divergent_barrier:
            return {"divergent_barrier", "divergent barrier",
                    "a __syncthreads() in a branch that not all threads take"};
        case HazardKind::divergent_mma:
            return {"divergent_mma", "divergent mma",
                    "an mma in a branch that not all lanes of the warp take"};
        case HazardKind::exited_thread:
            return {"exited_thread", "barrier without threads that have ended",
                    "a return before a __syncthreads(), or loops of which some threads make fewer "
                    "rounds"};
        case HazardKind::block_deadlock:
            return {"block_deadlock", "deadlock in a block",
                    "an arrival too few, a wrong parity, bytes announced that no copy brings, or "
                    "threads that wait at different places"};
        case HazardKind::grid_deadlock:
            return {"grid_deadlock", "deadlock of the grid",
                    "a flag that no block sets, or more blocks than run at once"};
        case HazardKind::plain_spin:
            return {"plain_spin", "waiting with plain loads",
                    "the compiler may load once and never again: use ld_acquire"};
        case HazardKind::excess_arrival:
            return {"excess_arrival", "an arrival too many",
                    "the count given to mbarrier_init is less than the threads that arrive, or "
                    "cluster_arrive() twice without cluster_wait()"};
        case HazardKind::ended_block:
            return {"ended_block", "shared memory of a block that may have ended",
                    "no cluster_arrive() and cluster_wait() between the last load from a block and "
                    "its end"};
        case HazardKind::thread_race:
            return {"thread_race", "race in global memory within a block",
                    "two threads own the same element, or no barrier lies between them"};
        case HazardKind::block_race:
            return {"block_race", "race between blocks",
                    "no release after the one block's access and acquire before the other's"};
        case HazardKind::unwritten:
            return {"unwritten", "result not written",
                    "blocks that do not cover C, or a guard that leaves out too much"};
        case HazardKind::exception:
            return {"exception", "exception",
                    "shared arrays too large, or an error of the program"};
    }
    return {"", "", ""};
}

bool is_race(HazardKind kind) {
    return kind == HazardKind::read_after_write || kind == HazardKind::write_after_read ||
           kind == HazardKind::write_after_write;
}

}  // namespace

const char* key_of(HazardKind kind) {
    return words_of(kind).key;
}

const char* name_of(HazardKind kind) {
    return words_of(kind).name;
}

const char* usual_cause(HazardKind kind) {
    return words_of(kind).cause;
}

std::string Hazard::sentence() const {
    return std::string(name_of(kind)) + ": " + what + ". Usual cause: " + usual_cause(kind);
}

bool Hazard::is_same(const Hazard& other) const {
    return key == other.key && (kind == other.kind || (is_race(kind) && is_race(other.kind)));
}

void HazardList::add(Hazard hazard) {
    const auto same = std::find_if(hazards_.begin(), hazards_.end(),
                                   [&](const Hazard& other) { return other.is_same(hazard); });
    if (same == hazards_.end()) {
        if (hazards_.size() < kKept) hazards_.push_back(std::move(hazard));
    } else if (hazard.block < same->block) {
        *same = std::move(hazard);
    }
}

void HazardList::add(std::vector<Hazard> hazards) {
    for (Hazard& hazard : hazards) add(std::move(hazard));
}

std::vector<Hazard> HazardList::take() {
    // What a thread that threw has left undone says nothing of the kernel.
    const auto threw = [](const Hazard& hazard) { return hazard.kind == HazardKind::exception; };
    if (std::any_of(hazards_.begin(), hazards_.end(), threw))
        std::erase_if(hazards_, [&](const Hazard& hazard) { return !threw(hazard); });
    // Faults first: what else is found may follow from them.
    std::stable_sort(hazards_.begin(), hazards_.end(), [](const Hazard& a, const Hazard& b) {
        return std::tuple(a.is_warning(), a.kind == HazardKind::unwritten, a.block, a.line,
                          a.column) < std::tuple(b.is_warning(), b.kind == HazardKind::unwritten,
                                                 b.block, b.line, b.column);
    });
    return std::exchange(hazards_, {});
}

}  // namespace tilewright::simt
