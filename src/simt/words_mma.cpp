// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Words for tensor cores.
#include "simt/block.h"
#include "simt/tensor.h"
#include "simt/words.h"

namespace tilewright::simt {

void mma(float* d, const float* a, const float* b, Factor factor, Site site) {
    BlockRunner& block = BlockRunner::current();
    block.thread().mma = {d, {a[0], a[1], a[2], a[3]}, {b[0], b[1]}, factor};
    block.stop(BlockRunner::Thread::State::at_mma, site);
}

namespace {

constexpr int kWarpgroup = 128;

/// A thread's share of all that its warpgroup's multiplication reads, looked at for races.
void check_operands(const Wgmma& wgmma, int number) {
    constexpr int kPieceBytes = 16, kRowsOfA = 64;
    for (int i = number; i < 2 * (kRowsOfA + wgmma.n); i += kWarpgroup) {
        const bool of_a = i / 2 < kRowsOfA;
        const Place& operand = of_a ? wgmma.a : wgmma.b;
        const int row = of_a ? i / 2 : i / 2 - kRowsOfA;
        check({swizzled(operand, row, i % 2 * 4, wgmma.swizzle), operand.extent, operand.site,
               Operation::shared_load, kPieceBytes});
    }
}

}  // namespace

void wgmma(const Wgmma& wgmma) {
    BlockRunner& block = BlockRunner::current();
    const int number = block.thread().number % kWarpgroup;
    if (block.launch().counted) {
        const int tile_bytes = 8 * wgmma.swizzle;  // then the swizzle's pattern comes again
        for (const Place& operand : {wgmma.a, wgmma.b})
            if (const auto at = reinterpret_cast<uintptr_t>(operand.address);
                at % tile_bytes >= static_cast<uintptr_t>(wgmma.swizzle))
                block.report(HazardKind::misaligned, operand.site,
                             "an operand at " + place_text(*operand.extent, at) +
                                 ", which is not in the first row of a tile on " +
                                 std::to_string(tile_bytes) + " bytes");
        check_operands(wgmma, number);
        constexpr uint64_t kRowsOfWarp = 16;
        if (number % kWarpSize == 0)
            block.count_mma(wgmma.a.site, kRowsOfWarp * depth(wgmma.factor) * wgmma.n);
    }
    block.thread().wgmmas.add(wgmma);
}

void wgmma_commit() {
    BlockRunner::current().thread().wgmmas.commit();
}

void wgmma_wait(unsigned groups) {
    BlockRunner& block = BlockRunner::current();
    BlockRunner::Thread& thread = block.thread();
    const int number = thread.number % kWarpgroup;
    for (const Wgmma& wgmma : thread.wgmmas.take(groups)) {
        if (block.launch().counted) check_operands(wgmma, number);
        multiply(wgmma, number);
    }
}

}  // namespace tilewright::simt
