// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/counting.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "lab/hard_cases.h"
#include "lab/lesson.h"
#include "lab/results.h"
#include "lab/sizes.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

/// Multiply-adds, and elements of C, up to which every block is run: a few seconds on one core.
constexpr double kMostWhole = 1 << 26;

bool is_large(const Case& test, const TileConfig& tile) {
    return padded_work(test, tile) > kMostWhole || static_cast<double>(test.m) *
                                                           static_cast<double>(test.n) *
                                                           static_cast<double>(test.batch) >
                                                       kMostWhole;
}

/// Pages of zeros that exist once they are written; those that are only read are one and the same.
class ZeroMatrix {
  public:
    ZeroMatrix(const MatrixLayout& layout, const Case& test) : offset_(layout.offset) {
        const auto fail = [&](const std::string& reason) {
            return UsageError(
                fmt::format("shape {}: {}", text_of(Shape{test.m, test.n, test.k}), reason));
        };
        size_t elements = 0;
        if (!memory_need(test) ||
            __builtin_add_overflow(static_cast<size_t>(layout.span()), offset_ + 1, &elements) ||
            __builtin_mul_overflow(elements, sizeof(float), &bytes_))
            throw fail("needs more bytes than 64 bits count");
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory_ == MAP_FAILED)
            throw fail(fmt::format("no room for a matrix of {}: {}", text_of_bytes(bytes_),
                                   std::strerror(errno)));
    }
    ~ZeroMatrix() { munmap(memory_, bytes_); }
    ZeroMatrix(const ZeroMatrix&) = delete;
    ZeroMatrix& operator=(const ZeroMatrix&) = delete;

    float* first() const { return static_cast<float*>(memory_) + offset_; }

  private:
    int64_t offset_;
    size_t bytes_ = 0;
    void* memory_ = nullptr;
};

}  // namespace

Count count(Device& device, const Candidate& candidate, const Case& test) {
    Count result{.rung = candidate.rung,
                 .variant = candidate.variant,
                 .label = row_for(candidate, test).label,
                 .test = test};
    const MatrixLayout a = test.layout(Operand::A), b = test.layout(Operand::B),
                       c = test.layout(Operand::C);
    const ZeroMatrix A(a, test), B(b, test), C(c, test);
    const float scalars[] = {test.alpha, test.beta};
    const Problem problem =
        problem_of(test, A.first(), B.first(), C.first(), test.device_scalars ? scalars : nullptr);
    static_cast<void>(device.take_counters());
    device.sample_blocks(is_large(test, candidate.variant->config));
    const Status status = device.run(*candidate.variant, problem, test.parts);
    result.counters = device.take_counters();
    if (!status.ok()) {
        result.failure = status.reason;
        return result;
    }
    result.totals = totals_of(result.counters, test);
    return result;
}

std::string file_of(const KernelDefinition& rung, uint32_t header) {
    if (header) return std::string(shared_header(header).path);
    const std::string path = rung.file;
    const size_t folder = path.rfind("src/");
    return folder == path.npos ? path.substr(path.rfind('/') + 1) : path.substr(folder);
}

}  // namespace tilewright::lab
