// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A process that tries candidates, so that one that crashes or hangs is the only one to fail.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::lab {

/// Where a child finds the socket on which it is asked and answers, a line of JSON each.
inline constexpr int kChildSocket = 3;

class Child {
  public:
    /// `arguments` of this same program. It starts when it is first asked.
    explicit Child(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
    ~Child() { stop(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    struct Reply {
        std::optional<nlohmann::ordered_json> answer;
        std::string reason;  ///< Why there is none: it ended, or had to be ended.
    };
    /// Starts a child where there is none, and waits until it is ready. Throws std::runtime_error
    /// where it never is, and Interrupted.
    void start(double seconds);
    /// Gives it so many seconds to answer. Throws Interrupted after Ctrl-C.
    Reply ask(const nlohmann::ordered_json& question, double seconds);
    /// Ends it: what the last candidate left in it must not meet the next.
    void stop();

  private:
    void spawn();
    /// A whole line, "" at its end; none when time is up.
    std::optional<std::string> read_line(double seconds);
    /// Waits for a child that has ended by itself.
    std::string how_it_ended();

    std::vector<std::string> arguments_;
    pid_t process_ = -1;
    int socket_ = -1, stderr_ = -1;
    std::string received_;
};

}  // namespace tilewright::lab
