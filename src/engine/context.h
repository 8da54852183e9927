// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What a handle is.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/backend.h"
#include "engine/call.h"
#include "engine/prepared.h"
#include "tilewright/tilewright.h"

namespace tilewright::engine {

/// All that a choice may depend on.
struct ProblemKey {
    int64_t m, n, k, lda, ldb, ldc, batch, stride_a, stride_b, stride_c, workspace_bytes;
    int64_t flags;

    ProblemKey() : m(-1) {}
    ProblemKey(const Problem& problem, int64_t workspace_bytes);
    bool operator==(const ProblemKey&) const = default;
    size_t hash() const;
};

/// Two rooms: one for the stream that needs memory first, without any cost, and one that all other
/// streams share, in turn. Each begins with what FP32 has, and may grow.
class Workspaces {
  public:
    explicit Workspaces(Backend& backend) : backend_(backend) {}
    ~Workspaces();

    Status open();
    void replace(void* memory, int64_t bytes) { users_ = memory, users_bytes_ = bytes; }
    bool replaced() const { return replaced_; }
    void set_replaced(bool replaced) { replaced_ = replaced; }

    /// What a call in this stream may use. In FP32 that is the same whatever has grown, so that a call
    /// takes the same kernel each time.
    int64_t bytes(void* stream, Arithmetic mode) const;
    /// Makes the handle's own room for this stream that large, where it can: the caller's memory does not
    /// grow, and nothing does in a capture.
    void grow(void* stream, int64_t bytes);
    /// Before the handle's first call in another stream: later, memory may be out of reach.
    void expect(void* stream);
    /// Waits, on the device, for whoever had the room before.
    Status enter(void* stream, Execution& execution);
    Status leave(void* stream);

  private:
    struct Room {
        unsigned* counters = nullptr;  ///< The first workspace lies behind them.
        void* memory = nullptr;
        int64_t bytes = 0;
        bool has_grown = false;  ///< Then `memory` is an allocation of its own.
        bool is_in_graphs = false;  ///< And captured calls use it.
    };
    bool make(Room& room);
    bool is_shared(void* stream) const { return bound_ && stream != owner_; }
    /// The caller's memory is one for all streams.
    bool takes_turns(void* stream) const { return replaced_ || is_shared(stream); }

    Backend& backend_;
    std::array<Room, 2> rooms_;
    std::vector<void*> outgrown_;  ///< That graphs still use.
    bool bound_ = false;
    void* owner_ = nullptr;  ///< The stream of room 0.
    bool replaced_ = false;
    void* users_ = nullptr;
    int64_t users_bytes_ = 0;
};

class Context {
  public:
    explicit Context(std::unique_ptr<Backend> backend)
        : backend_(std::move(backend)), workspaces_(*backend_) {}

    Status open() { return workspaces_.open(); }
    Status set_stream(void* stream);
    void* stream() const { return stream_; }
    Status set_workspace(void* memory, int64_t bytes);
    Status set_kernel(const char* name);
    void set_log(tilewright_log_t log, void* user) { log_ = log, log_user_ = user; }
    /// Of the fastest kernel, whatever the present workspace.
    int64_t workspace_bytes(const Problem& problem) const;
    Status run(const Problem& problem);
    /// Of the problem's A or B alone, in the handle's compute mode.
    Status prepare(PreparedOperand& operand, const Problem& problem, bool is_b);
    Status release(const PreparedOperand& operand);
    /// Whether it is one of this context, whose streams it is ordered by. Does not look into it.
    Status check_prepared(const PreparedOperand* operand, const char* name) const;

    const Choice& last_choice() const { return last_choice_; }
    Backend& backend() { return *backend_; }

    Arithmetic arithmetic = Arithmetic::fp32;  ///< The compute mode.
    bool scalars_on_device = false;

  private:
    /// Sets workspace_bytes to what the choice was made with.
    Status choose_and_grow(Choice& choice, const Problem& problem, int64_t& workspace_bytes);
    Status choose_into(Choice& choice, const Problem& problem, int64_t workspace_bytes);
    void write_log(const Problem& problem, const Choice& choice, int64_t workspace_bytes);

    std::unique_ptr<Backend> backend_;
    Workspaces workspaces_;
    std::unordered_set<const PreparedOperand*> prepared_;  ///< Those that are not released.
    void* stream_ = nullptr;
    std::string kernel_;  ///< The caller's choice; "" for ours.
    tilewright_log_t log_ = nullptr;
    void* log_user_ = nullptr;
    Choice last_choice_;
    struct Remembered {
        ProblemKey key;
        Choice choice;
    };
    std::array<Remembered, 64> remembered_;
};

}  // namespace tilewright::engine
