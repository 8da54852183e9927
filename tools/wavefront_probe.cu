// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Asks a GPU how many clocks shared-memory accesses of many address patterns take: the experiment
// behind simt::wavefronts().
//   wavefront_probe > patterns.csv
// One line a pattern: width in bits, load or store, active lanes, clocks for each warp request, and
// each lane's word. Under ncu each launch is one line, in the same order.
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kWarps = 8, kRounds = 64, kUnroll = 16;
constexpr unsigned kWords = 8192;

struct Pattern {
    std::string name;
    int width;  ///< Words that a lane asks for: 1, 2 or 4.
    bool store;
    uint32_t active;
    std::array<unsigned, 32> words;
};

template <int kWidth, bool kStore>
__device__ void access(unsigned address) {
    float x, y, z, w;
    x = y = z = w = 1.0f;
    if constexpr (kStore) {
        if constexpr (kWidth == 1)
            asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(address), "f"(x) : "memory");
        if constexpr (kWidth == 2)
            asm volatile("st.volatile.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(x), "f"(y)
                         : "memory");
        if constexpr (kWidth == 4)
            asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(x),
                         "f"(y), "f"(z), "f"(w)
                         : "memory");
    } else {
        if constexpr (kWidth == 1)
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(address) : "memory");
        if constexpr (kWidth == 2)
            asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];"
                         : "=f"(x), "=f"(y)
                         : "r"(address)
                         : "memory");
        if constexpr (kWidth == 4)
            asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                         : "r"(address)
                         : "memory");
    }
}

template <int kWidth, bool kStore>
__global__ void probe(const unsigned* words, uint32_t active, long long* clocks) {
    __shared__ __align__(128) float memory[kWords];
    const unsigned lane = threadIdx.x % 32;
    const unsigned address =
        static_cast<unsigned>(__cvta_generic_to_shared(memory)) + 4 * words[lane];
    const bool takes_part = active >> lane & 1;
    long long start = 0;
    for (int pass = 0; pass < 2; ++pass) {  // the first brings the code into the cache
        __syncthreads();
        start = clock64();
        if (takes_part)
            for (int i = 0; i < kRounds; ++i)
#pragma unroll
                for (int j = 0; j < kUnroll; ++j) access<kWidth, kStore>(address);
        __syncthreads();
    }
    if (threadIdx.x == 0) *clocks = clock64() - start;
}

using Place = std::function<unsigned(unsigned)>;

std::vector<Pattern> patterns() {
    std::vector<Pattern> all;
    const auto add = [&](const std::string& name, int width, const Place& place,
                         uint32_t active = ~0u) {
        for (const bool store : {false, true}) {
            Pattern p{name, width, store, active, {}};
            for (unsigned l = 0; l < 32; ++l) p.words[l] = place(l) * width % kWords;
            all.push_back(p);
        }
    };
    std::mt19937 random(1);
    for (const int width : {1, 2, 4}) {
        for (const unsigned stride : {0, 1, 2, 3, 4, 8, 16, 32})
            add("stride " + std::to_string(stride), width, [=](unsigned l) { return l * stride; });
        for (const unsigned bit : {1, 2, 4, 8, 16}) {
            add("pairs n^" + std::to_string(bit), width, [=](unsigned l) { return l & ~bit; });
            add("only bit " + std::to_string(bit), width,
                [=](unsigned l) { return l & bit ? 1u : 0u; });
        }
        for (const unsigned same : {4, 8, 16})
            add(std::to_string(same) + " lanes alike", width, [=](unsigned l) { return l / same; });
        for (const unsigned period : {2, 4, 8, 16})
            add("period " + std::to_string(period), width, [=](unsigned l) { return l % period; });
        add("8x4 of rows 16 apart", width, [](unsigned l) { return l / 4 * 8 * 16; });
        add("8x4 of rows 17 apart", width, [](unsigned l) { return l / 4 * 8 * 17; });
        for (const uint32_t active : {0x1u, 0xffu, 0xff00u, 0xffffu, 0x55555555u, 0x0f0f0f0fu})
            add(
                "neighbours", width, [](unsigned l) { return l; }, active);
        // Where lanes share in pairs, and where only some of them do.
        for (int i = 0; i < 24; ++i) {
            std::array<unsigned, 32> drawn;
            for (unsigned& place : drawn) place = random() % 64;
            const unsigned bit = i % 2 ? 2 : 1;
            const uint32_t active = i % 3 == 2 ? static_cast<uint32_t>(random()) | 1u : ~0u;
            add(
                "random pairs " + std::to_string(i), width,
                [=](unsigned l) { return drawn[l & ~bit]; }, active);
            add("random half of pairs " + std::to_string(i), width,
                [=](unsigned l) { return drawn[(l < 16) == (i % 4 < 2) ? l & ~bit : l]; });
            add("random mixed pairs " + std::to_string(i), width,
                [=](unsigned l) { return drawn[l & ~(l < 16 ? 1u : 2u)]; });
            add("random one pair parted " + std::to_string(i), width,
                [=](unsigned l) { return l == 5 ? 63u : drawn[l & ~bit] % 32; });
        }
        for (int i = 0; i < 40; ++i) {
            // Few places, so that lanes meet both in words and in banks.
            const unsigned places = 2u << random() % 6, spread = 1u << random() % 4;
            std::array<unsigned, 32> drawn;
            for (unsigned& place : drawn) place = random() % places * spread;
            add(
                "random " + std::to_string(i), width, [=](unsigned l) { return drawn[l]; },
                i % 4 == 3 ? static_cast<uint32_t>(random()) | 1u : ~0u);
        }
    }
    return all;
}

template <int kWidth>
void launch(const Pattern& p, const unsigned* words, long long* clocks) {
    if (p.store)
        probe<kWidth, true><<<1, 32 * kWarps>>>(words, p.active, clocks);
    else
        probe<kWidth, false><<<1, 32 * kWarps>>>(words, p.active, clocks);
}

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "wavefront_probe: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

}  // namespace

int main() {
    unsigned* words;
    long long* clocks;
    check(cudaMalloc(&words, 32 * sizeof(unsigned)));
    check(cudaMalloc(&clocks, sizeof(long long)));
    std::printf("pattern,width_bits,operation,active,clocks,words\n");
    for (const Pattern& p : patterns()) {
        check(cudaMemcpy(words, p.words.data(), 32 * sizeof(unsigned), cudaMemcpyHostToDevice));
        if (p.width == 1) launch<1>(p, words, clocks);
        if (p.width == 2) launch<2>(p, words, clocks);
        if (p.width == 4) launch<4>(p, words, clocks);
        check(cudaGetLastError());
        long long taken;
        check(cudaMemcpy(&taken, clocks, sizeof taken, cudaMemcpyDeviceToHost));
        std::printf("%s,%d,%s,%08x,%.3f,", p.name.c_str(), 32 * p.width, p.store ? "store" : "load",
                    p.active, static_cast<double>(taken) / (kRounds * kUnroll * kWarps));
        for (int l = 0; l < 32; ++l) std::printf("%s%u", l ? " " : "", p.words[l]);
        std::printf("\n");
    }
    return 0;
}
