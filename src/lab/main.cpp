// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Runs what the command line says; turns what went wrong into a sentence and an exit status.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "lab/command_line.h"
#include "lab/device.h"
#include "lab/interrupt.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

int complain(const std::string& message, int status) {
    fmt::print(stderr, "tilewright: {}\n", message);
    return status;
}

}  // namespace

int main_of(int argc, char** argv) {
    try {
        const int status = parse_command_line(argc, argv)();
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            return complain("writing to stdout failed", kWrong);
        if (status == kInterrupted)
            complain("interrupted: results are of what was done so far", status);
        return status;
    } catch (const UsageError& error) {
        return complain(error.what(), kUsage);
    } catch (const NoDevice& error) {
        return complain(error.what(), kNoDevice);
    } catch (const Interrupted& error) {
        return complain(error.what(), kInterrupted);
    } catch (const std::bad_alloc&) {
        return complain("the host's memory does not suffice", kWrong);
    } catch (const std::exception& error) {
        return complain(error.what(), kWrong);
    }
}

}  // namespace tilewright::lab

int main(int argc, char** argv) {
    return tilewright::lab::main_of(argc, argv);
}
