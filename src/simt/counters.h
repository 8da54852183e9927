// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What counted launches of CPU mode add up to: plain numbers for tables, JSON and tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::simt {

enum class Operation : uint8_t {
    global_load,
    global_store,
    global_atomic,
    shared_load,
    shared_store,
    shared_atomic,
    copy_load,  ///< The global half of an asynchronous copy.
    copy_store,  ///< Its shared half.
    ffma,
    barrier,  ///< __syncthreads, as warp instructions.
    cluster_load,  ///< From the shared memory of another block of the cluster.
    mma,  ///< A product of matrices in tensor cores, a warp's or its part of a warpgroup's.
};

const char* name_of(Operation operation);

/// A header that several kernels share, as a number below 512 made of the end of its name; 0 for a
/// kernel's own file. Which name it was is found among the headers that there are. Neither loops nor
/// calls: compilers must fold it where an access is traced.
constexpr uint32_t header_of(const char* file, size_t length) {
    if (length < 9 || file[length - 2] != '.' || file[length - 1] != 'h') return 0;
    const auto letter = [&](size_t back) { return static_cast<uint32_t>(file[length - back]); };
    return (letter(3) + 7 * letter(4) + 49 * letter(5) + 343 * letter(6) + 5 * letter(9)) % 511 + 1;
}

/// One operation in the kernel's source, as written: the compiler may merge scalar accesses.
struct SiteCounters {
    Operation operation{};
    uint32_t line = 0, column = 0;
    std::string operand;  ///< "A", "B", "C" or the shared array's name; empty where there is none.
    unsigned width_bits = 0;  ///< What one lane asks for.
    bool is_volatile = false;  ///< The compiler must keep it as it is.
    uint64_t requests = 0;  ///< Warp instructions.
    uint64_t bytes = 0;  ///< Asked for by all lanes.
    uint64_t sectors = 0;  ///< 32-byte pieces of global memory touched, per request.
    uint64_t wavefronts = 0;  ///< Passes through the shared-memory banks.
    uint64_t ideal_wavefronts = 0;  ///< The fewest that this width and these addresses allow.
    /// Of a scalar load that the compiler may merge: the wavefronts of the loads of 64 and of 128
    /// bits that hold each lane's word. Their place follows from the word's: they are aligned.
    std::array<uint64_t, 2> wider_wavefronts{};
    uint32_t header = 0;  ///< See header_of().
};

struct Counters {
    std::vector<SiteCounters> sites;  ///< By line, column, operation; headers last.
    uint64_t ffma = 0;  ///< Warp instructions.
    uint64_t mma = 0;  ///< Warp instructions, of any shape ...
    uint64_t mma_products = 0;  ///< ... and the scalar products that they are made of.
    uint64_t barriers = 0;  ///< __syncthreads, counted once a block.
    uint64_t blocks = 0, warps = 0;  ///< Of the whole grid.
    uint64_t blocks_run = 0;  ///< Fewer than `blocks` where some stood for others of their kind.

    /// The sum over the sites of one kind of operation; its operand names none.
    SiteCounters total(Operation operation) const;
};

}  // namespace tilewright::simt
