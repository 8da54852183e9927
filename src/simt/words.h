// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What device words other than plain accesses do in CPU mode. src/device/cpu.h gives them the names
// that kernels use.
#pragma once

#include "simt/trace.h"

namespace tilewright::simt {

/// Where in which array; fast mode knows no arrays.
struct Place {
    const Extent* extent;
    void* address;
    Site site;
};

/// Waits until every thread of the block that has not ended is here.
void syncthreads(Site site = Site::here());
/// Waits until every lane of `mask` that has not ended is here.
void syncwarp(uint32_t mask = ~uint32_t{0}, Site site = Site::here());
/// What the lane whose number differs in the bits of `lane_mask` gives; all lanes of `mask` come to it
/// together. It orders no other access. Of a lane that has ended, or is none of `mask`: undefined.
uint32_t shuffle_xor(uint32_t mask, uint32_t value, int lane_mask, Site site);

/// Completes a phase when `arrivals` threads have arrived and all announced bytes are copied.
void mbarrier_init(const Place& barrier, unsigned arrivals);
void mbarrier_arrive(const Place& barrier, unsigned announced_bytes);
/// Waits until the phase of this parity is complete; a barrier starts in phase 0.
void mbarrier_wait(const Place& barrier, unsigned parity);

/// Copies belong to the group that their thread commits next. They are made when they are waited
/// for and not before: whoever reads too early gets NaN, as on a GPU that is late.
void copy_async(const Place& to, const Place& from, unsigned bytes, int valid_bytes);
void copy_commit();
/// Until at most `groups` of the thread's groups are under way.
void copy_wait(unsigned groups);
/// Arrives at the barrier when all copies that this thread has begun are complete.
void copy_arrive(const Place& barrier);
/// A copy whose bytes count for the barrier's phase.
void copy_bulk(const Place& to, const Place& from, unsigned bytes, const Place& barrier);

/// A box of a matrix: `box_rows` x `box_cols` elements from (row, col) on, zero where it leaves
/// the rows x cols matrix.
struct TensorBox {
    int64_t rows, cols, ld;
    int box_rows, box_cols;
    int64_t row, col;
    int swizzle;  ///< The bytes of its rows, 64 or 128; 0 for none.
};
/// Likewise for the box that lies at `from`'s matrix; `to` then begins on 8 rows of the swizzle.
void copy_tensor(const Place& to, const Place& from, const TensorBox& box, const Place& barrier);

/// Of the running block in its cluster.
unsigned cluster_rank();
/// A barrier of the cluster's threads that have not ended, in two halves. Of an arrival that does not
/// release, others know the loads before it to be past, not the stores.
void cluster_arrive(bool releases, Site site);
void cluster_wait(Site site);
/// The same place in the shared memory of the cluster's block of that rank.
Place map_shared_rank(const Place& place, unsigned rank);

/// What tensor cores multiply: a word is one TF32, or two FP16 or BF16, the lower half first.
enum class Factor { tf32, f16, bf16 };

/// d += a b in tensor cores, by all lanes of a warp together: 4, 4 and 2 words of each lane.
void mma(float* d, const float* a, const float* b, Factor factor, Site site);

/// A thread's part of a wgmma.m64nNk8, or k16.
struct Wgmma {
    float* d;  ///< N / 2: its part of the 64 x N result.
    int n;
    Place a, b;  ///< Swizzled tiles: 64 rows of A and N of B, each from its k on.
    Factor factor;
    int swizzle;  ///< The bytes of their rows.
    bool begins;  ///< d = a b instead of d += a b.
};
/// d += a b by a warpgroup, from tiles in shared memory, which the multiprocessor reads until the
/// thread has waited for it. Made then and not before.
void wgmma(const Wgmma& wgmma);
void wgmma_commit();
/// Until at most `groups` of the thread's groups are under way.
void wgmma_wait(unsigned groups);

/// Orders between blocks. An atomic or volatile access hands on what a fence before it covers, and
/// a fence after it takes over what others handed on there.
void threadfence();
void hand_on(const Place& flag, bool release);
void take_over(const Place& flag, bool acquire);

/// The running thread has read this word, and stored nothing since.
bool has_polled(const void* address);
/// A value read from memory that other threads write, maybe in a loop: if it is the old one, lets
/// them go on.
void poll(const void* address, uint64_t value, Site site);

/// A register that nothing was written to.
void report_register(Site site);

}  // namespace tilewright::simt
