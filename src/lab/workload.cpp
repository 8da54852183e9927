// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/workload.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lab {

namespace {

constexpr int64_t kAlignment = 256 / sizeof(float);
constexpr size_t kMostSets = 1024;

/// Elements from one set's matrix to the next.
int64_t stride_of(const GuardedMatrix& matrix) {
    const int64_t elements = matrix.layout().offset + matrix.layout().span();
    return (elements + kAlignment - 1) / kAlignment * kAlignment;
}

struct Plan {
    int sets;
    bool cold;
};

Plan plan(const Device& device, const PreparedCase& prepared, bool rotate) {
    size_t bytes = 0, padded = 0;
    for (Operand operand : {Operand::A, Operand::B, Operand::C}) {
        bytes += prepared.matrix(operand).layout().span() * sizeof(float);
        padded += stride_of(prepared.matrix(operand)) * sizeof(float);
    }
    const size_t l2 = device.info().l2_bytes;
    if (!rotate || bytes == 0 || l2 == 0) return {1, false};
    const size_t wanted = (2 * l2 + bytes - 1) / bytes;
    const size_t fitting = device.free_memory() / 2 / padded;
    const size_t sets = std::max<size_t>(1, std::min({wanted, fitting, kMostSets}));
    return {static_cast<int>(sets), sets >= wanted};
}

}  // namespace

Workload::Workload(Device& device, const PreparedCase& prepared, bool rotate)
    : device_(device),
      prepared_(prepared),
      sets_(plan(device, prepared, rotate).sets),
      cold_(plan(device, prepared, rotate).cold),
      restores_(std::abs(prepared.test().beta) >= 1),
      a_(upload(Operand::A, sets_)),
      b_(upload(Operand::B, sets_)),
      c_(upload(Operand::C, sets_)),
      fresh_c_(upload(Operand::C, 1)),
      scalars_(device, 2 * sizeof(float)) {
    const float values[] = {prepared.test().alpha, prepared.test().beta};
    device_.upload(scalars_.floats(), values, sizeof values);
}

size_t Workload::bytes_of(Operand operand) const {
    return prepared_.matrix(operand).layout().span() * sizeof(float);
}

Workload::Matrices Workload::upload(Operand operand, int sets) {
    const GuardedMatrix& matrix = prepared_.matrix(operand);
    const int64_t stride = stride_of(matrix);
    Matrices all{DeviceBuffer(device_, sets * stride * sizeof(float)), stride,
                 matrix.layout().offset};
    device_.upload(all.first(0), matrix.first(), bytes_of(operand));
    for (int set = 1; set < sets; ++set)
        device_.copy(all.first(set), all.first(0), bytes_of(operand));
    device_.synchronise();
    return all;
}

Problem Workload::problem(int set) const {
    const Case& test = prepared_.test();
    return problem_of(test, a_.first(set), b_.first(set), c_.first(set),
                      test.device_scalars ? scalars_.floats() : nullptr);
}

void Workload::restore(int first, int calls) {
    for (int i = 0; i < calls; ++i)
        device_.copy(c_.first((first + i) % sets_), fresh_c_.first(0), bytes_of(Operand::C));
}

bool Workload::is_right(int set, const reference::Tolerance& tolerance) {
    const MatrixLayout layout = prepared_.test().layout(Operand::C);
    const reference::Rows& expected = prepared_.expected();
    // Rows that follow one another come in one piece: many short downloads take long.
    constexpr size_t kMostElements = 1 << 22;
    const auto cols = static_cast<size_t>(layout.cols), ld = static_cast<size_t>(layout.ld);
    std::vector<float> piece;
    for (size_t first = 0; first < expected.index.size();) {
        const int64_t begin = layout.begin_of(expected.index[first]);
        size_t rows = 1;
        const auto follows = [&](size_t i) {
            return i < expected.index.size() && (rows + 1) * ld <= kMostElements &&
                   layout.begin_of(expected.index[i]) == begin + static_cast<int64_t>(rows * ld);
        };
        while (follows(first + rows)) ++rows;
        piece.resize((rows - 1) * ld + cols);
        device_.download(piece.data(), c_.first(set) + begin, piece.size() * sizeof(float));
        for (size_t row = 0; row < rows; ++row)
            for (size_t col = 0; col < cols; ++col) {
                const size_t at = (first + row) * cols + col;
                if (!reference::accepts(piece[row * ld + col], expected.want[at],
                                        expected.magnitude[at], tolerance))
                    return false;
            }
        first += rows;
    }
    return true;
}

}  // namespace tilewright::lab
