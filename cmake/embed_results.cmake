# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# Writes measured results as C++ string literals, without their indentation, so that a copied binary
# still knows them.
#   cmake "-DFILES=a.json;b.json" -DOUTPUT=embedded_results.cpp -P embed_results.cmake
set(text "// Generated from results/.\n#include \"lab/measured.h\"\n\nnamespace tilewright::lab {\n\n")
string(APPEND text "std::span<const EmbeddedResults> embedded_results() {\n")
# An array needs an element: the last one holds nothing.
string(APPEND text "    static const EmbeddedResults files[] = {\n")
set(count 0)
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" content)
  string(REGEX REPLACE "\n *" "" content "${content}")
  string(APPEND text "        {\"${name}\", R\"EMBEDDED(${content})EMBEDDED\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND text "        {},\n    };\n    return {files, ${count}};\n}\n\n}  // namespace tilewright::lab\n")
file(WRITE "${OUTPUT}" "${text}")
