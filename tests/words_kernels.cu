// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/words_kernels.h"

#include "device/kernel.h"

namespace tilewright::inline TILEWRIGHT_TARGET {

namespace {

constexpr int kThreads = 128;
constexpr int kTile = 4 * kThreads;  ///< Elements of a stage.
constexpr int kBlocks = 4, kTiles = kWordsElements / kTile / kBlocks;

struct Arguments {
    GlobalPtr<const float> A;
    GlobalPtr<float> C;
    GlobalPtr<unsigned> flags;
};

/// Three stages of 16-byte copies; a thread reads what its neighbour has copied.
__global__ void copy_groups(Arguments p) {
    constexpr int kStages = 3;
    SHARED(float, tile, kStages, kTile);
    const int first = blockIdx.x * kTiles * kTile, own = threadIdx.x * 4;
    const int read = (threadIdx.x ^ 1) * 4;
    for (int t = 0; t < kStages - 1; ++t) {
        if (t < kTiles) cp_async<16>(tile + t * kTile + own, p.A + first + t * kTile + own);
        cp_async_commit();
    }
    for (int t = 0; t < kTiles; ++t) {
        cp_async_wait<kStages - 2>();
        __syncthreads();
        const int next = t + kStages - 1;
        if (next < kTiles)
            cp_async<16>(tile + next % kStages * kTile + own, p.A + first + next * kTile + own);
        cp_async_commit();
        const float4 v = ld_volatile<float4>(tile + t % kStages * kTile + read);
        st(p.C + first + t * kTile + read, float4{v.x + 1, v.y + 1, v.z + 1, v.w + 1});
    }
}

/// 8-byte copies of which the last is cut short: what is beyond the end becomes zero.
__global__ void copy_zeros(Arguments p) {
    SHARED(float, tile, 2 * kThreads);
    const int first = blockIdx.x * kTiles * kTile;
    for (int t = 0; t < kTiles * kTile; t += 2 * kThreads) {
        const int at = 2 * threadIdx.x;
        const bool last = threadIdx.x == kThreads - 1;
        cp_async<8>(tile + at, p.A + first + t + at, last ? 4 : 8);
        cp_async_commit();
        cp_async_wait<0>();
        __syncthreads();
        const float extra = last ? p.A[first + t + at + 1] : 0.0f;
        p.C[first + t + at] = tile[at] + 1;
        p.C[first + t + at + 1] = tile[at + 1] + extra + 1;
        __syncthreads();
    }
}

/// Warp 0 has the TMA fill two stages, the others read them.
__global__ void bulk_stages(Arguments p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    constexpr int kStages = 2, kReaders = kThreads - 32;
    SHARED(float, tile, kStages, kTile);
    SHARED(Barrier, full, kStages);
    SHARED(Barrier, empty, kStages);
    if (threadIdx.x == 0)
        for (int i = 0; i < kStages; ++i) {
            mbarrier_init(full + i, 1);
            mbarrier_init(empty + i, kReaders);
        }
    __syncthreads();
    const int first = blockIdx.x * kTiles * kTile;
    for (int t = 0; t < kTiles; ++t) {
        const int stage = t % kStages;
        const unsigned phase = t / kStages % 2;
        if (threadIdx.x == 0) {
            mbarrier_wait(empty + stage, phase ^ 1);
            mbarrier_arrive_expect(full + stage, kTile * sizeof(float));
            cp_async_bulk(tile + stage * kTile, p.A + first + t * kTile, kTile * sizeof(float),
                          full + stage);
        } else if (threadIdx.x >= 32) {
            mbarrier_wait(full + stage, phase);
            for (int i = threadIdx.x - 32; i < kTile; i += kReaders)
                p.C[first + t * kTile + i] = tile[stage * kTile + i] + 1;
            mbarrier_arrive(empty + stage);
        }
    }
#endif
}

/// The TMA copies boxes of a matrix in A, some of which leave it: what is beyond becomes zero.
constexpr int kRows = 100, kCols = 72, kLd = 80, kBoxRows = 16;
template <Swizzle kSwizzle, int kBoxCols>
__global__ void tensor_boxes(Arguments p, const __grid_constant__ TensorMap map) {
    DYNAMIC_SHARED(float, tile, 0, kBoxRows, kBoxCols);
    SHARED(Barrier, full, 1);
    if (threadIdx.x == 0) mbarrier_init(full, 1);
    __syncthreads();
    constexpr int kBoxesN = (kLd + kBoxCols - 1) / kBoxCols;
    unsigned phase = 0;
    for (int box = blockIdx.x; box < (kRows / kBoxRows + 1) * kBoxesN; box += kBlocks, phase ^= 1) {
        const int row = box / kBoxesN * kBoxRows, col = box % kBoxesN * kBoxCols;
        if (threadIdx.x == 0) {
            mbarrier_arrive_expect(full, kBoxRows * kBoxCols * sizeof(float));
            cp_async_bulk_tensor(tile, map, row, col, full);
        }
        mbarrier_wait(full, phase);
        for (int i = threadIdx.x; i < kBoxRows * kBoxCols; i += kThreads) {
            const int r = i / kBoxCols, c = i % kBoxCols, at = (row + r) * kLd + col + c;
            const int turn = r * kBoxCols / 32 % (kBoxCols / 4);  // by lines of 128 bytes
            const int place = kSwizzle == Swizzle::none ? i : i ^ turn * 4;
            const bool inside = row + r < kRows && col + c < kCols;
            if (col + c < kLd && at < kWordsElements)
                p.C[at] = tile[place] + (inside ? 0.0f : p.A[at]) + 1;
        }
        __syncthreads();
    }
}

/// As the stages above, filled by the copies of a warp's threads.
__global__ void copy_arrivals(Arguments p) {
    SHARED(float, tile, kTile);
    SHARED(Barrier, full, 1);
    SHARED(Barrier, empty, 1);
    if (threadIdx.x == 0) {
        mbarrier_init(full, 32);
        mbarrier_init(empty, kThreads - 32);
    }
    __syncthreads();
    const int first = blockIdx.x * kTiles * kTile;
    for (int t = 0; t < kTiles; ++t) {
        if (threadIdx.x < 32) {
            mbarrier_wait(empty, t % 2 ^ 1);
            for (int i = threadIdx.x * 4; i < kTile; i += 32 * 4)
                cp_async<16>(tile + i, p.A + first + t * kTile + i);
            cp_async_arrive(full);
        } else {
            mbarrier_wait(full, t % 2);
            for (int i = threadIdx.x - 32; i < kTile; i += kThreads - 32)
                p.C[first + t * kTile + i] = tile[i] + 1;
            mbarrier_arrive(empty);
        }
    }
}

/// Lanes hand values round their warp through shared memory.
__global__ void warp_exchange(Arguments p) {
    SHARED(float, tile, kThreads);
    const int first = blockIdx.x * kTiles * kTile;
    for (int t = threadIdx.x; t < kTiles * kTile; t += kThreads) {
        st_volatile(tile + threadIdx.x, p.A[first + t]);
        __syncwarp();
        const float v = ld_volatile<float>(tile + (threadIdx.x ^ 5));
        __syncwarp();
        p.C[first + (t ^ 5)] = v + 1;
    }
}

/// The same by shuffles, of floats and of integers.
__global__ void warp_shuffle(Arguments p) {
    const int first = blockIdx.x * kTiles * kTile;
    for (int t = threadIdx.x; t < kTiles * kTile; t += kThreads) {
        const float v = __shfl_xor_sync(~0u, float{p.A[first + t]}, 5);
        const int from = __shfl_xor_sync(~0u, t, 5);
        p.C[first + from] = v + 1;
    }
}

/// Each block leaves halves of all results; the last to come adds them up.
__global__ void last_block(Arguments p) {
    SHARED(unsigned, ticket, 1);
    // Block 0 writes A / 2 to C, the last to come adds the rest.
    if (blockIdx.x == 0)
        for (int i = threadIdx.x; i < kWordsElements; i += kThreads) p.C[i] = p.A[i] * 0.5f;
    __syncthreads();
    if (threadIdx.x == 0) ticket[0] = atomic_add_acq_rel(p.flags, 1u);
    __syncthreads();
    if (ticket[0] != gridDim.x - 1) return;
    for (int i = threadIdx.x; i < kWordsElements; i += kThreads)
        p.C[i] = p.C[i] + p.A[i] * 0.5f + 1;
}

/// Block b waits for block b - 1, which has left it what to add to.
__global__ void chain(Arguments p) {
    if (blockIdx.x > 0) {
        if (threadIdx.x == 0)
            while (ld_acquire(p.flags + blockIdx.x - 1) == 0) {
            }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < kWordsElements; i += kThreads)
        p.C[i] = (blockIdx.x > 0 ? p.C[i] : p.A[i]) + 1.0f / kBlocks;
    __syncthreads();
    if (threadIdx.x == 0) st_release(p.flags + blockIdx.x, 1);
}

/// The fences of old, around a relaxed ticket.
__global__ void fences(Arguments p) {
    if (blockIdx.x == 0) {
        for (int i = threadIdx.x; i < kWordsElements; i += kThreads) p.C[i] = p.A[i];
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomic_add(p.flags, 1u);
    } else if (blockIdx.x == 1) {
        if (threadIdx.x == 0)
            while (ld_volatile<unsigned>(p.flags) == 0) {
            }
        __syncthreads();
        __threadfence();
        for (int i = threadIdx.x; i < kWordsElements; i += kThreads) p.C[i] = p.C[i] + 1;
    }
}

/// A warp at a time 16 rows of 32 bytes, in four matrices, each row's halves at places of their own.
__global__ void load_matrices(Arguments p) {
    constexpr int kRows = 16, kWords = 8, kWarps = kThreads / 32;
    SHARED(float, tile, kWarps, kRows* kWords);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int first = (blockIdx.x * kWarps + warp) * (kWordsElements / kBlocks / kWarps);
    const auto place = [&](int row, int half) {
        return tile + warp * (kRows * kWords) + row * kWords + (half ^ row % 2) * 4;
    };
    for (int t = 0; t < kWordsElements / kBlocks / kWarps; t += kRows * kWords) {
        cp_async<16>(place(lane / 2, lane % 2), p.A + first + t + lane * 4);
        cp_async_commit();
        cp_async_wait<0>();
        __syncwarp();
        float words[4];
        ldmatrix(words, lane, [&](int i, int row) { return place(i % 2 * 8 + row, i / 2); });
        for (int i = 0; i < 4; ++i)
            p.C[first + t + (i % 2 * 8 + lane / 4) * kWords + i / 2 * 4 + lane % 4] = words[i] + 1;
        __syncwarp();
    }
}

/// Each block of a cluster reads what the next one has put there. Two tiles take turns, so that one
/// barrier a round will do.
template <unsigned kCluster>
__global__ void cluster_exchange(Arguments p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    SHARED(float, unused, 1);  // what the others read lies behind it
    SHARED(float, tile, kTile);
    DYNAMIC_SHARED(float, sums, 1024, kTile);
    const unsigned other = (cluster_rank() + 1) % kCluster;
    const int next = (blockIdx.x - cluster_rank() + other) * kTiles * kTile;
    const int first = blockIdx.x * kTiles * kTile, own = threadIdx.x * 4;
    const int read = (threadIdx.x ^ 37) * 4;
    if (threadIdx.x == 0) unused[0] = 0.0f;
    for (int t = 0; t < kTiles; ++t) {
        const auto at = t % 2 ? sums : tile;
        st(at + own, ld<float4>(p.A + first + t * kTile + own));
        cluster_arrive();
        const auto there = map_shared_rank(at + own, other);
        cluster_wait();
        const float4 v = ld<float4>(there + (read - own));
        st(p.C + next + t * kTile + read, float4{v.x + 1, v.y + 1, v.z + 1, v.w + 1});
    }
    cluster_arrive();  // who is read from must not end
    cluster_wait();
#endif
}

template <void (*kKernel)(Arguments), unsigned kCluster = 1, int kDynamicBytes = 0>
Status run(const float* A, float* C, unsigned* flags, const Execution& execution) {
    const Bounds a(A, 1, kWordsElements, 0, "A");
    const Bounds c(C, 1, kWordsElements, 0, "C");
    const Bounds f(flags, 1, kWordsFlags, 0, "flags");
    return launch_clusters(kCluster, kKernel, kBlocks, kThreads, kDynamicBytes, execution,
                           Arguments{global_ptr(A, a), global_ptr(C, c), global_ptr(flags, f)});
}

template <Swizzle kSwizzle, int kBoxCols>
Status run_boxes(const float* A, float* C, unsigned* flags, const Execution& execution) {
    const Bounds a(A, 1, kWordsElements, 0, "A");
    const Bounds c(C, 1, kWordsElements, 0, "C");
    const Bounds f(flags, 1, kWordsFlags, 0, "flags");
    const Arguments arguments{global_ptr(A, a), global_ptr(C, c), global_ptr(flags, f)};
    TensorMap map{};
    const Status status =
        make_tensor_map(map, arguments.A, kRows, kCols, kLd, kBoxRows, kBoxCols, kSwizzle);
    if (!status.ok()) return status;
    return launch_kernel(tensor_boxes<kSwizzle, kBoxCols>, kBlocks, kThreads,
                         kBoxRows * kBoxCols * static_cast<int>(sizeof(float)), execution,
                         arguments, map);
}

constexpr WordsKernel kKernels[] = {
    {"copy_groups", 80, run<copy_groups>},
    {"copy_zeros", 80, run<copy_zeros>},
    {"bulk_stages", 90, run<bulk_stages>},
    {"tensor_boxes", 90, run_boxes<Swizzle::none, 32>},
    {"tensor_boxes_bytes64", 90, run_boxes<Swizzle::bytes64, 16>},
    {"tensor_boxes_bytes128", 90, run_boxes<Swizzle::bytes128, 32>},
    {"copy_arrivals", 80, run<copy_arrivals>},
    {"warp_exchange", 80, run<warp_exchange>},
    {"warp_shuffle", 80, run<warp_shuffle>},
    {"last_block", 80, run<last_block>},
    {"chain", 80, run<chain>},
    {"fences", 80, run<fences>},
    {"load_matrices", 80, run<load_matrices>},
    {"cluster_exchange_2", 90, run<cluster_exchange<2>, 2, 1024 + 4 * kTile>},
    {"cluster_exchange_4", 90, run<cluster_exchange<4>, 4, 1024 + 4 * kTile>},
};

}  // namespace

std::span<const WordsKernel> words_kernels() {
    return kKernels;
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
