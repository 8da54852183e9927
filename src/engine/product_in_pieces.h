// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What kernels that multiply pieces (pieces.h) have in common: the order of their block tiles, where
// pieces lie, what they refuse, and a product in halves where the workspace is small.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <algorithm>
#endif

#include "engine/split.h"
#include "engine/unfit.h"

namespace tilewright::engine::inline TILEWRIGHT_TARGET {

/// In which order block tiles come: groups of rows of tiles, in each down its columns, so that the tiles
/// that run at a time form a square and read little.
class Order {
  public:
    static constexpr unsigned kGroup = 8;

#if !defined(__CUDACC_RTC__)
    Order(uint32_t tiles_m, uint32_t tiles_n)
        : tiles_in_matrix_(tiles_m * tiles_n),
          tiles_in_group_(kGroup * tiles_n),
          last_rows_(tiles_m % kGroup == 0 ? kGroup : tiles_m % kGroup),
          last_group_((tiles_m - 1) / kGroup) {}
#endif
    /// Row and column count tiles.
    __device__ Place place(unsigned tile) const {
        unsigned batch = tile;
        unsigned group = tiles_in_matrix_.take(batch);
        unsigned col = tiles_in_group_.take(group);
        unsigned row = col % kGroup;
        if (group == last_group_)
            row = last_rows_.take(col);
        else
            col /= kGroup;
        return {batch, group * kGroup + row, col};
    }

  private:
    Divisor tiles_in_matrix_, tiles_in_group_, last_rows_;
    unsigned last_group_;
};

/// What all parts of k have of some sums, in the parts' order, whoever adds them up: of(part, i).
template <int kSums, class Of>
__device__ __forceinline__ void add_parts(float4 (&sum)[kSums], int parts, const Of& of) {
    UNROLL
    for (int i = 0; i < kSums; ++i) sum[i] = float4{};
    for (int part = 0; part < parts; ++part) {
        UNROLL
        for (int i = 0; i < kSums; ++i) add4(sum[i], of(part, i));
    }
}

/// Four neighbours of each of some rows of C that are `pitch` apart.
template <int kRows>
__device__ __forceinline__ void store_rows(const Scalars& scalars, GlobalPtr<float> C,
                                           int64_t pitch, const float4 (&sum)[kRows]) {
    float4 c[kRows];
    UNROLL
    for (int i = 0; i < kRows; ++i)
        c[i] = scalars.beta == 0.0f ? float4{} : ld<float4>(C + i * pitch);
    UNROLL
    for (int i = 0; i < kRows; ++i)
        st_streaming(C + i * pitch, float4{scalars.alpha * sum[i].x + scalars.beta * c[i].x,
                                           scalars.alpha * sum[i].y + scalars.beta * c[i].y,
                                           scalars.alpha * sum[i].z + scalars.beta * c[i].z,
                                           scalars.alpha * sum[i].w + scalars.beta * c[i].w});
}

#if !defined(__CUDACC_RTC__)
/// What an operand becomes, and where: in a workspace, or where it was prepared. Outlives the launch.
template <class Format>
class PiecesStorage {
  public:
    /// `prepared`: the pieces are there.
    PiecesStorage(Workspace& memory, bool prepared, const Operand& X, int64_t size, int64_t k,
                  int64_t batch, bool lines)
        : is_prepared_(prepared),
          X_(X),
          has_lines_(lines),
          size_(size),
          rows_(ceil_div(size, 16) * 16),
          slabs_(ceil_div(k, kLine) * 2),
          matrices_(X.stride == 0 ? 1 : batch),
          scaled_(lines ? slabs_ / 2 : 1),
          words_(memory.take<float>(matrices_ * slabs_ * rows_ * kWords)),
          scales_(memory.take<float>(matrices_ * scaled_ * rows_)),
          sums_(memory.take<float>(matrices_ * scaled_ * rows_)),
          whole_(Format::kMeets > 0.0f ? memory.take<float>(matrices_ * scaled_ * rows_) : nullptr),
          word_bounds_(words_, matrices_ * slabs_ * rows_, kWords, kWords, "pieces"),
          scale_bounds_(scales_, matrices_ * scaled_, rows_, rows_, "scales"),
          sum_bounds_(sums_, matrices_ * scaled_, rows_, rows_, "sums of sizes"),
          whole_bounds_(whole_, whole_ ? matrices_ * scaled_ : 0, rows_, rows_, "whole elements") {}

