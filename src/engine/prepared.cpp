// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/prepared.h"

#include <string>

namespace tilewright::engine {

PreparedOperand described(const Problem& p, bool is_b) {
    if (is_b) return {p.arithmetic, true, p.transpose_b, p.B, p.n, p.k, p.ldb, nullptr};
    return {p.arithmetic, false, p.transpose_a, p.A, p.m, p.k, p.lda, nullptr};
}

Status check(const PreparedOperand& operand, const char* name, const Problem& problem, bool is_b) {
    const PreparedOperand given = described(problem, is_b);
    const auto differs = [&](const std::string& how) -> Status {
        return {StatusCode::invalid_value, std::string(name) + " was prepared " + how};
    };
    if (operand.arithmetic != given.arithmetic)
        return differs(std::string("in compute mode ") + name_of(operand.arithmetic) +
                       ", and the handle's is " + name_of(given.arithmetic));
    if (operand.is_b != given.is_b) return differs("for the other side of the product, or layout");
    if (operand.data != given.data) return differs("of another matrix than the call's");
    if (operand.transposed != given.transposed || operand.ld != given.ld)
        return differs("with another operation or leading dimension");
    if (operand.size != given.size || operand.k != given.k)
        return differs("with " + std::to_string(operand.size) + " rows or columns and k = " +
                       std::to_string(operand.k) + "; the product has " +
                       std::to_string(given.size) + " and " + std::to_string(given.k));
    return {};
}

}  // namespace tilewright::engine
