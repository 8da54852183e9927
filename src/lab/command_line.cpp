// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/command_line.h"

#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "lab/command_options.h"
#include "lab/environment.h"
#include "lab/help.h"
#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab {

namespace {

constexpr const char* kFooter =
    "Exit status: 0 right, 1 a wrong result or a row not run, 2 usage, 3 no device,\n"
    "130 after Ctrl-C. Data goes to stdout, progress to stderr.";

/// The parser itself would only say that a word was not expected.
void check_verb(const char* word) {
    if (!word || word[0] == '-') return;
    std::vector<std::string> names;
    for (const Verb& verb : verbs())
        if (*verb.description || verb.name == std::string_view(word)) names.push_back(verb.name);
    for (const std::string& name : names)
        if (name == word) return;
    throw UsageError(fmt::format("no verb '{}'; {}", word, did_you_mean(word, names)));
}

/// Parses the words into `options`. The verb that was asked for; null where help or the version was,
/// and has been printed, with `status`.
const Verb* parse(int argc, const char* const* argv, Options& options, int& status) {
    CLI::App program("Tilewright: FP32 matrix multiplication, one idea a rung.", "tilewright");
    program.set_version_flag("--version", "tilewright " + version_text());
    program.footer(kFooter);
    program.require_subcommand(1);
    constexpr size_t kColumn = 26;  // of descriptions
    const auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(kColumn);
    program.formatter(formatter);  // verbs take it over
    const Verb* chosen = nullptr;
    for (const Verb& verb : verbs()) {
        CLI::App& subcommand = *program.add_subcommand(verb.name, verb.description);
        for (const AddOptions add : verb.options) add(subcommand, options);
        if (!*verb.description) subcommand.group("");  // hidden
        subcommand.callback([&] { chosen = &verb; });
    }
    check_verb(argc > 1 ? argv[1] : nullptr);
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help, --version
        status = program.exit(done);
        return nullptr;
    } catch (const CLI::ParseError& error) {
        const CLI::App* verb =
            program.get_subcommands().empty() ? nullptr : program.get_subcommands().front();
        throw UsageError(fmt::format("{}\nRun tilewright {}--help for more.", error.what(),
                                     verb ? verb->get_name() + " " : ""));
    }
    return chosen;
}

}  // namespace

std::function<int()> parse_command_line(int argc, char** argv) {
    const auto options = std::make_shared<Options>();
    options->command = command_text(argc, argv);
    int status = kRight;
    const Verb* verb = parse(argc, argv, *options, status);
    if (!verb) return [status] { return status; };
    return [verb, options] { return verb->run(*options); };
}

Options options_of(const std::string& command) {
    std::vector<std::string> words;
    std::istringstream text(command);
    for (std::string word; text >> word;) words.push_back(word);
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    Options options;
    options.command = command;
    int ignored = kRight;
    parse(static_cast<int>(arguments.size()), arguments.data(), options, ignored);
    return options;
}

}  // namespace tilewright::lab
