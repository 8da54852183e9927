// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/measured_row.h"

#include <fmt/format.h>

#include <vector>

#include "lab/report/kernels.h"
#include "lab/text.h"

namespace tilewright::lab::report {

namespace {

/// Rows of A and B that lie further apart than they are long. A file need not tell.
bool is_padded(const MeasuredRow& row) {
    const std::array<int64_t, 3> tight{row.transpose_a ? row.m : row.k,
                                       row.transpose_b ? row.k : row.n, row.n};
    for (size_t i = 0; i < tight.size(); ++i)
        if (row.ld[i] != 0 && row.ld[i] != tight[i]) return true;
    return false;
}

}  // namespace

double flop_of(const MeasuredRow& row) {
    return 2.0 * static_cast<double>(row.m) * static_cast<double>(row.n) *
           static_cast<double>(row.k) * static_cast<double>(row.batch);
}

std::string shape_label(const MeasuredRow& row) {
    std::string text = row.m == row.n && row.n == row.k
                           ? std::to_string(row.m)
                           : fmt::format("{}x{}x{}", row.m, row.n, row.k);
    if (row.transpose_a || row.transpose_b)
        text += fmt::format(" {}{}", row.transpose_a ? 'T' : 'N', row.transpose_b ? 'T' : 'N');
    if (row.batch != 1) text += fmt::format(" x{}", row.batch);
    if (row.parts != 1) text += fmt::format(" parts={}", row.parts);
    return text;
}

std::string contender_of(const MeasuredRow& row) {
    std::string id = row.rung;
    if (row.arithmetic != arithmetic_of(row.rung)) id += ' ' + row.arithmetic;
    if (row.sustained) id += " sustained";
    return id;
}

std::string kernel_label(const MeasuredRow& row) {
    const KernelDefinition* kernel = kernel_with_id(row.rung);
    const bool is_default =
        row.variant == "default" || (kernel && row.variant == kernel->variants.front().name);
    const std::string contender = contender_of(row);
    return is_default ? contender : fmt::format("{}/{}", contender, row.variant);
}

std::string conditions_of(const MeasuredRow& row) {
    std::vector<std::string> all;
    if (row.sustained) all.emplace_back("sustained");
    if (row.memory == "hot") all.emplace_back("hot");
    if (row.alpha != 1) all.push_back(fmt::format("alpha={}", row.alpha));
    if (row.beta != 0) all.push_back(fmt::format("beta={}", row.beta));
    if (row.device_scalars) all.emplace_back("scalars on the device");
    if (!row.dist.empty() && row.dist != "uniform") all.push_back(row.dist + " data");
    if (is_padded(row)) all.emplace_back("padded rows");
    return join(all, ", ");
}

std::string case_key(const MeasuredRow& row) {
    return fmt::format("{} alpha={} beta={} {} ld={},{},{} {} {} {} {}", shape_label(row),
                       row.alpha, row.beta, row.device_scalars, row.ld[0], row.ld[1], row.ld[2],
                       row.dist, row.memory, row.launch, row.sustained);
}

}  // namespace tilewright::lab::report
