// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "tools/kernel_tables.h"

int main(int argc, char** argv) {
    return tilewright::tools::run({argv + 1, argv + argc}, std::cout, std::cerr);
}
