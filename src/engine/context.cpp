// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/context.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tilewright::engine {

namespace {

constexpr int64_t kCounterBytes = int64_t{kCounters} * sizeof(unsigned);

void write_to_stderr(const char* line, void*) {
    std::fprintf(stderr, "%s\n", line);
}

/// The environment's wish, looked up once.
bool log_is_wanted() {
    static const bool wanted = [] {
        const char* value = std::getenv("TILEWRIGHT_LOG");
        return value && *value && std::strcmp(value, "0") != 0;
    }();
    return wanted;
}

}  // namespace

ProblemKey::ProblemKey(const Problem& p, int64_t workspace_bytes)
    : m(p.m),
      n(p.n),
      k(p.k),
      lda(p.lda),
      ldb(p.ldb),
      ldc(p.ldc),
      batch(p.batch),
      stride_a(p.stride_a),
      stride_b(p.stride_b),
      stride_c(p.stride_c),
      workspace_bytes(workspace_bytes),
      flags(p.transpose_a | p.transpose_b << 1 | (p.device_alpha != nullptr) << 2 |
            (p.alpha == 0.0f) << 3 | (p.prepared_a != nullptr) << 4 |
            (p.prepared_b != nullptr) << 5) {
    int shift = 6;
    for (const float* data : {p.A, p.B, static_cast<const float*>(p.C)}) {
        flags |= static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) % 16) << shift;
        flags |= int64_t{data == nullptr} << (shift + 4);
        shift += 5;
    }
    flags |= static_cast<int64_t>(p.arithmetic) << shift;
}

