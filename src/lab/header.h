// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A kernel's header comment by its sections: Before, Idea, Picture, Cost, Look at, Next; For and
// Design in the engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::lab {

class Header {
  public:
    /// Of what lab/lesson.h's header_of gives.
    explicit Header(std::string_view text);

    /// The section as one line; empty where there is none.
    std::string section(std::string_view label) const;

    /// A section for a terminal: prose is wrapped anew, pictures and tables stay as they are.
    /// The empty label is what stands before all sections.
    std::string plain(std::string_view label, size_t width = 80) const;

  private:
    struct Section {
        std::string label;
        std::vector<std::string> lines;  ///< Without label and indentation.
    };
    const Section* find(std::string_view label) const;

    std::vector<Section> sections_;
};

}  // namespace tilewright::lab
