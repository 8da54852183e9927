// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/interrupt.h"

#include "lab/usage.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace tilewright::lab {

namespace {

constexpr long kSameKeyMs = 500;
/// For finishing what runs and writing what there is. A kernel may never end.
constexpr unsigned kGraceSeconds = 10;

volatile std::sig_atomic_t seen = 0;
volatile long first_ms = 0;

long now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// A wrapper that passes signals on delivers one key press twice: that is not a second one.
void note(int number) {
    if (!seen) {
        first_ms = now_ms();
        seen = 1;
        alarm(kGraceSeconds);
    } else if (now_ms() - first_ms > kSameKeyMs) {
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
}

void give_up(int) {
    static constexpr char kMessage[] =
        "\ntilewright: interrupted, and what was running does not end\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    _exit(kInterrupted);
}

}  // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    action.sa_handler = give_up;
    sigaction(SIGALRM, &action, nullptr);
}

bool interrupted() {
    return seen != 0;
}

}  // namespace tilewright::lab
