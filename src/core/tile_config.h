// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The sizes a tiled kernel is built from: one plain value, passed as a template parameter.
#pragma once

namespace tilewright {

struct Tile {
    int m = 0, n = 0, k = 0;

    bool operator==(const Tile&) const = default;
};

/// Tile sizes in elements; a level that a kernel does not have stays 0.
/// The rules that tie them together are static_asserts beside each kernel.
struct TileConfig {
    Tile block;  ///< The block's part of C, and its k-tile.
    Tile thread;  ///< What a thread computes from one fragment of A and one of B.
    int threads = 0;  ///< Threads in a block.
    int pad_a = 0, pad_b = 0;  ///< Unused columns behind each row of a shared tile.
    Tile warp;  ///< The warp's part of the block tile.
    int warp_n_steps = 0;  ///< Steps in which a warp covers its tile along n.
    int unroll_k = 1;  ///< Steps along k that the inner loop unrolls.
    int min_blocks = 0;  ///< Blocks an SM must hold: bounds the registers; 0 does not.
    int stages = 1;  ///< k-tiles that shared memory holds at a time.
    int producers = 0;  ///< Threads beside `threads` that only copy.
    int group_m = 0;  ///< Block tiles along m that consecutive blocks take before the next column.
    int cluster = 1;  ///< Blocks that have a block tile together, each a part of k.

    bool operator==(const TileConfig&) const = default;
};

#if !defined(__CUDACC_RTC__)
/// All that a block is launched with.
constexpr int block_threads(const TileConfig& config) {
    return config.threads + config.producers;
}

/// f("block.m", 128) and so on for each number, in the order of the members.
template <class Function>
void for_each_member(const TileConfig& config, const Function& f) {
    const auto tile = [&](const char* m, const char* n, const char* k, const Tile& sizes) {
        f(m, sizes.m);
        f(n, sizes.n);
        f(k, sizes.k);
    };
    tile("block.m", "block.n", "block.k", config.block);
    tile("thread.m", "thread.n", "thread.k", config.thread);
    f("threads", config.threads);
    f("pad_a", config.pad_a);
    f("pad_b", config.pad_b);
    tile("warp.m", "warp.n", "warp.k", config.warp);
    f("warp_n_steps", config.warp_n_steps);
    f("unroll_k", config.unroll_k);
    f("min_blocks", config.min_blocks);
    f("stages", config.stages);
    f("producers", config.producers);
    f("group_m", config.group_m);
    f("cluster", config.cluster);
}
static_assert(sizeof(TileConfig) == 19 * sizeof(int), "for_each_member() names them all");
#endif

}  // namespace tilewright
