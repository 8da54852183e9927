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

    bool operator==(const TileConfig&) const = default;
};

}  // namespace tilewright
