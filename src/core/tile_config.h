// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The sizes a tiled kernel is built from: one plain value, passed as a template parameter.
#pragma once

namespace tilewright {

/// Tile sizes in elements; a level that a kernel does not have stays 0.
/// The rules that tie them together are static_asserts beside each kernel.
struct TileConfig {
    int block_m = 0, block_n = 0, block_k = 0;  ///< The block's part of C, and its k-tile.
    int thread_m = 0, thread_n = 0;             ///< What a thread computes from one fragment pair.
    int threads = 0;                            ///< Threads in a block.
    int pad_a = 0, pad_b = 0;    ///< Unused columns behind each row of a shared tile.
    int warp_m = 0, warp_n = 0;  ///< The warp's part of the block tile.
    int warp_n_steps = 0;        ///< Steps in which a warp covers its tile along n.
    int unroll_k = 1;            ///< Steps along k that the inner loop unrolls.
    int min_blocks = 0;          ///< Blocks an SM must hold: bounds the registers; 0 does not.

    bool operator==(const TileConfig&) const = default;
};

}  // namespace tilewright
