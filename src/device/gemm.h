// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The argument every GEMM kernel takes, and how a launcher passes it.
#pragma once

namespace tilewright::inline TILEWRIGHT_TARGET {

/// A Problem as a kernel sees it; see core/problem.h for shapes and layout. k is 0 when A and B
/// must not be read, so that C := beta * C needs no case of its own.
struct Gemm {
    int64_t m, n, k;
    float alpha;
    GlobalPtr<const float> A;
    int64_t lda;
    GlobalPtr<const float> B;
    int64_t ldb;
    float beta;
    GlobalPtr<float> C;
    int64_t ldc;
};

#if !defined(__CUDACC_RTC__)
/// A Problem's matrices as a kernel sees them, and in CPU mode their extents. Outlives the launch.
struct Operands {
    explicit Operands(const Problem& problem)
        : k(problem.alpha != 0.0f ? problem.k : 0),
          a(problem.A, problem.m, k, problem.lda, "A"),
          b(problem.B, k, problem.n, problem.ldb, "B"),
          c(problem.C, problem.m, problem.n, problem.ldc, "C"),
          gemm{
              .m = problem.m,
              .n = problem.n,
              .k = k,
              .alpha = k > 0 ? problem.alpha : 0.0f,
              .A = global_ptr(problem.A, a),
              .lda = problem.lda,
              .B = global_ptr(problem.B, b),
              .ldb = problem.ldb,
              .beta = problem.beta,
              .C = global_ptr(problem.C, c),
              .ldc = problem.ldc,
          } {}

    int64_t k;
    Bounds a, b, c;
    Gemm gemm;
};

/// Cuts a workspace into arrays, each on 256 bytes. From null: only adds up what it must hold.
class Workspace {
  public:
    explicit Workspace(void* memory) : begin_(reinterpret_cast<uintptr_t>(memory)) {}

    template <class T>
    T* take(int64_t count) {
        const uintptr_t at = begin_ + static_cast<uintptr_t>(bytes_);
        bytes_ += ceil_div(count * static_cast<int64_t>(sizeof(T)), kAlignment) * kAlignment;
        return reinterpret_cast<T*>(at);
    }
    int64_t bytes() const { return bytes_; }

  private:
    static constexpr int64_t kAlignment = 256;
    uintptr_t begin_;
    int64_t bytes_ = 0;
};

/// What a kernel that counts block tiles and k-tiles in 32 bits cannot take.
inline Status check_tile_counts(const TileConfig& tile, const Problem& problem) {
    const int64_t tiles_m = ceil_div(problem.m, tile.block.m);
    const int64_t tiles_n = ceil_div(problem.n, tile.block.n);
    if (tiles_m > 0x7fffffff / tiles_n)
        return {StatusCode::not_supported, "C has " + std::to_string(tiles_m) + " x " +
                                               std::to_string(tiles_n) +
                                               " block tiles; a grid holds 2147483647"};
    if (problem.alpha != 0.0f && tile.block.k > 0 && ceil_div(problem.k, tile.block.k) > 0x7fffffff)
        return {StatusCode::not_supported,
                "K has more than 2147483647 k-tiles of " + std::to_string(tile.block.k)};
    return {};
}

/// Of a kernel that goes before.
inline Status check_pass(int64_t blocks) {
    if (blocks <= 0x7fffffff) return {};
    return {StatusCode::not_supported,
            "the pass before has " + std::to_string(blocks) + " blocks; a grid holds 2147483647"};
}

/// Runs a kernel with one block for each block tile of C; an empty C needs none. `dynamic_bytes` of
/// shared memory for its DYNAMIC_SHARED arrays.
inline Status launch(void (*kernel)(Gemm), const TileConfig& tile, Grid block,
                     const Problem& problem, const Execution& execution, int dynamic_bytes = 0) {
    if (problem.m == 0 || problem.n == 0) return {};
    if (Status status = check_tile_counts(tile, problem); !status.ok()) return status;
    const Operands operands(problem);
    // Blocks are numbered in one dimension: the other two stop at 65535, which a tall matrix
    // exceeds.
    return launch_tiles(kernel, ceil_div(problem.m, tile.block.m),
                        ceil_div(problem.n, tile.block.n), block, dynamic_bytes, execution,
                        &operands.c, operands.gemm);
}

/// For TuningSpace: a launcher of kernels that were compiled elsewhere, whose type is lost.
template <Status (*kLaunch)(void (*)(Gemm), const TileConfig&, const Problem&, const Execution&)>
Status launch_compiled(const void* kernel, const TileConfig& tile, const Problem& problem,
                       const Execution& execution) {
    return kLaunch(reinterpret_cast<void (*)(Gemm)>(const_cast<void*>(kernel)), tile, problem,
                   execution);
}

/// A kernel that goes before and fills the workspace.
struct Pass {
    void (*kernel)(Gemm, GlobalPtr<float>);
    int64_t blocks;
    int threads;
    int64_t elements;  ///< That it leaves there.
};

/// As above, for a kernel that reads what a pass has left. Where A and B must not be read, there is
/// no pass.
inline Status launch(const Pass& pass, void (*kernel)(Gemm, GlobalPtr<const float>),
                     const TileConfig& tile, Grid block, const Problem& problem,
                     const Execution& execution, int dynamic_bytes = 0) {
    if (problem.m == 0 || problem.n == 0) return {};
    if (Status status = check_tile_counts(tile, problem); !status.ok()) return status;
    const Operands operands(problem);
    float* const memory = static_cast<float*>(execution.workspace);
    const Bounds bounds(memory, 1, pass.elements, 0, "workspace");
    const GlobalPtr<float> workspace = global_ptr(memory, bounds);
    if (operands.k > 0) {
        if (Status status = check_pass(pass.blocks); !status.ok()) return status;
        if (Status status = launch_kernel(pass.kernel, Grid(static_cast<unsigned>(pass.blocks)),
                                          pass.threads, 0, execution, operands.gemm, workspace);
            !status.ok())
            return status;
    }
    return launch_tiles(kernel, ceil_div(problem.m, tile.block.m),
                        ceil_div(problem.n, tile.block.n), block, dynamic_bytes, execution,
                        &operands.c, operands.gemm, workspace);
}
#endif

}  // namespace tilewright::inline TILEWRIGHT_TARGET
