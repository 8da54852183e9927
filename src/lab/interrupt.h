// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Ctrl-C ends a run early and keeps what was measured; a second one ends the program at once.
#pragma once

#include <stdexcept>

namespace tilewright::lab {

class Interrupted : public std::runtime_error {
  public:
    Interrupted() : std::runtime_error("interrupted") {}
};

void catch_interrupts();
bool interrupted();

}  // namespace tilewright::lab
