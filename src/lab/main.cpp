// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The command line: chooses the verb, and turns what went wrong into a sentence and an exit status.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "lab/device.h"
#include "lab/environment.h"
#include "lab/interrupt.h"
#include "lab/text.h"
#include "lab/usage.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

constexpr const char* kFooter =
    "Exit status: 0 right, 1 a wrong result or a row not run, 2 usage, 3 no such device,\n"
    "130 after Ctrl-C. Data goes to stdout, progress to stderr.";

int complain(const std::string& message, int status) {
    fmt::print(stderr, "tilewright: {}\n", message);
    return status;
}

/// The parser itself would only say that a word was not expected.
void check_verb(const CLI::App& program, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : program.get_subcommands({})) verbs.push_back(verb->get_name());
    for (const std::string& verb : verbs)
        if (verb == argv[1]) return;
    throw UsageError(fmt::format("no verb '{}'; {}", argv[1], did_you_mean(argv[1], verbs)));
}

int parse_and_run(int argc, char** argv) {
    CLI::App program("Tilewright: FP32 matrix multiplication, one idea a rung.", "tilewright");
    program.set_version_flag("--version", "tilewright " + version_text());
    program.footer(kFooter);
    program.require_subcommand(1);
    Options options;
    options.command = command_text(argc, argv);
    Run run;
    add_ladder(program, options, run);
    add_list(program, options, run);
    add_explain(program, options, run);
    add_diff(program, options, run);
    add_verify(program, options, run);
    add_bench(program, options, run);
    add_devices(program, options, run);
    check_verb(program, argc, argv);
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help, --version
        return program.exit(done);
    } catch (const CLI::ParseError& error) {
        const CLI::App* verb =
            program.get_subcommands().empty() ? nullptr : program.get_subcommands().front();
        return complain(fmt::format("{}\nRun tilewright {}--help for more.", error.what(),
                                    verb ? verb->get_name() + " " : ""),
                        kUsage);
    }
    return run();
}

}  // namespace

int main_of(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
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
