// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/sass.h"

#include <array>
#include <deque>
#include <set>
#include <utility>

namespace tilewright::tools {

namespace {

// The low 9 bits of an opcode name the operation; the 3 above say where its operands lie.
enum Operation : uint64_t {
    kFmul = 0x020,
    kFadd = 0x021,
    kFfma = 0x023,
    kHmma = 0x03c,
    kNop = 0x118,
    kBar = 0x11d,
    kCall = 0x144,
    kBranch = 0x147,
    kIndirectBranch = 0x149,
    kExit = 0x14d,
    kReturn = 0x150,
    kLds = 0x184,
    kHgmma = 0x1f0,
};

uint64_t operation_of(const Instruction& instruction) {
    return instruction.bits(0, 9);
}

/// Memory operations whose width tells how well they are used.
const std::map<uint64_t, const char*> kAccesses = {
    {0x180, "LD"},  {0x181, "LDG"}, {0x183, "LDL"}, {kLds, "LDS"},    {0x185, "ST"},
    {0x186, "STG"}, {0x187, "STL"}, {0x188, "STS"}, {0x1ae, "LDGSTS"}};
const std::map<uint64_t, const char*> kOthers = {
    {kFmul, "FMUL"},
    {kFadd, "FADD"},
    {kFfma, "FFMA"},
    {kHmma, "HMMA"},
    {kHgmma, "HGMMA"},
    {kBar, "BAR"},
    {0x11a, "DEPBAR"},
    {0x1af, "LDGDEPBAR"},
    // On floats, on others, compare-and-swap; generic, then shared addresses.
    {0x1a3, "ATOM"},
    {0x1a8, "ATOM"},
    {0x1a9, "ATOM"},
    {0x18a, "ATOM"},
    {0x18b, "ATOM"},
    {0x18c, "ATOM"},
    {0x18d, "ATOM"},
    {0x18e, "RED"},
    {0x1a6, "RED"}};
constexpr const char* kWidths[] = {".8", ".8", ".16", ".16", ".32", ".64", ".128", ""};

/// ptxas puts such loads before asynchronous copies of sm_90: they wait and load nothing.
bool loads_nothing(const Instruction& instruction) {
    constexpr uint64_t kRz = 255;
    return operation_of(instruction) == kLds && instruction.bits(16, 8) == kRz;
}

bool reuses(const Instruction& instruction) {
    return instruction.bits(122, 3) != 0;
}

/// The operands that the last instruction kept for this one, each for its own place.
class ReuseCache {
  public:
    /// Whether the FFMA reads two registers of one bank, even or odd, which takes a clock more.
    bool conflicts(const Instruction& ffma) {
        constexpr uint64_t kRz = 255, kThreeRegisters = 1;
        constexpr int kPlaces[] = {24, 32, 64};
        std::set<uint64_t> reads[2];
        for (int i = 0; i < 3; ++i) {
            const uint64_t number = ffma.bits(kPlaces[i], 8);
            const bool is_register = i != 1 || ffma.bits(9, 3) == kThreeRegisters;
            if (is_register && number != kRz && kept_[i] != number)
                reads[number % 2].insert(number);
            kept_[i] = is_register && ffma.bits(122 + i, 1) ? std::optional(number) : std::nullopt;
        }
        return reads[0].size() > 1 || reads[1].size() > 1;
    }
    void forget() { kept_ = {}; }

  private:
    std::array<std::optional<uint64_t>, 3> kept_;
};

/// No thread goes on behind it: neither a predicate nor a mode such as BRA.DIV holds one back.
bool is_unconditional(const Instruction& instruction) {
    constexpr uint64_t kTrue = 7;
    if (instruction.bits(12, 4) != kTrue) return false;
    switch (operation_of(instruction)) {
        case kBranch:
            return instruction.bits(87, 4) == kTrue && instruction.bits(32, 2) == 0;
        case kExit:
            return instruction.bits(87, 4) == kTrue;
        case kReturn:
        case kIndirectBranch:
            return true;
        default:
            return false;
    }
}

/// What may run after what. A call goes on behind itself, and so stands for its return; where
/// BSYNC leads is where ptxas puts the next instruction.
struct Flow {
    std::vector<std::vector<size_t>> next, before;
    std::set<size_t> targets;

