// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Help within 80 columns: the parser's own does not wrap.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tilewright::lab {

class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_option(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_subcommand(const CLI::App* verb) const override;
};

}  // namespace tilewright::lab
