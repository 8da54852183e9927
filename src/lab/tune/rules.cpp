// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/rules.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <string_view>

namespace tilewright::lab {

namespace {

/// None: not known. A division by zero is no constant, so that a static_assert with it fails.
struct Value {
    std::optional<int64_t> number = {};
    bool invalid = false;
};

bool is_true(const Value& value) {
    return value.number && *value.number != 0;
}
bool is_zero(const Value& value) {
    return value.number && *value.number == 0;
}

/// By recursive descent, from the operators that bind least.
class Expression {
  public:
    explicit Expression(std::string_view text) : rest_(text) {}

    Value value() {
        const Value result = either();
        skip();
        return rest_.empty() ? result : Value{};
    }

  private:
    void skip() {
        while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())))
            rest_.remove_prefix(1);
    }
    bool take(std::string_view token) {
        skip();
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    /// What is on the right is not looked at where the left decides; where the left is no constant,
    /// the whole is none.
    Value either() {
        Value left = both();
        while (take("||")) {
            const Value right = both();
            if (left.invalid || is_true(left)) continue;
            if (left.number)
                left = right.number ? Value{*right.number != 0} : right;
            else
                left = is_true(right) ? Value{1} : Value{};
        }
        return left;
    }
    Value both() {
        Value left = equal();
        while (take("&&")) {
            const Value right = equal();
            if (left.invalid || is_zero(left)) continue;
            if (left.number)
                left = right.number ? Value{*right.number != 0} : right;
            else
                left = right.invalid || is_zero(right) ? Value{0} : Value{};
        }
        return left;
    }
    Value equal() {
        Value left = ordered();
        while (true) {
            if (take("=="))
                left = apply("==", left, ordered());
            else if (take("!="))
                left = apply("!=", left, ordered());
            else
                return left;
        }
    }
    Value ordered() {
        Value left = sum();
        for (const char* sign : {"<=", ">=", "<", ">"})
            if (take(sign)) return apply(sign, left, sum());
        return left;
    }
    Value sum() {
        Value left = product();
        while (true) {
            if (take("+"))
                left = apply("+", left, product());
            else if (take("-"))
                left = apply("-", left, product());
            else
                return left;
        }
    }
    Value product() {
        Value left = unary();
        while (true) {
            if (take("*"))
                left = apply("*", left, unary());
            else if (take("/"))
                left = apply("/", left, unary());
            else if (take("%"))
                left = apply("%", left, unary());
            else
                return left;
        }
    }
    Value unary() {
        if (take("-")) return apply("-", {0}, unary());
        if (take("!")) return apply("==", unary(), {0});
        return primary();
    }
    Value primary() {
        if (take("(")) {
            const Value inner = either();
            return take(")") ? inner : unknown();
        }
        skip();
        size_t digits = 0;
        while (digits < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[digits])))
            ++digits;
        if (digits == 0 || digits > 15) return unknown();
        const int64_t number = std::stoll(std::string(rest_.substr(0, digits)));
        rest_.remove_prefix(digits);
        return {number};
    }
    /// Nor is what follows.
    Value unknown() {
        rest_ = {};
        return {};
    }
    static Value apply(std::string_view sign, const Value& a, const Value& b) {
        if (a.invalid || b.invalid) return {{}, true};
        if (!a.number || !b.number) return {};
        const int64_t x = *a.number, y = *b.number;
        if ((sign == "/" || sign == "%") && y == 0) return {{}, true};
        return {sign == "=="   ? x == y
                : sign == "!=" ? x != y
                : sign == "<=" ? x <= y
                : sign == ">=" ? x >= y
                : sign == "<"  ? x < y
                : sign == ">"  ? x > y
                : sign == "+"  ? x + y
                : sign == "-"  ? x - y
                : sign == "*"  ? x * y
                : sign == "/"  ? x / y
                               : x % y};
    }

    std::string_view rest_;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": of all since 8.0.
constexpr int kMostThreads = 1024, kMostRegisters = 255, kAllRegisters = 65536;
constexpr int kMostStaticBytes = 48 * 1024;

}  // namespace

std::optional<bool> holds(const std::string& condition, const TileConfig& config) {
    const Value value = Expression(with_values(condition, config)).value();
    if (value.invalid) return false;
    if (!value.number) return std::nullopt;
    return *value.number != 0;
}

std::string broken_rule(std::span<const Rule> rules, const TileConfig& config) {
    for (const Rule& rule : rules)
        if (holds(rule.condition, config) == false)
            return fmt::format("{}: {}", rule.sentence, with_values(rule.condition, config));
    return "";
}

std::string unknown_rule(std::span<const Rule> rules, const TileConfig& config) {
    for (const Rule& rule : rules)
        if (!holds(rule.condition, config))
            return fmt::format("whether it adds up is not known before it runs: {}", rule.sentence);
    return "";
}

std::string broken_limit(const TileConfig& c) {
    if (c.threads % 32 != 0 || c.threads < 32 || c.threads > kMostThreads)
        return fmt::format("a block has 1 to 32 whole warps: {} threads", c.threads);
    const int bytes = 4 * c.stages * c.block.k * (c.block.m + c.pad_a + c.block.n + c.pad_b);
    if (bytes > kMostStaticBytes)
        return fmt::format("arrays of static size have 48 KiB of shared memory: {} > {}", bytes,
                           kMostStaticBytes);
    const int results = c.warp.m > 0 ? c.warp.m * c.warp.n / 32 : c.thread.m * c.thread.n;
    const int registers = results + c.thread.m + c.thread.n;
    if (registers > kMostRegisters)
        return fmt::format("a thread has 255 registers: {} results and fragments", registers);
    const int blocks = std::max(1, c.min_blocks);
    if (registers * c.threads * blocks > kAllRegisters)
        return fmt::format(
            "an SM has 65536 registers: {} x {} threads with {} results and fragments", blocks,
            c.threads, registers);
    return "";
}

}  // namespace tilewright::lab
