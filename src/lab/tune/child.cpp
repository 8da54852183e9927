// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "lab/interrupt.h"

extern char** environ;

namespace tilewright::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// What it said last, for the reason of its end.
std::string last_line_in(int file) {
    constexpr off_t kMost = 4096;
    const off_t size = lseek(file, 0, SEEK_END);
    std::string text(static_cast<size_t>(std::min(std::max<off_t>(size, 0), kMost)), '\0');
    const ssize_t got =
        pread(file, text.data(), text.size(), size - static_cast<off_t>(text.size()));
    text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

}  // namespace

void Child::spawn() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        throw std::runtime_error(fmt::format("socketpair: {}", std::strerror(errno)));
    socket_ = sockets[0];
    stderr_ = memfd_create("tilewright-tune-stderr", MFD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (stderr_ >= 0) posix_spawn_file_actions_adddup2(&actions, stderr_, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], kChildSocket);
    // A group of its own: Ctrl-C is for the parent, who then ends it.
    sigset_t usual;
    sigfillset(&usual);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> words;
    std::string name = "tilewright";
    words.push_back(name.data());
    for (std::string& word : arguments_) words.push_back(word.data());
    words.push_back(nullptr);
    const int error =
        posix_spawn(&process_, "/proc/self/exe", &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(sockets[1]);
    if (error == 0) return;
    process_ = -1;
    stop();
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(error)));
}

void Child::start(double seconds) {
    if (process_ > 0) return;
    spawn();
    const auto line = read_line(seconds);
    if (!line) {
        stop();
        throw std::runtime_error(
            fmt::format("the process that tries candidates was not ready in {:.0f} s", seconds));
    }
    if (line->empty())
        throw std::runtime_error(
            fmt::format("the process that tries candidates {}", how_it_ended()));
}

std::optional<std::string> Child::read_line(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
        if (interrupted()) {
            stop();
            throw Interrupted();
        }
        if (const size_t newline = received_.find('\n'); newline != received_.npos) {
            std::string line = received_.substr(0, newline);
            received_.erase(0, newline + 1);
            return line;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return std::nullopt;
        pollfd waits{socket_, POLLIN, 0};
        if (poll(&waits, 1, static_cast<int>(std::min<int64_t>(left, 1000))) <= 0) continue;
        char piece[1 << 14];
        const ssize_t got = recv(socket_, piece, sizeof piece, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return "";
        received_.append(piece, static_cast<size_t>(got));
    }
}

Child::Reply Child::ask(const nlohmann::ordered_json& question, double seconds) {
    const std::string text = question.dump() + '\n';
    for (size_t sent = 0; sent < text.size();) {
        const ssize_t got = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (got < 0 && errno != EINTR) break;  // it has ended, as its silence will tell
        if (got > 0) sent += static_cast<size_t>(got);
    }
    const auto line = read_line(seconds);
    if (!line) {
        stop();
        return {{}, fmt::format("it did not end within {:.3g} s, and was ended", seconds)};
    }
    if (line->empty()) return {{}, "its process " + how_it_ended()};
    auto answer = nlohmann::ordered_json::parse(*line, nullptr, false);
    if (answer.is_object()) return {std::move(answer), ""};
    stop();
    return {{}, "its process answered what is no answer"};
}

std::string Child::how_it_ended() {
    int status = 0;
    kill(process_, SIGKILL);  // it closed its socket, and may still be there; a no-op else
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    const std::string last = last_line_in(stderr_);
    stop();
    std::string how = WIFSIGNALED(status)
                          ? fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                                        strsignal(WTERMSIG(status)))
                          : fmt::format("exited with status {}", WEXITSTATUS(status));
    return last.empty() ? how : how + ": " + last;
}

void Child::stop() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    for (int* file : {&socket_, &stderr_}) {
        if (*file >= 0) close(*file);
        *file = -1;
    }
    process_ = -1;
    received_.clear();
}

}  // namespace tilewright::lab