    Pieces pieces() const {
        return {.words = global_ptr(words_, word_bounds_),
                .scales = global_ptr(scales_, scale_bounds_),
                .sums = global_ptr(sums_, sum_bounds_),
                .whole = global_ptr(whole_, whole_bounds_),
                .rows = static_cast<unsigned>(rows_),
                .slabs = static_cast<unsigned>(slabs_),
                .scaled = static_cast<unsigned>(scaled_),
                .shared = matrices_ == 1};
    }
    /// Of split(), which has rows with one scale, or 64 lines.
    unsigned blocks() const {
        if (is_prepared_) return 0;
        return static_cast<unsigned>(matrices_ * scaled_ * ceil_div(rows_, rows_of_block()));
    }
    Splitting splitting() const {
        return {.X = X_,
                .size = size_,
                .pieces = pieces(),
                .threads = static_cast<unsigned>(threads()),
                .tiles = Divisor(static_cast<uint32_t>(ceil_div(rows_, rows_of_block()))),
                .lines = Divisor(static_cast<uint32_t>(scaled_))};
    }
    /// Boxes of `tile` rows, as wide as the swizzle.
    Status map_words(TensorMap& map, int tile, Swizzle swizzle) const {
        return make_tensor_map(map, global_ptr(static_cast<const float*>(words_), word_bounds_),
                               matrices_ * slabs_ * rows_, kWords, kWords, tile,
                               static_cast<int>(swizzle) / 4, swizzle);
    }
    Status map_scales(TensorMap& map, int tile) const {
        return make_tensor_map(map, global_ptr(static_cast<const float*>(scales_), scale_bounds_),
                               matrices_ * scaled_, rows_, rows_, 1, tile);
    }

  private:
    static constexpr int kWords = Format::kPieces * kPieceWords;  // of a row in a slab

    /// Rows across memory are read eight at a time, by sectors.
    int threads() const {
        int threads = 32;
        while (X_.along_k && threads < kSplitThreads && threads * 16 < slabs_ * kSlab) threads *= 2;
        return threads;
    }
    int rows_of_block() const { return has_lines_ ? 64 : kSplitThreads / threads(); }

    bool is_prepared_;
    Operand X_;
    bool has_lines_;
    int64_t size_, rows_, slabs_, matrices_, scaled_;
    float *words_, *scales_, *sums_, *whole_;
    Bounds word_bounds_, scale_bounds_, sum_bounds_, whole_bounds_;
};

template <TileConfig kTile>
int64_t tiles_of(const Problem& p) {
    return ceil_div(p.m, kTile.block.m) * ceil_div(p.n, kTile.block.n) * p.batch;
}

/// Who is last adds up all parts: so many at most. Each has whole lines. A cluster's blocks have one
/// each, be it empty.
template <TileConfig kTile>
Split split_of(const Problem& p, const Execution& execution) {
    const int64_t lines = ceil_div(reads(p), kLine);
    if (kTile.cluster == 1)
        return engine::split_of(lines, std::min(execution.splits, kMostThatMeet));
    return {kTile.cluster, static_cast<int>(lines / kTile.cluster),
            static_cast<int>(lines % kTile.cluster)};
}

/// Parts whose sums meet in the workspace.
template <TileConfig kTile>
int parts_of(const Problem& p, const Execution& execution) {
    return split_of<kTile>(p, execution).parts / kTile.cluster;
}

/// All that a product needs in a workspace.
template <class Format, TileConfig kTile>
struct Storage {
    Storage(void* memory, const Operands& operands, const Problem& p, const Execution& execution)
        : workspace(memory),
          prepared_a(const_cast<void*>(p.prepared_a)),
          prepared_b(const_cast<void*>(p.prepared_b)),
          a(p.prepared_a ? prepared_a : workspace, p.prepared_a != nullptr, operands.gemm.A, p.m,
            operands.reads, p.batch, false),
          b(p.prepared_b ? prepared_b : workspace, p.prepared_b != nullptr, operands.gemm.B, p.n,
            operands.reads, p.batch, true),
          split(split_of<kTile>(p, execution)),
          parts(workspace, tiles_of<kTile>(p), parts_of<kTile>(p, execution),
                kTile.block.m * kTile.block.n, execution.counters) {}