    Flow(std::span<const Instruction> code, int architecture)
        : next(code.size()), before(code.size()) {
        const auto connect = [&](size_t from, size_t to) {
            next[from].push_back(to);
            before[to].push_back(from);
        };
        for (size_t i = 0; i < code.size(); ++i) {
            if (!is_unconditional(code[i]) && i + 1 < code.size()) connect(i, i + 1);
            const auto target = target_of(code[i], i, architecture);
            if (!target || *target >= code.size()) continue;
            connect(i, *target);
            targets.insert(*target);
        }
    }
};

/// What is reached from `starts`, those included, on ways that do not pass `avoided`.
std::vector<bool> reached(const std::vector<std::vector<size_t>>& edges, std::vector<size_t> starts,
                          size_t avoided) {
    std::vector<bool> seen(edges.size());
    while (!starts.empty()) {
        const size_t at = starts.back();
        starts.pop_back();
        if (at == avoided || seen[at]) continue;
        seen[at] = true;
        starts.insert(starts.end(), edges[at].begin(), edges[at].end());
    }
    return seen;
}

std::vector<Loop> loops_of(const Flow& flow) {
    const size_t size = flow.next.size();
    const std::vector<bool> live = reached(flow.next, {0}, size);
    std::vector<Loop> loops;
    for (const size_t head : flow.targets) {
        // Ways back to the head from what only the head leads to.
        const std::vector<bool> without_head = reached(flow.next, {0}, head);
        std::vector<size_t> latches;
        for (const size_t from : flow.before[head])
            if (live[from] && !without_head[from]) latches.push_back(from);
        if (latches.empty()) continue;
        std::vector<bool> body = reached(flow.before, latches, head);
        for (size_t i = 0; i < size; ++i) body[i] = body[i] && live[i];
        body[head] = true;
        loops.push_back({head, std::move(body)});
    }
    return loops;
}

/// How many of `counted` lie on the way from a loop's head back to it that passes fewest of them.
int shortest_way(const Flow& flow, const Loop& loop, const std::vector<bool>& counted) {
    std::vector<bool> seen(flow.next.size());
    std::deque<std::pair<size_t, int>> ways{{loop.head, 1}};  // the shortest in front
    while (!ways.empty()) {
        const auto [at, length] = ways.front();
        ways.pop_front();
        if (seen[at]) continue;
        seen[at] = true;
        for (const size_t next : flow.next[at]) {
            if (next == loop.head) return length;
            if (!loop.body[next]) continue;
            if (counted[next]) {
                ways.emplace_back(next, length + 1);
            } else {
                ways.emplace_front(next, length);
            }
        }
    }
    return 0;
}

/// Behind a kernel's end stands a branch to itself, then NOPs.
std::span<const Instruction> without_padding(std::span<const Instruction> code, int architecture) {
    while (!code.empty() && operation_of(code.back()) == kNop) code = code.first(code.size() - 1);
    const size_t last = code.size() - 1;
    if (!code.empty() && target_of(code.back(), last, architecture) == last)
        code = code.first(last);
    return code;
}

/// Instructions that multiply what a kernel is there to multiply.
int multiplications(const Sass::Counts& counts) {
    int sum = 0;
    for (const char* name : {"FFMA", "HMMA", "HGMMA"})
        if (const auto found = counts.of.find(name); found != counts.of.end()) sum += found->second;
    return sum;
}

void count(Sass::Counts& counts, const Instruction& instruction, ReuseCache& cache) {
    ++counts.instructions;
    counts.stalls += static_cast<int>(instruction.bits(105, 4));
    const std::string name = counted_as(instruction);
    if (!name.empty()) ++counts.of[name];
    if (operation_of(instruction) != kFfma) return cache.forget();
    if (reuses(instruction)) ++counts.reusing_ffmas;
    if (cache.conflicts(instruction)) ++counts.conflicting_ffmas;
}

}  // namespace

std::string counted_as(const Instruction& instruction) {
    if (loads_nothing(instruction)) return "";
    const uint64_t operation = operation_of(instruction);
    if (const auto found = kOthers.find(operation); found != kOthers.end()) return found->second;
    const auto found = kAccesses.find(operation);
    return found == kAccesses.end() ? ""
                                    : found->second + std::string(kWidths[instruction.bits(73, 3)]);
}

std::optional<size_t> target_of(const Instruction& instruction, size_t index, int architecture) {
    const uint64_t operation = operation_of(instruction);
    if (operation != kBranch && operation != kCall) return {};
    // A signed number of words from the next instruction on: 48 bits across the halves, and since
    // sm_90 8 more below them.
    const uint64_t field = instruction.bits(34, 30) | instruction.bits(64, 18) << 30;
    int64_t words = static_cast<int64_t>(field << 16) >> 16;
    if (architecture >= 90) words = words * 256 + static_cast<int64_t>(instruction.bits(16, 8));
    return index + 1 + static_cast<size_t>(words / 4);
}

std::vector<Loop> loops_in(std::span<const Instruction> code, int architecture) {
    return loops_of(Flow(code, architecture));
}

Sass sass_of(std::span<const Instruction> all, int architecture) {
    const auto code = without_padding(all, architecture);
    const Flow flow(code, architecture);
    Sass sass;
    ReuseCache cache;
    for (const Instruction& each : code) count(sass.total, each, cache);
    const std::vector<Loop> loops = loops_of(flow);
    for (const Loop& loop : loops) {
        std::vector<bool> own = loop.body;
        for (const Loop& inner : loops)
            if (inner.head != loop.head && loop.body[inner.head])
                for (size_t i = 0; i < code.size(); ++i) own[i] = own[i] && !inner.body[i];
        Sass::Counts counts{.shortest = shortest_way(flow, loop, own)};
        cache.forget();
        for (size_t i = 0; i < code.size(); ++i)
            if (own[i]) count(counts, code[i], cache);
        const int most = sass.main_loop ? multiplications(*sass.main_loop) : 0;
        // As many in several: one for edges, and the shorter one for what is inside.
        if (multiplications(counts) > most ||
            (most && multiplications(counts) == most && counts.shortest < sass.main_loop->shortest))
            sass.main_loop = counts;
    }
    return sass;
}

}  // namespace tilewright::tools