size_t ProblemKey::hash() const {
    uint64_t h = 0;
    for (const int64_t value : {m, n, k, lda, ldb, batch, workspace_bytes, flags})
        h = (h ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    return h >> 40;
}

Workspaces::~Workspaces() {
    for (const Room& room : rooms_)
        if (room.counters) backend_.release(room.counters);
    for (const Room& room : rooms_)
        if (room.has_grown) backend_.release(room.memory);
    for (void* memory : outgrown_) backend_.release(memory);
}

bool Workspaces::make(Room& room) {
    void* memory = backend_.allocate(kCounterBytes + kWorkspaceBytes, kCounterBytes);
    if (!memory) return false;
    room = {static_cast<unsigned*>(memory), static_cast<std::byte*>(memory) + kCounterBytes,
            kWorkspaceBytes};
    return true;
}

Status Workspaces::open() {
    if (make(rooms_[0])) return {};
    return {StatusCode::allocation_failed,
            "no memory for a workspace of " + std::to_string(kWorkspaceBytes) + " bytes"};
}

int64_t Workspaces::bytes(void* stream, Arithmetic mode) const {
    const Room& room = rooms_[is_shared(stream)];
    if (!room.counters) return 0;
    return replaced_ ? users_bytes_ : std::min(room.bytes, own_workspace_bytes(mode));
}

void Workspaces::grow(void* stream, int64_t bytes) {
    Room& room = rooms_[is_shared(stream)];
    if (replaced_ || !room.counters || bytes <= room.bytes || backend_.is_capturing(stream)) return;
    // What the room was is given back in this stream, after the others' work there.
    if (is_shared(stream) && !backend_.wait(stream).ok()) return;
    void* memory = backend_.allocate_in(stream, static_cast<size_t>(bytes));
    if (!memory) return;
    if (room.has_grown && room.is_in_graphs)
        outgrown_.push_back(room.memory);
    else if (room.has_grown)
        backend_.release_in(stream, room.memory);
    room = {room.counters, memory, bytes, true, false};
}

void Workspaces::expect(void* stream) {
    if (is_shared(stream) && !rooms_[1].counters && !backend_.is_capturing(stream))
        make(rooms_[1]);  // without it, kernels that need none are taken
}

Status Workspaces::enter(void* stream, Execution& execution) {
    if (!bound_) bound_ = true, owner_ = stream;
    Room& room = rooms_[is_shared(stream)];
    execution.counters = room.counters;
    execution.workspace = replaced_ ? users_ : room.memory;
    if (!takes_turns(stream) && !room.has_grown) return {};
    const bool captures = backend_.is_capturing(stream);
    if (captures && !replaced_) room.is_in_graphs = true;
    return takes_turns(stream) && !captures ? backend_.wait(stream) : Status{};
}

Status Workspaces::leave(void* stream) {
    if (!takes_turns(stream) || backend_.is_capturing(stream)) return {};
    return backend_.remember(stream);
}

Status Context::set_stream(void* stream) {
    stream_ = stream;
    workspaces_.expect(stream);
    return {};
}

Status Context::set_workspace(void* memory, int64_t bytes) {
    if (memory == nullptr && bytes > 0)
        return {StatusCode::invalid_value,
                "workspace is a null pointer with " + std::to_string(bytes) + " bytes"};
    if (reinterpret_cast<uintptr_t>(memory) % 256 != 0)
        return {StatusCode::invalid_value, "workspace is not on 256 bytes"};
    workspaces_.set_replaced(memory != nullptr);
    workspaces_.replace(memory, bytes);
    return {};
}

Status Context::set_kernel(const char* name) {
    const std::string wanted = name ? name : "";
    const Problem any{.m = 1, .n = 1, .k = 1};
    if (!wanted.empty() && !named(wanted, any, backend_->traits(), kWorkspaceBytes))
        return {
            StatusCode::invalid_value,
            "no kernel '" + wanted + "'; they are named as in tile/64x64 or tile/64x64 parts=4"};
    kernel_ = wanted;
    return {};
}

int64_t Context::workspace_bytes(const Problem& problem) const {
    return choose(problem, backend_->traits(), INT64_MAX).workspace_bytes;
}

Status Context::choose_and_grow(Choice& choice, const Problem& problem, int64_t& workspace_bytes) {
    workspace_bytes = own_workspace_bytes(problem.arithmetic);
    if (problem.arithmetic != Arithmetic::fp32) {
        Status status = choose_into(choice, problem, workspace_bytes);
        if (!status.ok()) return status;
        workspaces_.grow(stream_, choice.workspace_bytes);
        if (choice.workspace_bytes <= workspaces_.bytes(stream_, problem.arithmetic)) return {};
    }
    workspace_bytes = workspaces_.bytes(stream_, problem.arithmetic);
    return choose_into(choice, problem, workspace_bytes);
}

Status Context::choose_into(Choice& choice, const Problem& problem, int64_t workspace_bytes) {
    if (!kernel_.empty()) {
        const auto wanted = named(kernel_, problem, backend_->traits(), workspace_bytes);
        if (wanted && !wanted->refusal) {
            choice = wanted->choice;
            return {};
        }
        return {StatusCode::not_supported,
                kernel_ + " cannot run this problem: " + (wanted ? wanted->refusal : "")};
    }
    const ProblemKey key(problem, workspace_bytes);
    Remembered& place = remembered_[key.hash() % remembered_.size()];
    if (place.key != key) place = {key, choose(problem, backend_->traits(), workspace_bytes)};
    choice = place.choice;
    if (choice.kernel) return {};
    // One reason says more than a list, and where a problem is too large for one it is for all.
    const auto all = candidates(problem, backend_->traits(), workspace_bytes);
    return {StatusCode::not_supported,
            std::string("no kernel can run this problem: ") +
                (all.empty() ? "this build has none" : all.front().refusal)};
}

void Context::write_log(const Problem& problem, const Choice& choice, int64_t workspace_bytes) {
    std::string line = command_of(problem);
    if (workspace_bytes != own_workspace_bytes(problem.arithmetic))
        line += " --workspace " + std::to_string(workspace_bytes);
    // The command takes an H200 for granted.
    const DeviceTraits& traits = backend_->traits();
    const int capability = traits.compute_capability;
    if (traits.target != Target::gpu)
        line += " --device cpu";
    else if (traits.multiprocessors != 132 || capability != 90)
        line += " --multiprocessors " + std::to_string(traits.multiprocessors) +
                " --compute-capability " + std::to_string(capability / 10) + '.' +
                std::to_string(capability % 10);
    if (traits.tensor_rate != tensor_rate_of(capability, ""))
        line += " --tensor-rate " + std::to_string(traits.tensor_rate);
    char predicted[32];
    std::snprintf(predicted, sizeof predicted, "%.1f", choice.predicted_us);
    line += "  # " + name_of(choice) + ", predicted " + predicted + " us";
    if (choice.tuned) line += ", tuned";
    if (!kernel_.empty()) line += ", as the caller chose";
    (log_ ? log_ : write_to_stderr)(line.c_str(), log_user_);
}

Status Context::run(const Problem& problem) {
    last_choice_ = {};
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return {};
    int64_t workspace_bytes = 0;
    Choice choice;
    if (Status status = choose_and_grow(choice, problem, workspace_bytes); !status.ok())
        return status;
    if (log_ || log_is_wanted()) write_log(problem, choice, workspace_bytes);
    Execution execution = backend_->execution(stream_);
    execution.splits = choice.splits;
    execution.workspace_bytes = choice.workspace_bytes;
    const bool needs_room = choice.workspace_bytes > 0;
    if (needs_room)
        if (Status status = workspaces_.enter(stream_, execution); !status.ok()) return status;
    Status ran = choice.variant->run(problem, execution);
    if (ran.ok()) last_choice_ = choice;
    // Also after a failure: a part of the work may be on its way, and use the room.
    Status left = needs_room ? workspaces_.leave(stream_) : Status{};
    return ran.ok() ? left : ran;
}

Status Context::prepare(PreparedOperand& operand, const Problem& problem, bool is_b) {
    const Preparation* preparation = preparation_of(problem.arithmetic, backend_->traits());
    if (!preparation)
        return {StatusCode::not_supported, std::string("in compute mode ") +
                                               name_of(problem.arithmetic) +
                                               " nothing is to be prepared"};
    if (backend_->is_capturing(stream_))
        return {StatusCode::not_supported, "to prepare allocates memory, which a capture cannot"};
    operand = described(problem, is_b);
    const int64_t bytes = std::max<int64_t>(preparation->bytes(problem, is_b), 1);
    operand.memory = backend_->allocate_in(stream_, static_cast<size_t>(bytes));
    if (!operand.memory)
        return {StatusCode::allocation_failed,
                "no memory for a prepared operand of " + std::to_string(bytes) + " bytes"};
    Status status = preparation->run(problem, is_b, operand.memory, backend_->execution(stream_));
    if (status.ok())
        prepared_.insert(&operand);
    else
        backend_->release_in(stream_, operand.memory);
    return status;
}

Status Context::check_prepared(const PreparedOperand* operand, const char* name) const {
    if (prepared_.contains(operand)) return {};
    return {StatusCode::invalid_value,
            std::string(name) + " was prepared with another handle, or was released"};
}

Status Context::release(const PreparedOperand& operand) {
    if (Status status = check_prepared(&operand, "operand"); !status.ok()) return status;
    if (backend_->is_capturing(stream_))
        return {StatusCode::not_supported, "to release frees memory, which a capture cannot"};
    backend_->release_in(stream_, operand.memory);
    prepared_.erase(&operand);
    return {};
}

}  // namespace tilewright::engine
