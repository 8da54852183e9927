// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// How the program ends, and the mistakes that end it before anything runs.
#pragma once

#include <stdexcept>

namespace tilewright::lab {

enum ExitStatus {
    kRight = 0,
    kWrong = 1,  ///< A wrong result, or a row that could not be run.
    kUsage = 2,
    kNoDevice = 3,
    kInterrupted = 130,  ///< As shells report a program that Ctrl-C ended.
};

/// The command line asks for something that cannot be; the message says what and why.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace tilewright::lab