    /// Makes the pieces that are not there.
    Status make_pieces(const Gemm& p, const Execution& execution) const {
        const unsigned blocks = a.blocks() + b.blocks();
        if (blocks == 0) return {};
        return launch_kernel(engine::split<Format>, Grid(blocks), Grid(kSplitThreads), 0, execution,
                             p, a.splitting(), b.splitting(), a.blocks());
    }

    Workspace workspace, prepared_a, prepared_b;
    PiecesStorage<Format> a, b;
    Split split;
    PartsStorage parts;
};

/// A whole operand's pieces, for products to come.
template <class Format>
struct PreparedPieces {
    static PiecesStorage<Format> storage(Workspace& memory, const Operands& operands,
                                         const Problem& p, bool of_b) {
        const Operand& X = of_b ? operands.gemm.B : operands.gemm.A;
        return PiecesStorage<Format>(memory, false, X, of_b ? p.n : p.m, p.k, 1, of_b);
    }
    static int64_t bytes(const Problem& p, bool of_b) {
        Workspace memory(nullptr);
        storage(memory, Operands(p), p, of_b);
        return memory.bytes();
    }
    static Status run(const Problem& p, bool of_b, void* to, const Execution& execution) {
        Workspace memory(to);
        const Operands operands(p);
        const PiecesStorage<Format> made = storage(memory, operands, p, of_b);
        if (made.blocks() == 0) return {};
        return launch_kernel(engine::split<Format>, Grid(made.blocks()), Grid(kSplitThreads), 0,
                             execution, operands.gemm, made.splitting(), made.splitting(),
                             of_b ? 0u : made.blocks());
    }
    static constexpr Preparation kPreparation{bytes, run};
};

template <class Format, TileConfig kTile>
int64_t workspace_bytes(const Problem& problem, const Execution& execution) {
    return Storage<Format, kTile>(nullptr, Operands(problem), problem, execution).workspace.bytes();
}

/// m x n elements of C from (row, col) on, of `count` matrices from `batch` on.
inline Problem part_of(const Problem& all, int64_t row, int64_t m, int64_t col, int64_t n,
                       int64_t batch, int64_t count) {
    Problem p = all;
    p.m = m, p.n = n, p.batch = count;
    p.A += batch * p.stride_a + row * (p.transpose_a ? 1 : p.lda);
    p.B += batch * p.stride_b + col * (p.transpose_b ? p.ldb : 1);
    p.C += batch * p.stride_c + row * p.ldc + col;
    return p;
}

/// What was prepared is a whole operand's, and stays one.
template <TileConfig kTile>
bool has_halves_along_m(const Problem& p) {
    return p.m > kTile.block.m && p.prepared_a == nullptr;
}
template <TileConfig kTile>
bool has_halves_along_n(const Problem& p) {
    return p.n > kTile.block.n && p.prepared_b == nullptr;
}

template <class Format, TileConfig kTile>
int64_t least_workspace_bytes(const Problem& p, const Execution& execution) {
    const int64_t m = has_halves_along_m<kTile>(p) ? kTile.block.m : p.m;
    const int64_t n = has_halves_along_n<kTile>(p) ? kTile.block.n : p.n;
    return workspace_bytes<Format, kTile>(part_of(p, 0, m, 0, n, 0, 1), execution);
}

template <TileConfig kTile>
Work work(const Problem& problem, const Execution& execution) {
    const int64_t tiles = tiles_of<kTile>(problem);
    const Split split = split_of<kTile>(problem, execution);
    const int parts = parts_of<kTile>(problem, execution);
    const auto passed = [&](const void* prepared, int64_t size, int64_t stride) {
        return prepared ? 0 : size * (stride == 0 ? 1 : problem.batch);
    };
    return {.tiles = tiles,
            .blocks = tiles * split.parts,
            .resident = kTile.min_blocks,
            .steps = 2.0 * (split.share + (split.rest > 0)),
            .prepared = 4 * reads(problem) *
                        (passed(problem.prepared_a, problem.m, problem.stride_a) +
                         passed(problem.prepared_b, problem.n, problem.stride_b)),
            .exchanged = parts > 1 ? tiles * parts * kTile.block.m * kTile.block.n * 4 : 0,
            .parts = parts,
            .sharing = parts};
}

template <TileConfig kTile>
const char* refusal(const Problem& p, const Execution& execution) {
    if (reads(p) < kLine) return "K below 64, or alpha 0: too little for a pass over the operands";
    constexpr double kMost = 0x7fffffff - 256;  // rows of pieces are counted in 32 bits
    const double slabs = static_cast<double>(ceil_div(p.k, kLine) * 2 * p.batch);
    if (static_cast<double>(std::max(p.m, p.n)) * slabs > kMost)
        return "M or N, times K / 32, times the batch, is above 2147483391";
    const double blocks = static_cast<double>(tiles_of<kTile>(p)) * kMostThatMeet;
    if (blocks > kMost) return "C has more than 268435423 block tiles";
    if (parts_of<kTile>(p, execution) > 1 && tiles_of<kTile>(p) > kCounters)
        return "parts of k for 65536 tiles at most";
    return nullptr;
}

/// One half after the other, where there is no room for the pieces of all. No sum is another for it.
template <TileConfig kTile>
Status run_halves(const Problem& p, const Execution& execution,
                  Status (*run)(const Problem&, const Execution&)) {
    const auto run_both = [&](const Problem& a, const Problem& b) {
        Status status = run(a, execution);
        return status.ok() ? run(b, execution) : status;
    };
    const auto half = [](int64_t size, int64_t tile) { return ceil_div(size, 2 * tile) * tile; };
    if (const int64_t first = p.batch / 2; first > 0)
        return run_both(part_of(p, 0, p.m, 0, p.n, 0, first),
                        part_of(p, 0, p.m, 0, p.n, first, p.batch - first));
    const bool along_n = has_halves_along_n<kTile>(p);
    if (has_halves_along_m<kTile>(p) && (p.m >= p.n || !along_n)) {
        const int64_t first = half(p.m, kTile.block.m);
        return run_both(part_of(p, 0, first, 0, p.n, 0, 1),
                        part_of(p, first, p.m - first, 0, p.n, 0, 1));
    }
    if (along_n) {
        const int64_t first = half(p.n, kTile.block.n);
        return run_both(part_of(p, 0, p.m, 0, first, 0, 1),
                        part_of(p, 0, p.m, first, p.n - first, 0, 1));
    }
    return {StatusCode::not_supported, "the workspace does not hold the pieces of one block tile"};
}

template <class Format, TileConfig kTile>
constexpr Variant variant_of(const char* name, Status (*run)(const Problem&, const Execution&),
                             int shared_bytes) {
    return {name,
            kTile,
            run,
            shared_bytes,
            workspace_bytes<Format, kTile>,
            work<kTile>,
            refusal<kTile>,
            least_workspace_bytes<Format, kTile>};
}
#endif

}  // namespace tilewright::engine::inline TILEWRIGHT_TARGET
